//! What is different in one run.

use std::fmt;

use tokio_util::sync::CancellationToken;

use crate::event::{Event, Listeners};

/// Who listens to a run, and who may cancel it.
///
/// ```
/// use agentltl_agent::{CancellationToken, RunOptions};
/// let token = CancellationToken::new();
/// let options = RunOptions::new()
///     .cancellation(token.clone())
///     .on_event(|event| println!("{event:?}"));
/// token.cancel();
/// ```
#[derive(Clone, Default)]
#[must_use = "pass it to `run_with` or `turn_with`"]
pub struct RunOptions {
    pub(super) listeners: Listeners,
    pub(super) cancellation: Option<CancellationToken>,
}

impl RunOptions {
    /// Nothing special.
    pub fn new() -> Self {
        RunOptions::default()
    }

    /// Hears what happens, besides those who listen to the agent. It must not block.
    pub fn on_event(mut self, listener: impl Fn(Event) + Send + Sync + 'static) -> Self {
        self.listeners.add(listener);
        self
    }

    /// Ends the run when the token is cancelled. The calls in flight stop where they can be stopped,
    /// and stay in the trace with their results unknown.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = Some(token);
        self
    }
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions")
            .field("cancellation", &self.cancellation)
            .finish_non_exhaustive()
    }
}
