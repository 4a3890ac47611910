//! The tools of an agent, by the names the model sees.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::tool::{DynTool, ToolDefinition};

/// What becomes of tools that share a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NameClash {
    /// The agent is not built.
    #[default]
    Refuse,
    /// Each of them that an MCP server offers gets the server's name before its own: `read_file` of
    /// the server `files` becomes `files_read_file`, and rules must say so. Local tools keep theirs.
    Prefix,
}

/// A tool, and the MCP server it is of.
#[derive(Clone)]
pub(crate) struct Offer {
    pub(crate) server: Option<String>,
    pub(crate) tool: Arc<dyn DynTool>,
}

/// Tools with distinct names.
pub(crate) struct Toolbox {
    definitions: Vec<ToolDefinition>,
    tools: Vec<Arc<dyn DynTool>>,
    exact: HashMap<String, usize>,
    /// By name with case and punctuation taken away; `None` where that is ambiguous.
    alike: HashMap<String, Option<usize>>,
}

impl Toolbox {
    pub(crate) fn new(offers: &[Offer], clash: NameClash) -> Result<Self, ToolNameError> {
        let mut definitions: Vec<ToolDefinition> =
            offers.iter().map(|offer| offer.tool.definition()).collect();
        if clash == NameClash::Prefix {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for definition in &definitions {
                *counts.entry(definition.name.clone()).or_default() += 1;
            }
            for (definition, offer) in definitions.iter_mut().zip(offers) {
                if let Some(server) = &offer.server
                    && counts.get(&definition.name).is_some_and(|count| *count > 1)
                {
                    definition.name = format!("{server}_{}", definition.name);
                }
            }
        }
        let mut exact: HashMap<String, usize> = HashMap::new();
        let mut alike: HashMap<String, Option<usize>> = HashMap::new();
        for (index, definition) in definitions.iter().enumerate() {
            let name = &definition.name;
            if !is_name(name) {
                return Err(ToolNameError::Invalid {
                    name: name.clone(),
                    server: offers[index].server.clone(),
                });
            }
            if let Some(first) = exact.insert(name.clone(), index) {
                return Err(ToolNameError::Clash {
                    name: name.clone(),
                    servers: [offers[first].server.clone(), offers[index].server.clone()],
                });
            }
            alike
                .entry(plain(name))
                .and_modify(|tool| *tool = None)
                .or_insert(Some(index));
        }
        Ok(Toolbox {
            definitions,
            tools: offers.iter().map(|offer| Arc::clone(&offer.tool)).collect(),
            exact,
            alike,
        })
    }

    pub(crate) fn definitions(&self) -> &[ToolDefinition] {
        &self.definitions
    }

    /// The tool that the model means, under its own name. Models write `analytics.plot` for
    /// `analytics_plot`: where only one tool can be meant, it is. The name to judge is the tool's, so
    /// that no other spelling gets around a rule.
    pub(crate) fn resolve(&self, name: &str) -> Option<(&str, &Arc<dyn DynTool>)> {
        let index = match self.exact.get(name) {
            Some(index) => *index,
            None => (*self.alike.get(&plain(name))?)?,
        };
        Some((&self.definitions[index].name, &self.tools[index]))
    }
}

/// What endpoints accept as a tool's name.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 64
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

/// A set of tools that no agent can have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolNameError {
    /// Two tools have the same name.
    Clash {
        /// The name.
        name: String,
        /// The MCP servers that offer it; `None` for a local tool.
        servers: [Option<String>; 2],
    },
    /// A name that endpoints refuse.
    Invalid {
        /// The name.
        name: String,
        /// The MCP server that offers it; `None` for a local tool.
        server: Option<String>,
    },
}

impl fmt::Display for ToolNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = |server: &Option<String>| match server {
            Some(server) => format!("the MCP server `{server}`"),
            None => "the program".to_owned(),
        };
        match self {
            ToolNameError::Clash {
                name,
                servers: [first, second],
            } => write!(
                f,
                "two tools are called `{name}`: one of {}, one of {}",
                origin(first),
                origin(second)
            ),
            ToolNameError::Invalid { name, server } => write!(
                f,
                "{name:?}, a tool of {}, is no name for a tool: those have 1 to 64 letters, digits, `_` and `-`",
                origin(server)
            ),
        }
    }
}

impl std::error::Error for ToolNameError {}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::tool::{NoArguments, tool_fn};
    use std::convert::Infallible;

    fn offer(server: Option<&str>, name: &str) -> Offer {
        let tool = tool_fn(name, "", async |_: NoArguments| Ok::<_, Infallible>(()));
        Offer {
            server: server.map(str::to_owned),
            tool: Arc::new(tool),
        }
    }

    fn names(offers: &[Offer], clash: NameClash) -> Result<Vec<String>, String> {
        Toolbox::new(offers, clash)
            .map(|tools| tools.definitions.into_iter().map(|d| d.name).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_clash_is_refused_or_prefixed() {
        let offers = [
            offer(None, "read"),
            offer(Some("a"), "read"),
            offer(Some("b"), "read"),
            offer(Some("b"), "write"),
        ];
        assert_eq!(
            names(&offers, NameClash::Refuse).unwrap_err(),
            "two tools are called `read`: one of the program, one of the MCP server `a`"
        );
        assert_eq!(
            names(&offers, NameClash::Prefix).unwrap(),
            ["read", "a_read", "b_read", "write"]
        );
        // A prefix can clash in turn.
        let offers = [
            offer(None, "read"),
            offer(None, "a_read"),
            offer(Some("a"), "read"),
        ];
        assert!(names(&offers, NameClash::Prefix).is_err());
        let offers = [offer(None, "read"), offer(None, "read")];
        assert!(names(&offers, NameClash::Prefix).is_err());
    }

    #[test]
    fn another_spelling_is_resolved_where_it_is_not_ambiguous() {
        let tools = Toolbox::new(
            &[
                offer(None, "analytics_plot"),
                offer(None, "get-user"),
                offer(None, "get_user"),
            ],
            NameClash::Refuse,
        )
        .unwrap();
        let resolved = |name| tools.resolve(name).map(|(name, _)| name);
        assert_eq!(resolved("Analytics.plot"), Some("analytics_plot"));
        assert_eq!(resolved("get-user"), Some("get-user"));
        assert_eq!(resolved("get.user"), None);
        assert_eq!(resolved("other"), None);
    }

    #[test]
    fn names_are_what_endpoints_accept() {
        for name in ["", "a b", "a.b", "é", &"x".repeat(65)] {
            assert!(names(&[offer(None, name)], NameClash::Refuse).is_err());
        }
        assert!(names(&[offer(None, &"x".repeat(64))], NameClash::Refuse).is_ok());
    }
}
