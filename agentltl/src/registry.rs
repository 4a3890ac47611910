//! Rust code that text read at run time may name.

use std::collections::BTreeMap;
use std::sync::Arc;

use agentltl_core::{Host, Name, Resolve, Text, nearest};
use serde_json::Value as Json;

use crate::call::ToolCall;
use crate::host::{Answer, DomainFn, PredicateFn};

/// Rust code by the names it has in formulas that are read at run time: `predicate(NAME)`, the
/// domain of a quantifier, and tool names that stand without quotes.
///
/// ```
/// use agentltl::{Policy, Registry, ToolCall, Trace, verify};
/// let registry = Registry::new()
///     .with_predicate("few_calls", |calls: &[ToolCall], _| calls.len() < 3)
///     .with_tool("DeployTool::NAME", "deploy");
/// let policy = Policy::from_toml_with(
///     r#"
///     [[constraint]]
///     name = "short"
///     formula = "predicate(few_calls, runtime_safe=true) & called(DeployTool::NAME)"
///     "#,
///     &registry,
/// )?;
/// assert_eq!(verify(&policy, &Trace::from_names(["deploy"])).compliance_score, 1.0);
/// # Ok::<(), agentltl::PolicyError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Registry {
    predicates: BTreeMap<Text, Host>,
    domains: BTreeMap<Text, Host>,
    tools: BTreeMap<Text, Name>,
}

impl Registry {
    /// With nothing in it.
    pub fn new() -> Self {
        Registry::default()
    }

    /// With a predicate; one of that name that was there before is replaced. A name is written as a
    /// path is: `few_calls`, `rules::few_calls`.
    pub fn with_predicate<A: Into<Answer>>(
        mut self,
        name: impl Into<Text>,
        predicate: impl Fn(&[ToolCall], usize) -> A + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        let host = Host::new(name.clone(), Arc::new(PredicateFn::new(predicate)));
        self.predicates.insert(name, host);
        self
    }

    /// With a quantifier's domain; one of that name that was there before is replaced.
    ///
    /// ```
    /// use agentltl::{Formula, Registry, ToolCall, parse_with};
    /// let registry = Registry::new().with_domain("files", |calls: &[ToolCall]| {
    ///     calls.iter().filter_map(|call| call.arguments.get("path").cloned()).collect()
    /// });
    /// let text = r#"forall f in files: called_with("close", path=?f)"#;
    /// assert_eq!(parse_with(text, &mut &registry)?.formula.to_string(), text);
    /// # Ok::<(), agentltl::ParseError>(())
    /// ```
    pub fn with_domain(
        mut self,
        name: impl Into<Text>,
        domain: impl Fn(&[ToolCall]) -> Vec<Json> + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        let host = Host::new(name.clone(), Arc::new(DomainFn::new(domain)));
        self.domains.insert(name, host);
        self
    }

    /// With the tool that a path stands for; one of that path that was there before is replaced.
    pub fn with_tool(mut self, path: impl Into<Text>, tool: impl Into<Name>) -> Self {
        self.tools.insert(path.into(), tool.into());
        self
    }
}

/// By reference, so that one registry serves many texts.
impl Resolve for &Registry {
    fn tool(&mut self, path: &str) -> Result<Name, String> {
        look_up(&self.tools, path, "tool")
    }

    fn predicate(&mut self, path: &str) -> Result<Host, String> {
        look_up(&self.predicates, path, "predicate")
    }

    fn domain(&mut self, path: &str) -> Result<Host, String> {
        look_up(&self.domains, path, "domain")
    }
}

fn look_up<T: Clone>(items: &BTreeMap<Text, T>, path: &str, kind: &str) -> Result<T, String> {
    items.get(path).cloned().ok_or_else(|| {
        let mut reason = format!("no {kind} of that name is registered");
        if let Some(near) = nearest(path, items.keys().map(Text::as_str)) {
            reason.push_str(&format!("; did you mean `{near}`?"));
        }
        reason
    })
}
