//! One tool call.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};

use crate::trace::read_call;

/// One call of a tool: proposed, running, or done.
///
/// Reads and writes the reference library's JSON: `tool_name` or `name`, `arguments` or `tool_args`,
/// `result` or `tool_result`, `step`, `generation`, `status`, `id`; every other key is kept in
/// [`extra`](ToolCall::extra) and written back.
///
/// ```
/// use agentltl::ToolCall;
/// let call = ToolCall::new("search").with_argument("city", "SEA").with_result("3 flights");
/// assert_eq!(call.arguments["city"], "SEA");
///
/// let json = r#"{"name": "search", "tool_args": null, "turn": 2}"#;
/// let call: ToolCall = serde_json::from_str(json)?;
/// assert_eq!(
///     serde_json::to_string(&call)?,
///     r#"{"tool_name":"search","arguments":{},"turn":2}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The tool's name.
    pub tool_name: String,
    /// The named arguments.
    pub arguments: Map<String, Json>,
    /// What the call returned; `None` while that is not known, which is not the same as `null`.
    pub result: Option<Json>,
    /// The agent step the call ran in; calls of one step are parallel.
    pub step: Option<i64>,
    /// The model completion that proposed the call.
    pub generation: Option<Generation>,
    /// The exit status, where the call has one.
    pub status: Option<i64>,
    /// The provider's identifier of the call.
    pub id: Option<String>,
    /// Whatever else was recorded with the call, by its JSON key.
    pub extra: Map<String, Json>,
}

impl ToolCall {
    /// A call without arguments, whose result is not known.
    pub fn new(tool_name: impl Into<String>) -> Self {
        ToolCall {
            tool_name: tool_name.into(),
            ..ToolCall::default()
        }
    }

    /// The call with an argument set.
    #[must_use]
    pub fn with_argument(mut self, key: impl Into<String>, value: impl Into<Json>) -> Self {
        self.arguments.insert(key.into(), value.into());
        self
    }

    /// The call with these arguments instead of those it had.
    ///
    /// ```
    /// use agentltl::ToolCall;
    /// use serde_json::json;
    /// let arguments = json!({"city": "SEA", "seats": 2}).as_object().cloned().unwrap_or_default();
    /// assert_eq!(ToolCall::new("book").with_arguments(arguments).arguments["seats"], 2);
    /// ```
    #[must_use]
    pub fn with_arguments(mut self, arguments: Map<String, Json>) -> Self {
        self.arguments = arguments;
        self
    }

    /// The call with its result known.
    #[must_use]
    pub fn with_result(mut self, result: impl Into<Json>) -> Self {
        self.result = Some(result.into());
        self
    }

    /// The call as part of an agent step.
    #[must_use]
    pub fn with_step(mut self, step: i64) -> Self {
        self.step = Some(step);
        self
    }

    /// The call as proposed by a model completion.
    #[must_use]
    pub fn with_generation(mut self, generation: impl Into<Generation>) -> Self {
        self.generation = Some(generation.into());
        self
    }

    /// The call with its exit status.
    #[must_use]
    pub fn with_status(mut self, status: i64) -> Self {
        self.status = Some(status);
        self
    }

    /// The call with the provider's identifier.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let mut written = vec!["tool_name", "arguments"];
        map.serialize_entry("tool_name", &self.tool_name)?;
        map.serialize_entry("arguments", &self.arguments)?;
        macro_rules! optional {
            ($($field:ident),*) => {$(
                if let Some(value) = &self.$field {
                    written.push(stringify!($field));
                    map.serialize_entry(stringify!($field), value)?;
                }
            )*};
        }
        optional!(result, step, generation, status, id);
        // A key of `extra` under the name of a field would say the same thing twice.
        for (key, value) in &self.extra {
            if !written.contains(&key.as_str()) {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        read_call(json, String::new).map_err(serde::de::Error::custom)
    }
}

/// What identifies a model completion: a string or a number.
///
/// ```
/// use agentltl::Generation;
/// assert_ne!(Generation::from("1"), Generation::from(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Deserialize)]
#[serde(untagged)]
pub enum Generation {
    /// Such as a completion's id.
    Text(String),
    /// Such as a turn's number.
    Number(i64),
}

impl From<&str> for Generation {
    fn from(key: &str) -> Self {
        Generation::Text(key.to_owned())
    }
}

impl From<String> for Generation {
    fn from(key: String) -> Self {
        Generation::Text(key)
    }
}

impl From<i64> for Generation {
    fn from(key: i64) -> Self {
        Generation::Number(key)
    }
}
