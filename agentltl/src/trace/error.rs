//! Why something is not a trace.

use std::fmt;

use serde_json::Value as Json;

/// Why a text or JSON value is not a run: where, and what is wrong.
///
/// ```
/// use agentltl::{Trace, TraceProblem};
/// use serde_json::json;
/// let metrics = json!({"tool_calls": [{"tool_name": "a"}, {"tool_name": "b", "arguments": "x"}]});
/// let error = Trace::from_metrics(&metrics).unwrap_err();
/// assert_eq!(error.path, "tool_calls[1].arguments");
/// assert_eq!(error.to_string(), "tool_calls[1].arguments: expected an object, found a string");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceError {
    /// The line of the text, from 1, where the input is a text.
    pub line: Option<usize>,
    /// The way from the outermost value of that line to the one at fault; empty for the whole.
    pub path: String,
    /// What is wrong there.
    pub problem: TraceProblem,
}

/// What is wrong with a part of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceProblem {
    /// It is not JSON.
    Malformed {
        /// The column, from 1, in its line.
        column: usize,
        /// What the JSON reader said.
        message: String,
    },
    /// It is JSON of another kind.
    Unexpected {
        /// What belongs there, such as `an object`.
        expected: &'static str,
        /// What is there, such as `a string`.
        found: &'static str,
    },
    /// A key that is needed is not there.
    Missing {
        /// The key, or its two spellings.
        key: &'static str,
    },
    /// A tool name is empty.
    EmptyName,
    /// Both spellings of a key are there, and they say different things.
    Contradiction {
        /// The other spelling.
        other: &'static str,
    },
    /// A tool message answers no call.
    NoSuchCall {
        /// The identifier of the call it answers, where it names one.
        id: Option<String>,
    },
    /// A tool message answers a call that has its answer.
    AnsweredTwice {
        /// The call's identifier.
        id: String,
    },
}

impl TraceError {
    pub(super) fn new(path: impl Into<String>, problem: TraceProblem) -> Self {
        TraceError {
            line: None,
            path: path.into(),
            problem,
        }
    }

    pub(super) fn unexpected(
        path: impl Into<String>,
        expected: &'static str,
        found: &Json,
    ) -> Self {
        let found = kind(found);
        TraceError::new(path, TraceProblem::Unexpected { expected, found })
    }

    /// An error of the JSON reader, in a text whose first line is `line`.
    pub(super) fn malformed(path: impl Into<String>, error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        TraceError::new(
            path,
            TraceProblem::Malformed {
                column: error.column(),
                message: message.strip_suffix(&place).unwrap_or(&message).to_owned(),
            },
        )
    }

    /// The error of a value that stands under a key of another.
    pub(super) fn below(mut self, key: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.path = format!("{key}{dot}{}", self.path);
        self
    }

    pub(super) fn on_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }
}

/// What a JSON value is, in words.
fn kind(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        self.problem.fmt(f)
    }
}

impl fmt::Display for TraceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceProblem::Malformed { column, message } => {
                write!(f, "not JSON (column {column}): {message}")
            }
            TraceProblem::Unexpected { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
            TraceProblem::Missing { key } => write!(f, "no {key}"),
            TraceProblem::EmptyName => f.write_str("the tool name is empty"),
            TraceProblem::Contradiction { other } => {
                write!(f, "differs from {other}, which says the same thing")
            }
            TraceProblem::NoSuchCall { id: Some(id) } => {
                write!(
                    f,
                    "no call has the id {id:?}, so there is none this is the result of"
                )
            }
            TraceProblem::NoSuchCall { id: None } => {
                f.write_str("names no call, and none before it waits for a result")
            }
            TraceProblem::AnsweredTwice { id } => {
                write!(f, "a second result of the call with the id {id:?}")
            }
        }
    }
}

impl std::error::Error for TraceError {}
