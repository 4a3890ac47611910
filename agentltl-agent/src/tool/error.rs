//! Calls that do not give a result.

use std::fmt;

/// A call that failed. The model reads the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    message: String,
    ran: bool,
}

impl ToolError {
    /// The call ran and failed. It stays in the trace: it may have had effects.
    ///
    /// ```
    /// use agentltl_agent::ToolError;
    /// assert_eq!(ToolError::new("no such table").to_string(), "no such table");
    /// ```
    pub fn new(message: impl fmt::Display) -> Self {
        ToolError {
            message: message.to_string(),
            ran: true,
        }
    }

    /// The call certainly never ran, as when the server that has the tool is not there. It leaves the
    /// trace.
    pub fn never_ran(message: impl fmt::Display) -> Self {
        ToolError {
            message: message.to_string(),
            ran: false,
        }
    }

    /// Did the call run, or may it have?
    #[must_use]
    pub fn ran(&self) -> bool {
        self.ran
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ToolError {}

/// Arguments that a tool cannot be called with. The model reads the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidArguments {
    message: String,
}

impl InvalidArguments {
    /// What is wrong with them, and where.
    pub fn new(message: impl fmt::Display) -> Self {
        InvalidArguments {
            message: message.to_string(),
        }
    }
}

impl fmt::Display for InvalidArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InvalidArguments {}
