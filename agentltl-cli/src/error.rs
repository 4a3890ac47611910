//! What can stop the command, and what can be wrong with its input.

use std::fmt;
use std::io;

use agentltl::TraceError;
use serde::Serialize;

/// Why the command cannot go on.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of the output is gone.
    ClosedPipe,
    /// The output cannot be written.
    Write(String, io::Error),
    /// The input is wrong, and has been reported or is described here.
    Input(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::ClosedPipe => f.write_str("the output is closed"),
            Failure::Write(what, error) => write!(f, "cannot write {what}: {error}"),
            Failure::Input(message) => f.write_str(message),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::ClosedPipe
        } else {
            Failure::Write("the output".to_owned(), error)
        }
    }
}

/// Something that is no run: where it is, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct BadInput {
    /// The file, or `-`.
    pub(crate) source: String,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    /// The way to the value at fault, such as `messages[3].role`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) path: String,
    pub(crate) message: String,
}

impl BadInput {
    pub(crate) fn new(source: &str, line: Option<usize>, message: impl Into<String>) -> Self {
        BadInput {
            source: source.to_owned(),
            line,
            path: String::new(),
            message: message.into(),
        }
    }

    /// An error of a value that stands on `line`, or at `path` in it.
    pub(crate) fn of(source: &str, line: Option<usize>, path: &str, error: &TraceError) -> Self {
        let dot = if path.is_empty() || error.path.is_empty() || error.path.starts_with('[') {
            ""
        } else {
            "."
        };
        BadInput {
            source: source.to_owned(),
            line: line.or(error.line),
            path: format!("{path}{dot}{}", error.path),
            message: error.problem.to_string(),
        }
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.path.is_empty() {
            write!(f, ": {}", self.path)?;
        }
        write!(f, ": {}", self.message)
    }
}
