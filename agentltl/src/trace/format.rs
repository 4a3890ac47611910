//! The ways runs are written down, and telling them apart.

use std::fmt;
use std::str::FromStr;

use serde_json::Value as Json;

use super::{Trace, TraceError, anthropic, otel};

/// A way to write down what an agent did.
///
/// ```
/// use agentltl::TraceFormat;
/// use serde_json::json;
/// let messages = json!([{"role": "assistant", "content": [
///     {"type": "tool_use", "id": "t1", "name": "search", "input": {}}]}]);
/// assert_eq!(TraceFormat::of(&messages), Some(TraceFormat::Anthropic));
/// let runs = TraceFormat::Anthropic.read(&messages)?;
/// assert_eq!(runs[0].trace[0].tool_name, "search");
/// # Ok::<(), agentltl::TraceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TraceFormat {
    /// The reference library's metrics: [`Trace::from_metrics`].
    Metrics,
    /// A list of calls, or a call a line: [`Trace::from_jsonl`].
    Calls,
    /// OpenAI chat messages: [`Trace::from_openai`].
    OpenAi,
    /// Anthropic messages: [`Trace::from_anthropic`].
    Anthropic,
    /// The memory of a smolagents agent: [`Trace::from_smolagents`].
    Smolagents,
    /// A SWE-agent trajectory: [`Trace::from_swe_agent`].
    SweAgent,
    /// OpenTelemetry spans: [`Trace::runs_from_otel`].
    OpenTelemetry,
}

/// A run as it was found among others.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordedRun {
    /// What identifies it, where the format has such a thing.
    pub id: Option<String>,
    /// Its calls.
    pub trace: Trace,
}

impl TraceFormat {
    /// All of them.
    pub const ALL: [TraceFormat; 7] = [
        TraceFormat::Metrics,
        TraceFormat::Calls,
        TraceFormat::OpenAi,
        TraceFormat::Anthropic,
        TraceFormat::Smolagents,
        TraceFormat::SweAgent,
        TraceFormat::OpenTelemetry,
    ];

    /// The name, such as `swe-agent`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            TraceFormat::Metrics => "metrics",
            TraceFormat::Calls => "calls",
            TraceFormat::OpenAi => "openai",
            TraceFormat::Anthropic => "anthropic",
            TraceFormat::Smolagents => "smolagents",
            TraceFormat::SweAgent => "swe-agent",
            TraceFormat::OpenTelemetry => "otel",
        }
    }

    /// The format of a run, by its content; of a call, message, step or span by itself, the format
    /// of the runs it is part of. `None` where nothing tells, as for an empty list.
    ///
    /// Messages that are the same in both are told as OpenAI's; neither has calls then.
    #[must_use]
    pub fn of(json: &Json) -> Option<Self> {
        match json {
            Json::Array(parts) => {
                let mut found = None;
                for part in parts {
                    match TraceFormat::of_object(part) {
                        // A message may look like OpenAI's until one comes that cannot be.
                        Some(TraceFormat::OpenAi) => found = Some(TraceFormat::OpenAi),
                        Some(format) => return Some(format),
                        None => {}
                    }
                }
                found
            }
            _ => TraceFormat::of_object(json),
        }
    }

    fn of_object(json: &Json) -> Option<Self> {
        let Json::Object(fields) = json else {
            return None;
        };
        let has = |key: &str| fields.contains_key(key);
        let is_list = |key: &str| fields.get(key).is_some_and(Json::is_array);
        if otel::is_spans(json) {
            Some(TraceFormat::OpenTelemetry)
        } else if is_list("trajectory") {
            Some(TraceFormat::SweAgent)
        } else if has("role") {
            let blocks = fields.get("content").and_then(Json::as_array);
            let is_anthropic = blocks.is_some_and(|blocks| blocks.iter().any(anthropic::is_block))
                && !has("tool_calls");
            Some(if is_anthropic {
                TraceFormat::Anthropic
            } else {
                TraceFormat::OpenAi
            })
        } else if has("step_number") {
            Some(TraceFormat::Smolagents)
        } else if is_list("tool_calls") || fields.get("metrics").is_some_and(Json::is_object) {
            Some(TraceFormat::Metrics)
        } else if is_list("messages") {
            // An empty conversation is one all the same.
            let messages = fields.get("messages").unwrap_or(json);
            Some(TraceFormat::of(messages).unwrap_or(TraceFormat::OpenAi))
        } else if is_list("steps") {
            Some(TraceFormat::Smolagents)
        } else if has("tool_name") || has("name") {
            Some(TraceFormat::Calls)
        } else if has("system_prompt") || has("task") {
            Some(TraceFormat::Smolagents)
        } else {
            None
        }
    }

    /// Is the value only a part of a run in this format, such as a call or a message?
    ///
    /// ```
    /// use agentltl::TraceFormat;
    /// use serde_json::json;
    /// assert!(TraceFormat::OpenAi.is_part(&json!({"role": "user", "content": "hi"})));
    /// assert!(!TraceFormat::OpenAi.is_part(&json!({"messages": []})));
    /// ```
    #[must_use]
    pub fn is_part(self, json: &Json) -> bool {
        let Json::Object(fields) = json else {
            return false;
        };
        match self {
            TraceFormat::Metrics | TraceFormat::SweAgent => false,
            TraceFormat::Calls | TraceFormat::OpenTelemetry => true,
            TraceFormat::OpenAi | TraceFormat::Anthropic => !fields.contains_key("messages"),
            TraceFormat::Smolagents => {
                !fields.contains_key("steps") && !fields.contains_key("messages")
            }
        }
    }

    /// Reads a value in this format: one run, or those that OpenTelemetry spans belong to.
    ///
    /// # Errors
    /// As the function for the format.
    pub fn read(self, json: &Json) -> Result<Vec<RecordedRun>, TraceError> {
        let trace = match self {
            TraceFormat::OpenTelemetry => return Trace::runs_from_otel(json),
            TraceFormat::Metrics => match json.get("metrics") {
                Some(metrics) if json.get("tool_calls").is_none() => {
                    Trace::from_metrics(metrics).map_err(|error| error.below("metrics"))?
                }
                _ => Trace::from_metrics(json)?,
            },
            TraceFormat::Calls => match json {
                Json::Array(calls) => Trace::from_calls(calls.iter().cloned(), "")?,
                Json::Object(_) => Trace::from_calls([json.clone()], "")?,
                other => return Err(TraceError::unexpected("", "a list of calls", other)),
            },
            TraceFormat::OpenAi => Trace::from_openai(json)?,
            TraceFormat::Anthropic => Trace::from_anthropic(json)?,
            TraceFormat::Smolagents => Trace::from_smolagents(json)?,
            TraceFormat::SweAgent => Trace::from_swe_agent(json)?,
        };
        Ok(vec![RecordedRun { id: None, trace }])
    }
}

impl fmt::Display for TraceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for TraceFormat {
    type Err = UnknownTraceFormat;
    fn from_str(name: &str) -> Result<Self, UnknownTraceFormat> {
        TraceFormat::ALL
            .into_iter()
            .find(|format| format.as_str() == name)
            .ok_or_else(|| UnknownTraceFormat {
                name: name.to_owned(),
            })
    }
}

/// A text that names no [`TraceFormat`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownTraceFormat {
    /// The text.
    pub name: String,
}

impl fmt::Display for UnknownTraceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = TraceFormat::ALL.map(TraceFormat::as_str);
        write!(f, "unknown trace format `{}`", self.name)?;
        if let Some(near) = agentltl_core::nearest(&self.name, names) {
            write!(f, "; did you mean `{near}`?")?;
        }
        write!(f, "; the formats are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownTraceFormat {}
