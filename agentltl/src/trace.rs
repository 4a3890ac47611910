//! The calls of a run, in order.

mod answers;
mod anthropic;
mod error;
mod format;
mod openai;
mod otel;
mod read;
mod smolagents;
mod swe_agent;

use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value as Json, json};

use crate::call::ToolCall;

pub use error::{TraceError, TraceProblem};
pub use format::{RecordedRun, TraceFormat, UnknownTraceFormat};
pub(crate) use read::read_call;

/// The calls of a run, in order. Dereferences to the slice of calls, which is what evaluators,
/// predicates and domains take.
///
/// Serialises as the list of its calls; deserialises from such a list or from metrics, see
/// [`Trace::from_metrics`].
///
/// ```
/// use agentltl::Trace;
/// let trace = Trace::from_jsonl(r#"
///     {"tool_name": "fetch", "arguments": {"from": "db"}}
///     {"tool_name": "clean", "result": null}
/// "#)?;
/// assert_eq!(trace.tool_names().collect::<Vec<_>>(), ["fetch", "clean"]);
/// assert_eq!(trace[0].result, None);
/// assert_eq!(trace[1].result, Some(serde_json::Value::Null));
/// # Ok::<(), agentltl::TraceError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    calls: Vec<ToolCall>,
}

impl Trace {
    /// A run in which nothing has been called.
    #[must_use]
    pub fn new() -> Self {
        Trace::default()
    }

    /// A run of calls without arguments, for tests.
    pub fn from_names<T: Into<String>>(names: impl IntoIterator<Item = T>) -> Self {
        names.into_iter().map(ToolCall::new).collect()
    }

    /// Appends a call.
    pub fn push(&mut self, call: ToolCall) {
        self.calls.push(call);
    }

    /// The calls, for changing or removing some.
    pub fn calls_mut(&mut self) -> &mut Vec<ToolCall> {
        &mut self.calls
    }

    /// The calls themselves.
    #[must_use]
    pub fn into_calls(self) -> Vec<ToolCall> {
        self.calls
    }

    /// The names of the tools called, in order.
    pub fn tool_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.calls.iter().map(|call| call.tool_name.as_str())
    }

    /// The run as the reference library's metrics: what [`Trace::from_metrics`] reads.
    ///
    /// ```
    /// use agentltl::{ToolCall, Trace};
    /// let trace = Trace::from_iter([ToolCall::new("fetch").with_result("120 records")]);
    /// assert_eq!(Trace::from_metrics(&trace.to_metrics())?, trace);
    /// # Ok::<(), agentltl::TraceError>(())
    /// ```
    #[must_use]
    pub fn to_metrics(&self) -> Json {
        // A call is strings, numbers and JSON: writing it as JSON cannot fail.
        let calls = self
            .calls
            .iter()
            .map(|call| serde_json::to_value(call).unwrap_or_default())
            .collect::<Vec<_>>();
        json!({ "tool_calls": calls })
    }
}

impl Deref for Trace {
    type Target = [ToolCall];
    fn deref(&self) -> &[ToolCall] {
        &self.calls
    }
}

impl From<Vec<ToolCall>> for Trace {
    fn from(calls: Vec<ToolCall>) -> Self {
        Trace { calls }
    }
}

impl FromIterator<ToolCall> for Trace {
    fn from_iter<I: IntoIterator<Item = ToolCall>>(calls: I) -> Self {
        Trace {
            calls: calls.into_iter().collect(),
        }
    }
}

impl Extend<ToolCall> for Trace {
    fn extend<I: IntoIterator<Item = ToolCall>>(&mut self, calls: I) {
        self.calls.extend(calls);
    }
}

impl IntoIterator for Trace {
    type Item = ToolCall;
    type IntoIter = std::vec::IntoIter<ToolCall>;
    fn into_iter(self) -> Self::IntoIter {
        self.calls.into_iter()
    }
}

impl<'a> IntoIterator for &'a Trace {
    type Item = &'a ToolCall;
    type IntoIter = std::slice::Iter<'a, ToolCall>;
    fn into_iter(self) -> Self::IntoIter {
        self.calls.iter()
    }
}

impl Serialize for Trace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.calls.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Trace {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::Array(calls) => Trace::from_calls(calls, ""),
            metrics => Trace::from_metrics(&metrics),
        }
        .map_err(serde::de::Error::custom)
    }
}
