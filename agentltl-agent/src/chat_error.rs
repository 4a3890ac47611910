//! Why a model did not answer.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A model that did not answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ChatError {
    /// The endpoint could not be reached, or the connection broke.
    Connection {
        /// How often it was tried.
        attempts: u32,
        /// What the last attempt ran into.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The endpoint did not answer in time.
    Timeout {
        /// How often it was tried.
        attempts: u32,
        /// How long each attempt was given.
        after: Duration,
    },
    /// The endpoint refused.
    Status {
        /// How often it was tried.
        attempts: u32,
        /// The HTTP status of the last attempt.
        status: u16,
        /// The beginning of what it said.
        message: String,
    },
    /// The answer cannot be read.
    InvalidResponse {
        /// What is wrong with it, and where.
        message: String,
        /// The beginning of the answer.
        excerpt: String,
    },
    /// The answer is longer than allowed.
    TooLarge {
        /// The bytes allowed.
        limit: usize,
    },
    /// Another provider's error.
    Other(Arc<dyn Error + Send + Sync>),
}

impl ChatError {
    /// An error of a model of your own.
    ///
    /// ```
    /// use agentltl_agent::ChatError;
    /// assert_eq!(ChatError::other("no more quota").to_string(), "the model failed: no more quota");
    /// ```
    pub fn other(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        ChatError::Other(error.into().into())
    }
}

impl fmt::Display for ChatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChatError::Connection { attempts, source } => {
                write!(f, "the endpoint cannot be reached{}: ", Attempts(*attempts))?;
                chain(&**source, f)
            }
            ChatError::Timeout { attempts, after } => {
                write!(
                    f,
                    "the endpoint did not answer within {after:?}{}",
                    Attempts(*attempts)
                )
            }
            ChatError::Status {
                attempts,
                status,
                message,
            } => {
                write!(
                    f,
                    "the endpoint answered with status {status}{}",
                    Attempts(*attempts)
                )?;
                if message.is_empty() {
                    Ok(())
                } else {
                    write!(f, ": {message}")
                }
            }
            ChatError::InvalidResponse { message, excerpt } => {
                write!(
                    f,
                    "the answer cannot be read: {message}; it begins {excerpt:?}"
                )
            }
            ChatError::TooLarge { limit } => {
                write!(f, "the answer is longer than {limit} bytes")
            }
            ChatError::Other(error) => {
                f.write_str("the model failed: ")?;
                chain(&**error, f)
            }
        }
    }
}

struct Attempts(u32);

impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 | 1 => Ok(()),
            attempts => write!(f, " ({attempts} attempts)"),
        }
    }
}

/// The error and what caused it: HTTP errors say little by themselves.
fn chain(error: &(dyn Error + 'static), f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{error}")?;
    let mut cause = error.source();
    while let Some(error) = cause {
        write!(f, ": {error}")?;
        cause = error.source();
    }
    Ok(())
}

// The causes are part of the text, so they are not offered as a source besides.
impl Error for ChatError {}
