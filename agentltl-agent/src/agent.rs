//! The agent: a model, tools, rules.

mod builder;
mod error;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use agentltl::{Enforcer, Policy};

pub use builder::AgentBuilder;
pub use error::AgentError;

use crate::approval::AnyApprover;
use crate::chat::AnyModel;
use crate::conversation::{Conversation, ConversationResult, RunOptions};
use crate::event::Listeners;
use crate::result::RunResult;
use crate::tool::ToolDefinition;
use crate::toolbox::Toolbox;

/// A model that calls tools, each call judged by the rules before it runs.
///
/// The agent itself holds no run: each [`run`](Self::run) starts afresh, many may go on at once, and
/// a [`conversation`](Self::conversation) is a run of several turns. It needs a tokio runtime with
/// timers.
///
/// ```
/// use agentltl::{Constraint, Policy, build::before, verify};
/// use agentltl_agent::{Agent, Completion, NoArguments, ScriptedModel, ToolCallRequest, tool_fn};
/// use serde_json::json;
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tool = |name: &str| tool_fn(name, "Does its part.", async |_: NoArguments| {
///     Ok::<_, std::convert::Infallible>("done")
/// });
/// let policy = Policy::new([Constraint::new("order", before("fetch", "process"))])?;
/// let agent = Agent::builder()
///     .model(ScriptedModel::new([
///         Completion::calls([ToolCallRequest::new("fetch", json!({}))]),
///         Completion::calls([ToolCallRequest::new("process", json!({}))]),
///         Completion::answer("All done."),
///     ]))
///     .tool(tool("fetch"))
///     .tool(tool("process"))
///     .policy(policy.clone())
///     .build()?;
///
/// let result = agent.run("Fetch the data and process it.").await;
/// assert_eq!(result.answer.as_deref(), Some("All done."));
/// assert_eq!(verify(&policy, &result.metrics.tool_calls).compliance_score, 1.0);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Agent {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) model: Arc<dyn AnyModel>,
    pub(crate) toolbox: Toolbox,
    pub(crate) approver: Option<Arc<dyn AnyApprover>>,
    pub(crate) listeners: Listeners,
    pub(crate) system_prompt: String,
    pub(crate) max_steps: u64,
    pub(crate) max_blocked_steps: Option<u64>,
    pub(crate) max_concurrent_calls: usize,
    pub(crate) tool_timeout: Option<Duration>,
    /// Each run starts with a copy.
    pub(crate) enforcer: Enforcer,
}

impl Agent {
    /// Chooses a model, tools, rules and limits.
    pub fn builder() -> AgentBuilder {
        AgentBuilder::new()
    }

    /// Runs one task from the beginning.
    pub async fn run(&self, task: impl Into<String>) -> RunResult {
        self.conversation().turn(task).await
    }

    /// Runs one task from the beginning, with options.
    pub async fn run_with(&self, task: impl Into<String>, options: RunOptions) -> RunResult {
        self.conversation().turn_with(task, options).await
    }

    /// A conversation in which nothing has been said.
    #[must_use]
    pub fn conversation(&self) -> Conversation {
        Conversation::new(self.clone(), self.inner.enforcer.clone().into())
    }

    /// Runs one conversation of several turns, up to the first that breaks off.
    pub async fn run_turns<T: Into<String>>(
        &self,
        turns: impl IntoIterator<Item = T>,
    ) -> ConversationResult {
        let turns: Vec<String> = turns.into_iter().map(Into::into).collect();
        self.conversation().run(turns).await
    }

    /// What the model is told of the tools.
    #[must_use]
    pub fn tools(&self) -> &[ToolDefinition] {
        self.inner.toolbox.definitions()
    }

    /// The rules.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        self.inner.enforcer.policy()
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.tools().iter().map(|tool| &*tool.name).collect();
        f.debug_struct("Agent")
            .field("tools", &tools)
            .field("max_steps", &self.inner.max_steps)
            .finish_non_exhaustive()
    }
}
