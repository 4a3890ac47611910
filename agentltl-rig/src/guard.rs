//! The hook.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use agentltl::{
    Action, Decision, Enforcer, EnforcerBuilder, EnforcerError, InFlight, Policy, Proposal,
    SharedEnforcer, ToolCall,
};
use rig_agent::agent::{
    AgentHook, DispatchAction, DispatchEvent, HookContext, ModelTurnAction, ModelTurnFinished,
    OutcomeAction, OutcomeEvent, RunSettled, StepEventKind,
};
use rig_agent::core::message::AssistantContent;
use rig_agent::core::tool::ToolOutput;
use serde_json::{Map, Value as Json};

use crate::approval::{Approval, ApprovalRequest, Approver};
use crate::run::{Flight, GuardedRun, RunState, RunStates};

/// Rules on the tool calls of a rig agent: a hook for `AgentBuilder::add_hook`.
///
/// Each run has a trace of its own, unless the guard is made [over](Self::over) one that is shared.
/// Clones are handles to the same guard. Hooks run in the order they were added: one that comes later
/// and changes a call's arguments stops the run, as those were not judged.
#[derive(Clone)]
pub struct Guard {
    inner: Arc<Inner>,
}

struct Inner {
    source: Source,
    approver: Option<Approver>,
    last: Mutex<Option<GuardedRun>>,
    /// Held while a run gets its state: two calls that come first must not both make one.
    making: Mutex<()>,
}

#[derive(Clone)]
enum Source {
    /// Each run starts with a copy.
    Fresh(Box<Enforcer>),
    Shared(SharedEnforcer),
}

impl Guard {
    /// A guard with the default settings of [`Enforcer`].
    ///
    /// # Errors
    /// See [`EnforcerBuilder::build`].
    pub fn new(policy: Policy) -> Result<Self, EnforcerError> {
        Guard::with_settings(Enforcer::builder(policy))
    }

    /// A guard with settings: how often soft blocks are tried, nudges, severities by name.
    ///
    /// ```
    /// use agentltl::{Enforcer, Policy};
    /// use agentltl_rig::Guard;
    /// let guard = Guard::with_settings(Enforcer::builder(Policy::default()).max_termination_nudges(2))?;
    /// # Ok::<(), agentltl::EnforcerError>(())
    /// ```
    ///
    /// # Errors
    /// See [`EnforcerBuilder::build`].
    pub fn with_settings(settings: EnforcerBuilder) -> Result<Self, EnforcerError> {
        let enforcer = Box::new(settings.build()?);
        Ok(Guard::of(Source::Fresh(enforcer), None))
    }

    /// A guard over one trace that goes on through all runs: a conversation, or several agents.
    #[must_use]
    pub fn over(enforcer: SharedEnforcer) -> Self {
        Guard::of(Source::Shared(enforcer), None)
    }

    /// The guard with someone who decides about calls that an ASK constraint refused. Without one
    /// they stay refused.
    ///
    /// ```
    /// use agentltl::Policy;
    /// use agentltl_rig::{Approval, ApprovalRequest, Guard};
    /// let guard = Guard::new(Policy::default())?.with_approver(|request: ApprovalRequest| async move {
    ///     println!("{} wants to run", request.call.tool_name);
    ///     Approval::Denied { reason: "not today".to_owned() }
    /// });
    /// # Ok::<(), agentltl::EnforcerError>(())
    /// ```
    #[must_use]
    pub fn with_approver<F, R>(self, approver: F) -> Self
    where
        F: Fn(ApprovalRequest) -> R + Send + Sync + 'static,
        R: Future<Output = Approval> + Send + 'static,
    {
        let approver: Approver = Arc::new(move |request| Box::pin(approver(request)));
        Guard::of(self.inner.source.clone(), Some(approver))
    }

    fn of(source: Source, approver: Option<Approver>) -> Self {
        Guard {
            inner: Arc::new(Inner {
                source,
                approver,
                last: Mutex::default(),
                making: Mutex::default(),
            }),
        }
    }

    /// The run that ended last.
    #[must_use]
    pub fn last_run(&self) -> Option<GuardedRun> {
        let last = self.inner.last.lock();
        last.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn run(&self, ctx: &HookContext) -> RunState {
        let key = Arc::as_ptr(&self.inner) as usize;
        let _making = self.inner.making.lock();
        ctx.scratchpad().update(|states: &mut RunStates| {
            let fresh = || {
                RunState::new(match &self.inner.source {
                    Source::Fresh(enforcer) => SharedEnforcer::new((**enforcer).clone()),
                    Source::Shared(enforcer) => enforcer.clone(),
                })
            };
            states.0.entry(key).or_insert_with(fresh).clone()
        })
    }

    /// Starts the call, or says what becomes of it instead.
    async fn admit(
        &self,
        call: ToolCall,
        run: &RunState,
        turn: i64,
    ) -> Result<InFlight, DispatchAction> {
        let proposal = || Proposal::new(&call).step_number(turn);
        let decision = match run.enforcer.start(proposal()) {
            Ok(ticket) => return Ok(ticket),
            Err(decision) => decision,
        };
        if decision.action != Action::Ask {
            return Err(refusal(&decision));
        }
        let feedback = decision.feedback.clone();
        let Some(approver) = &self.inner.approver else {
            return Err(DispatchAction::skip(format!(
                "{feedback}\nNobody is here to approve it."
            )));
        };
        let request = ApprovalRequest::new(call.clone(), Arc::new(*decision));
        match approver(request).await {
            Approval::Approved => run
                .enforcer
                .start_approved(proposal())
                .map_err(|decision| refusal(&decision)),
            Approval::Denied { reason } if reason.is_empty() => Err(DispatchAction::skip(format!(
                "{feedback}\nThe human denied it."
            ))),
            Approval::Denied { reason } => Err(DispatchAction::skip(format!(
                "{feedback}\nThe human denied it: {reason}"
            ))),
        }
    }
}

fn refusal(decision: &Decision) -> DispatchAction {
    if decision.action == Action::Stop {
        DispatchAction::stop(&decision.feedback)
    } else {
        DispatchAction::skip(&decision.feedback)
    }
}

impl AgentHook for Guard {
    fn name(&self) -> Option<String> {
        Some("agentltl".to_owned())
    }

    fn observes(&self, kind: StepEventKind) -> bool {
        matches!(
            kind,
            StepEventKind::ToolDispatch
                | StepEventKind::ModelTurnFinished
                | StepEventKind::RunSettled
        )
    }

    async fn on_dispatch(&self, ctx: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        let (Some(tool), Some(arguments)) = (event.tool_name(), event.tool_args()) else {
            return DispatchAction::proceed();
        };
        let mut call = ToolCall::new(tool);
        match read(arguments) {
            Ok(arguments) => call.arguments = arguments,
            // What cannot be judged does not run.
            Err(error) => {
                return DispatchAction::skip(format!(
                    "Not executed: the arguments are not a JSON object: {error}"
                ));
            }
        }
        call.id = event.call_id.map(ToString::to_string);
        // Turns of different runs are different generations, also over one shared trace.
        call = call.with_generation(format!("{}/{}", ctx.run_id(), event.turn));
        let run = self.run(ctx);
        let turn = i64::try_from(event.turn).unwrap_or(i64::MAX);
        match self.admit(call, &run, turn).await {
            Ok(ticket) => {
                let arguments = arguments.to_owned();
                run.started(event.id, Flight { ticket, arguments });
                DispatchAction::proceed()
            }
            Err(action) => action,
        }
    }

    async fn on_outcome(&self, ctx: &HookContext, event: OutcomeEvent<'_>) -> OutcomeAction {
        let run = self.run(ctx);
        let Some(Flight { ticket, arguments }) = run.ended(event.id) else {
            return OutcomeAction::proceed();
        };
        // Without a result the ticket is dropped: the call stays in the trace, its result unknown.
        let noted = match event.tool_result() {
            None => Ok(()),
            // Another hook denied it.
            Some(result) if result.is_skipped() => ticket.withdraw().map(drop),
            Some(result) => {
                let status = i64::from(!result.is_success());
                ticket.complete(json(result.output()), Some(status))
            }
        };
        if let Err(error) = noted {
            // The caller reset the enforcer meanwhile.
            tracing::debug!("{error}");
        }
        let ran_as_judged = event.tool_args() == Some(&*arguments);
        let ran = !event
            .tool_result()
            .is_some_and(|result| result.is_skipped());
        if ran && !ran_as_judged {
            return OutcomeAction::stop(
                "a hook changed a call's arguments after they had been judged; add the guard after it",
            );
        }
        OutcomeAction::proceed()
    }

    async fn on_model_turn_finished(
        &self,
        ctx: &HookContext,
        event: ModelTurnFinished<'_>,
    ) -> ModelTurnAction {
        let wants_calls =
            |content: &AssistantContent| matches!(content, AssistantContent::ToolCall(_));
        if event.content.iter().any(wants_calls) {
            return ModelTurnAction::continue_run();
        }
        let decision = self.run(ctx).enforcer.check_termination();
        if decision.allowed() {
            ModelTurnAction::continue_run()
        } else {
            ModelTurnAction::retry_with_feedback(decision.feedback)
        }
    }

    async fn on_run_settled(&self, ctx: &HookContext, _: RunSettled<'_>) {
        let run = self.run(ctx).settle();
        let mut last = self
            .inner
            .last
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *last = Some(run);
    }
}

fn read(arguments: &str) -> Result<Map<String, Json>, serde_json::Error> {
    match arguments.trim() {
        "" | "null" => Ok(Map::new()),
        text => serde_json::from_str(text),
    }
}

fn json(output: &ToolOutput) -> Json {
    output
        .as_json()
        .cloned()
        .unwrap_or_else(|| Json::String(output.render()))
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guard")
    }
}
