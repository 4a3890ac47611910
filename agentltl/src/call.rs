//! One tool call.

use serde_json::{Map, Value as Json};

/// One call of a tool: proposed, running, or done.
///
/// ```
/// use agentltl::ToolCall;
/// let call = ToolCall::new("search").with_argument("city", "SEA").with_result("3 flights");
/// assert_eq!(call.arguments["city"], "SEA");
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
}

/// What identifies a model completion: a string or a number.
///
/// ```
/// use agentltl::Generation;
/// assert_ne!(Generation::from("1"), Generation::from(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
