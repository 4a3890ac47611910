//! A model that says what it was told to.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::chat::{ChatModel, ChatRequest, Completion, Message};
use crate::chat_error::ChatError;

/// A model that says what it was told to, one completion after the other: for tests and for trying
/// rules without a key. Past its last line it fails.
///
/// ```
/// use agentltl_agent::{Agent, Completion, ScriptedModel};
/// use std::sync::Arc;
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = Arc::new(ScriptedModel::new([Completion::answer("4")]));
/// let agent = Agent::builder().model(Arc::clone(&model)).build()?;
/// assert_eq!(agent.run("2 + 2?").await.answer.as_deref(), Some("4"));
/// assert_eq!(model.heard()[0].last().map(|message| message.content()), Some("2 + 2?"));
/// # Ok(()) }
/// ```
pub struct ScriptedModel {
    state: Mutex<State>,
}

struct State {
    lines: VecDeque<Completion>,
    heard: Vec<Vec<Message>>,
}

impl ScriptedModel {
    /// A model with these lines.
    pub fn new(lines: impl IntoIterator<Item = Completion>) -> Self {
        ScriptedModel {
            state: Mutex::new(State {
                lines: lines.into_iter().collect(),
                heard: Vec::new(),
            }),
        }
    }

    /// The conversations it was asked to go on with, oldest first.
    #[must_use]
    pub fn heard(&self) -> Vec<Vec<Message>> {
        self.with(|state| state.heard.clone())
    }

    fn with<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ChatModel for ScriptedModel {
    async fn complete(&self, request: ChatRequest<'_>) -> Result<Completion, ChatError> {
        self.with(|state| {
            state.heard.push(request.messages.to_vec());
            state
                .lines
                .pop_front()
                .ok_or_else(|| ChatError::other("the script is over"))
        })
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = self.with(|state| state.lines.len());
        f.debug_struct("ScriptedModel")
            .field("left", &left)
            .finish()
    }
}
