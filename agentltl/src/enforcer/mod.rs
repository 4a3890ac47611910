//! The run-time guard: judges each call before it runs.

use std::fmt;

use serde_json::Value as Json;

use crate::call::{Generation, ToolCall};
use agentltl_core::Policy;

mod chain;
mod check;
mod decision;
mod error;
mod feedback;
mod flight;
mod judges;
mod log;
mod proposal;
mod restore;
mod run;
mod settings;
mod shared;
mod state;
mod status;
mod sync;
mod termination;

pub use decision::{Action, Decision, Fault, SoftBlockCount, Violation};
pub use error::{ConstraintViolationError, EnforcerError, NotInFlight, ViolationType};
pub use feedback::feedback;
pub use flight::CallId;
pub use log::{BlockedCall, OverrideRecord, ViolationRecord};
pub use proposal::{Chain, Proposal};
pub(crate) use restore::check_nesting;
pub use restore::{FromStateError, StateError, parse_state};
pub use run::RunStatus;
pub use settings::{BoxError, EnforcerBuilder, SoftBlockMode, UnknownSoftBlockMode};
pub use shared::{InFlight, SharedEnforcer};
pub use state::StateLimits;
pub use status::{ConstraintStatus, Dropped};

use judges::Judges;
use run::Run;
use settings::Settings;

/// Judges the calls an agent wants to make against a policy, one by one, and keeps the trace of those
/// that ran.
///
/// A call is refused only for what it newly breaks. What a refusal does depends on the constraint's
/// severity, and the strongest one broken decides:
///
/// | severity | action | the call is refused, and .. |
/// |---|---|---|
/// | HARD_STOP | stop | the run stops; with `latch_stop` every later call is refused until [`resume`](Self::resume) |
/// | PERSISTENT_BLOCK | block | the agent must do something else |
/// | ASK | ask | a human decides |
/// | SOFT_BLOCK | retry | after `max_soft_attempts` it escalates |
/// | BLOCK_AND_WARN | warn | the agent may insist: the identical call as the very next one of a later generation |
/// | TOLERATE | allow | is not: the call runs, and the violation is in the notes |
///
/// A constraint that cannot be judged, because a predicate in it panics, refuses the call.
///
/// A call that ran is [recorded](Self::record). One that takes its time is [started](Self::start)
/// and counts from then on, then [completed](Self::complete) or [withdrawn](Self::withdraw). Many
/// tasks share an enforcer through [`SharedEnforcer`](crate::SharedEnforcer).
///
/// ```
/// use agentltl::{Action, Constraint, Enforcer, Policy, Severity, ToolCall, build::before};
///
/// let policy = Policy::new([
///     Constraint::new("test-first", before("test", "deploy"))
///         .with_severity(Severity::PersistentBlock)
///         .with_repair("Call test first."),
/// ])?;
/// let mut enforcer = Enforcer::new(policy)?;
///
/// let decision = enforcer.check(&ToolCall::new("deploy"));
/// assert_eq!(decision.action, Action::Block);
/// assert!(decision.feedback.contains("Call test first."));
///
/// assert!(enforcer.check(&ToolCall::new("test")).allowed());
/// enforcer.record(ToolCall::new("test").with_result("passed"));
/// assert!(enforcer.check(&ToolCall::new("deploy")).allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Enforcer {
    policy: Policy,
    settings: Settings,
    judges: Judges,
    run: Run,
}

impl Enforcer {
    /// An enforcer with the default settings.
    ///
    /// # Errors
    /// See [`EnforcerBuilder::build`].
    pub fn new(policy: Policy) -> Result<Self, EnforcerError> {
        Enforcer::builder(policy).build()
    }

    /// Chooses the settings of an enforcer.
    pub fn builder(policy: Policy) -> EnforcerBuilder {
        EnforcerBuilder::new(policy)
    }

    fn assemble(policy: Policy, settings: Settings) -> Self {
        let run = Run::new(settings.log_limit);
        Enforcer {
            judges: Judges::new(&policy, &run.trace),
            policy,
            settings,
            run,
        }
    }

    /// Judges a call that the agent wants to make. Nothing is recorded as run.
    pub fn check<'a>(&mut self, proposal: impl Into<Proposal<'a>>) -> Decision {
        let proposal = proposal.into();
        self.run.enter_generation(proposal.key());
        self.decide(&proposal.call, proposal.step_number)
    }

    /// Judges a call and, where it is allowed, [starts](Self::start) it.
    ///
    /// ```
    /// use agentltl::{Enforcer, Policy, ToolCall};
    /// let mut enforcer = Enforcer::new(Policy::default())?;
    /// let (decision, id) = enforcer.check_and_start(ToolCall::new("search"));
    /// match id {
    ///     Some(id) => enforcer.complete(id, "3 hits", None)?,
    ///     None => println!("{}", decision.feedback),
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_and_start<'a>(
        &mut self,
        proposal: impl Into<Proposal<'a>>,
    ) -> (Decision, Option<CallId>) {
        let proposal = proposal.into();
        self.run.enter_generation(proposal.key());
        let decision = self.decide(&proposal.call, proposal.step_number);
        let id = decision
            .allowed()
            .then(|| self.start(proposal.call.into_owned()));
        (decision, id)
    }

    /// Adds a call that ran to the trace.
    pub fn record(&mut self, call: ToolCall) {
        self.push(call);
    }

    /// Adds a call that ran to the trace, with what it returned.
    pub fn record_completed(
        &mut self,
        mut call: ToolCall,
        result: impl Into<Json>,
        status: Option<i64>,
    ) {
        call.result = Some(result.into());
        call.status = status;
        self.push(call);
    }

    /// Adds a call that starts now. It counts at once for the calls judged after it, its result
    /// unknown; the order of the trace is the order of starts.
    ///
    /// It is then [completed](Self::complete), [abandoned](Self::abandon) or
    /// [withdrawn](Self::withdraw), in any order with others.
    pub fn start(&mut self, mut call: ToolCall) -> CallId {
        (call.result, call.status) = (None, None);
        let position = self.run.trace.len();
        self.push(call);
        self.run.flights.start(position)
    }

    fn push(&mut self, call: ToolCall) {
        self.run.outdate_last_blocked();
        self.run.trace.push(call);
        self.judges.recorded(&self.policy, &self.run.trace);
    }

    /// A call in flight has returned.
    ///
    /// # Errors
    /// Where the call is not in flight.
    pub fn complete(
        &mut self,
        id: CallId,
        result: impl Into<Json>,
        status: Option<i64>,
    ) -> Result<(), NotInFlight> {
        let position = self.run.flights.close(id).ok_or(NotInFlight { id })?;
        if let Some(call) = self.run.trace.calls_mut().get_mut(position) {
            call.result = Some(result.into());
            call.status = status;
        }
        self.changed_from(position);
        Ok(())
    }

    /// A call in flight has ended, or may have, and its result will never be known. It stays in the
    /// trace: it may have had its effects.
    ///
    /// # Errors
    /// Where the call is not in flight.
    pub fn abandon(&mut self, id: CallId) -> Result<(), NotInFlight> {
        self.run
            .flights
            .close(id)
            .map(|_| ())
            .ok_or(NotInFlight { id })
    }

    /// A call in flight never ran: it leaves the trace, as if it had never started. Calls allowed
    /// meanwhile because of it remain.
    ///
    /// # Errors
    /// Where the call is not in flight.
    pub fn withdraw(&mut self, id: CallId) -> Result<ToolCall, NotInFlight> {
        let position = self.run.flights.withdraw(id).ok_or(NotInFlight { id })?;
        let call = self.run.trace.calls_mut().remove(position);
        self.changed_from(position);
        Ok(call)
    }

    fn changed_from(&mut self, position: usize) {
        self.run.outdate_last_blocked();
        self.judges
            .changed_from(&self.policy, &self.run.trace, position);
    }

    /// The calls in flight, in the order they started.
    pub fn in_flight(&self) -> impl Iterator<Item = (CallId, &ToolCall)> {
        let calls = self.run.trace.iter().enumerate();
        let mut open = self.run.flights.open.iter().peekable();
        calls.filter_map(move |(position, call)| {
            let (id, _) = open.next_if(|(_, at)| *at == position)?;
            Some((*id, call))
        })
    }

    /// Begins a new model completion. A BLOCK_AND_WARN override needs the identical call in a later
    /// one, so that identical calls issued together do not count as insisting. A program that cannot
    /// call this once a completion gives each call its [generation](Proposal::generation) instead.
    pub fn begin_generation(&mut self, key: Option<Generation>) {
        self.run.begin_generation(key.as_ref());
    }

    /// Lifts a stop: the next call is judged again.
    pub fn resume(&mut self) {
        self.run.latched = None;
        self.run.status = RunStatus::Completed;
        self.run.stopped_by = None;
    }

    /// The constraint whose stop is latched, if one is.
    #[must_use]
    pub fn stopped(&self) -> Option<&str> {
        self.run
            .latched
            .as_ref()
            .map(|violation| violation.constraint_name.as_str())
    }

    /// Forgets the run: trace, counters and logs. Policy and settings stay.
    pub fn reset(&mut self) {
        let next = self.run.flights.next;
        self.run = Run::new(self.settings.log_limit);
        // An id that is still about must not mean another call.
        self.run.flights.next = next;
        self.judges.changed_from(&self.policy, &self.run.trace, 0);
    }

    /// Replaces the constraints; the trace, the counters and the other settings stay. Severities that
    /// were [set by name](EnforcerBuilder::severity) go on applying to constraints of that name.
    ///
    /// # Errors
    /// Under `strict_runtime_safety`, where a constraint's class does not suit its severity; the old
    /// constraints then stay.
    pub fn set_policy(&mut self, policy: Policy) -> Result<(), EnforcerError> {
        self.settings.check_runtime_safety(&policy)?;
        self.policy = policy;
        self.judges = Judges::new(&self.policy, &self.run.trace);
        self.run.outdate_last_blocked();
        Ok(())
    }

    /// The constraints.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The calls that ran or are in flight, in the order they started.
    #[must_use]
    pub fn trace(&self) -> &crate::Trace {
        &self.run.trace
    }
}

impl fmt::Debug for Enforcer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Enforcer")
            .field("policy", &self.policy)
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}
