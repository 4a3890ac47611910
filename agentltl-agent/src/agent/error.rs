//! Why an agent cannot be built.

use std::error::Error;
use std::fmt;

use agentltl::{EnforcerError, PolicyError};

use crate::toolbox::ToolNameError;

/// Settings from which no [`Agent`](crate::Agent) can be made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AgentError {
    /// There is no model.
    NoModel,
    /// The tools do not go together.
    Tools(ToolNameError),
    /// The enforcer cannot be made, for one because of `strict_runtime_safety`.
    Enforcer(EnforcerError),
    /// The rules speak of tools that the agent does not have.
    UnknownTools(PolicyError),
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AgentError::NoModel => f.write_str("the agent has no model: call `model`"),
            AgentError::Tools(error) => error.fmt(f),
            AgentError::Enforcer(error) => error.fmt(f),
            AgentError::UnknownTools(error) => error.fmt(f),
        }
    }
}

impl Error for AgentError {}

impl From<ToolNameError> for AgentError {
    fn from(error: ToolNameError) -> Self {
        AgentError::Tools(error)
    }
}

impl From<EnforcerError> for AgentError {
    fn from(error: EnforcerError) -> Self {
        AgentError::Enforcer(error)
    }
}
