//! Settings of an agent.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use agentltl::{Enforcer, EnforcerBuilder, Policy, PolicyError};

use super::{Agent, AgentError, Inner};
use crate::approval::{AnyApprover, Approver};
use crate::chat::{AnyModel, ChatModel};
use crate::event::{Event, Listeners};
use crate::tool::DynTool;
use crate::toolbox::{NameClash, Offer, Toolbox};

const SYSTEM_PROMPT: &str = "You carry out the user's task with the tools you are given. Call tools \
as you need them, read what they return, and go on. A refused call comes back with the rule that \
refused it: do what the rule asks for. When the task is done, answer in a few words, without calling a tool.";

/// A model, tools, rules and limits; see [`Agent::builder`].
#[derive(Clone)]
#[must_use = "call `build`"]
pub struct AgentBuilder {
    model: Option<Arc<dyn AnyModel>>,
    offers: Vec<Offer>,
    name_clash: NameClash,
    approver: Option<Arc<dyn AnyApprover>>,
    listeners: Listeners,
    system_prompt: String,
    max_steps: u64,
    max_blocked_steps: Option<u64>,
    max_concurrent_calls: usize,
    tool_timeout: Option<Duration>,
    enforcer: EnforcerBuilder,
    strict_runtime_safety: bool,
    known_tools_only: bool,
}

impl AgentBuilder {
    pub(super) fn new() -> Self {
        AgentBuilder {
            model: None,
            offers: Vec::new(),
            name_clash: NameClash::Refuse,
            approver: None,
            listeners: Listeners::default(),
            system_prompt: SYSTEM_PROMPT.to_owned(),
            max_steps: 10,
            max_blocked_steps: None,
            max_concurrent_calls: 8,
            tool_timeout: Some(Duration::from_secs(300)),
            enforcer: Enforcer::builder(Policy::default()),
            strict_runtime_safety: false,
            known_tools_only: false,
        }
    }

    /// The model.
    pub fn model(mut self, model: impl ChatModel + 'static) -> Self {
        self.model = Some(Arc::new(model));
        self
    }

    /// One more tool: a [`Tool`](crate::Tool), or what [`tool_fn`](crate::tool_fn) makes of a closure.
    pub fn tool(self, tool: impl DynTool) -> Self {
        self.shared_tool(Arc::new(tool))
    }

    /// One more tool, which others use as well.
    pub fn shared_tool(mut self, tool: Arc<dyn DynTool>) -> Self {
        self.offers.push(Offer { server: None, tool });
        self
    }

    /// The tools of MCP servers, beside the others.
    #[cfg(feature = "mcp")]
    pub fn mcp(mut self, servers: &crate::mcp::McpServers) -> Self {
        self.offers.extend(servers.offers());
        self
    }

    /// What becomes of tools that share a name: refused by default.
    pub fn name_clash(mut self, clash: NameClash) -> Self {
        self.name_clash = clash;
        self
    }

    /// The rules, with the default settings of [`Enforcer`].
    pub fn policy(self, policy: Policy) -> Self {
        self.enforcer(Enforcer::builder(policy))
    }

    /// The rules, with settings: how often soft blocks are tried, nudges, severities by name.
    pub fn enforcer(mut self, enforcer: EnforcerBuilder) -> Self {
        self.enforcer = enforcer;
        self
    }

    /// Refuse to build where a rule's class does not suit its severity, as the policy can also ask
    /// for. A policy that `constraints!` proved under `strict_runtime_safety` always passes.
    pub fn strict_runtime_safety(mut self, strict: bool) -> Self {
        self.strict_runtime_safety = strict;
        self
    }

    /// Refuse to build where a rule speaks of a tool that the agent does not have. Otherwise each
    /// such rule is a warning through `tracing`.
    pub fn known_tools_only(mut self, only: bool) -> Self {
        self.known_tools_only = only;
        self
    }

    /// Who decides about calls that an ASK constraint refused. Without one they stay refused.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Hears what happens in every run of the agent. It must not block: send the event elsewhere for
    /// slow work.
    ///
    /// ```
    /// use agentltl_agent::{Agent, Event};
    /// let (sender, mut events) = tokio::sync::mpsc::unbounded_channel::<Event>();
    /// let builder = Agent::builder().on_event(move |event| {
    ///     let _ = sender.send(event);
    /// });
    /// ```
    pub fn on_event(mut self, listener: impl Fn(Event) + Send + Sync + 'static) -> Self {
        self.listeners.add(listener);
        self
    }

    /// What the model is told first; empty for nothing.
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = prompt.into();
        self
    }

    /// How often the model is asked in a turn: 10 times by default.
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.max_steps = steps;
        self
    }

    /// How many steps in which nothing ran a turn may have beyond `max_steps`. By default they
    /// count as steps.
    pub fn max_blocked_steps(mut self, steps: impl Into<Option<u64>>) -> Self {
        self.max_blocked_steps = steps.into();
        self
    }

    /// How many calls of one completion run at once: 8 by default; 1 runs them one after the other.
    ///
    /// Calls run at once only as far as the rules cannot tell the difference: one that is allowed
    /// only because of a call still in flight waits for it to end, and where a rule looks at
    /// results (`called_with_result`, `results`, Rust code), every call does.
    pub fn max_concurrent_calls(mut self, calls: usize) -> Self {
        self.max_concurrent_calls = calls.max(1);
        self
    }

    /// How long a call may run: five minutes by default; `None` for as long as it takes. A tool that
    /// blocks its thread cannot be cut short: run its work with `tokio::task::spawn_blocking`.
    pub fn tool_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.tool_timeout = timeout.into();
        self
    }

    /// The agent.
    ///
    /// # Errors
    /// Where there is no model, tools share a name or have one that endpoints refuse, the enforcer
    /// cannot be built, or a check asked for fails.
    pub fn build(self) -> Result<Agent, AgentError> {
        let model = self.model.ok_or(AgentError::NoModel)?;
        let toolbox = Toolbox::new(&self.offers, self.name_clash)?;
        let enforcer = if self.strict_runtime_safety {
            self.enforcer.strict_runtime_safety(true)
        } else {
            self.enforcer
        };
        let enforcer = enforcer.build()?;
        if let Err(error) = check_tools(enforcer.policy(), &toolbox) {
            if self.known_tools_only {
                return Err(AgentError::UnknownTools(error));
            }
            for problem in error.problems() {
                tracing::warn!("{problem}");
            }
        }
        Ok(Agent {
            inner: Arc::new(Inner {
                model,
                toolbox,
                approver: self.approver,
                listeners: self.listeners,
                system_prompt: self.system_prompt,
                max_steps: self.max_steps,
                max_blocked_steps: self.max_blocked_steps,
                max_concurrent_calls: self.max_concurrent_calls,
                tool_timeout: self.tool_timeout,
                enforcer,
            }),
        })
    }
}

/// Do the rules speak of the agent's tools only?
fn check_tools(policy: &Policy, toolbox: &Toolbox) -> Result<(), PolicyError> {
    let names = toolbox.definitions().iter().map(|tool| tool.name.clone());
    Policy::builder()
        .constraints(policy.constraints().iter().cloned())
        .tools(names)
        .build()
        .map(drop)
}

impl fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentBuilder")
            .field("enforcer", &self.enforcer)
            .finish_non_exhaustive()
    }
}
