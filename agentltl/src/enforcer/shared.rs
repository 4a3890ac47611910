//! One enforcer for many tasks.
//!
//! This file uses the enforcer's public interface and `super::sync` only: a test compiles it a second
//! time, with the locks of a model checker.

use std::fmt;
use std::sync::PoisonError;

use serde_json::Value as Json;

use super::sync::{Arc, Mutex};
use crate::{
    CallId, Chain, ConstraintStatus, Decision, Enforcer, NotInFlight, Proposal, Severity, ToolCall,
    Violation,
};

/// A handle to an [`Enforcer`] that threads and tasks share.
///
/// Each method takes the lock for as long as it runs and never across an await. The constraints are
/// judged under it, so predicates and renderers must not use the handle themselves: they would wait
/// for ever.
///
/// A call is judged and started in one step, so that two parallel calls cannot both pass "at most
/// once":
///
/// ```
/// use agentltl::{Constraint, Enforcer, Policy, SharedEnforcer, ToolCall, build::called_n, Cmp};
///
/// let once = Constraint::new("once", called_n("deploy", Cmp::Le, 1));
/// let enforcer = SharedEnforcer::new(Enforcer::new(Policy::new([once])?)?);
///
/// let first = enforcer.start(ToolCall::new("deploy")).expect("nothing forbids the first");
/// let second = enforcer.clone().start(ToolCall::new("deploy"));
/// assert_eq!(second.unwrap_err().constraint_name(), Some("once"));
/// first.complete("deployed", None)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SharedEnforcer {
    enforcer: Arc<Mutex<Enforcer>>,
}

impl SharedEnforcer {
    /// Shares an enforcer.
    #[must_use]
    pub fn new(enforcer: Enforcer) -> Self {
        SharedEnforcer {
            enforcer: Arc::new(Mutex::new(enforcer)),
        }
    }

    /// Does something with the enforcer while no other task can, such as several steps at once.
    /// `work` must not use the handle, nor drop a ticket of it.
    pub fn with<R>(&self, work: impl FnOnce(&mut Enforcer) -> R) -> R {
        // The enforcer catches panics of user code itself; one in `work` leaves it between two of its
        // own steps, where it is whole.
        let mut enforcer = self.enforcer.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut enforcer)
    }

    /// Judges a call and starts it, in one step.
    ///
    /// # Errors
    /// Where the call is refused: the decision.
    pub fn start<'a>(&self, proposal: impl Into<Proposal<'a>>) -> Result<InFlight, Box<Decision>> {
        let (decision, id) = self.with(|enforcer| enforcer.check_and_start(proposal));
        match id {
            Some(id) => Ok(self.ticket(id, std::sync::Arc::new(decision))),
            None => Err(Box::new(decision)),
        }
    }

    /// Starts a call that a human approved after it was [refused](Self::start) with
    /// [`Action::Ask`](crate::Action::Ask).
    ///
    /// The run may have changed while the human thought, so the call is judged once more. The
    /// approval lifts ASK constraints and weaker ones, and none that is stronger.
    ///
    /// ```
    /// use agentltl::{build::{globally, now}, Constraint, Enforcer, Policy, Severity, SharedEnforcer, ToolCall};
    /// let policy = Policy::new([Constraint::new("ask-first", globally(!now("pay")))
    ///     .with_severity(Severity::Ask)])?;
    /// let enforcer = SharedEnforcer::new(Enforcer::new(policy)?);
    /// let refused = enforcer.start(ToolCall::new("pay")).expect_err("a human is asked");
    /// println!("{}", refused.feedback); // the human says yes
    /// enforcer.start_approved(ToolCall::new("pay")).expect("approved").complete("paid", None)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where something refuses the call that the approval does not lift: the decision.
    pub fn start_approved<'a>(
        &self,
        proposal: impl Into<Proposal<'a>>,
    ) -> Result<InFlight, Box<Decision>> {
        let proposal = proposal.into();
        let started = self.with(|enforcer| {
            // The refusal has been counted; judging a copy does not count it again.
            let decision = enforcer.clone().check(proposal.clone());
            let lifted = |violation: &Violation| violation.severity >= Some(Severity::Ask);
            let covered = !decision.latched && decision.violations.iter().all(lifted);
            if covered {
                Ok((enforcer.start(proposal.into_call()), decision))
            } else {
                Err(Box::new(enforcer.check(proposal)))
            }
        });
        started.map(|(id, decision)| self.ticket(id, std::sync::Arc::new(decision)))
    }

    /// Judges calls that run together and starts all of them, in one step; a ticket for each.
    ///
    /// # Errors
    /// Where one is refused: the decision. None has then started.
    pub fn start_chain<'a>(
        &self,
        chain: impl Into<Chain<'a>>,
    ) -> Result<Vec<InFlight>, Box<Decision>> {
        let chain = chain.into();
        let calls = chain.calls();
        let (decision, ids) = self.with(|enforcer| {
            let decision = enforcer.check_chain(chain);
            let ids: Option<Vec<_>> = decision.allowed().then(|| {
                calls
                    .iter()
                    .map(|call| enforcer.start(call.clone()))
                    .collect()
            });
            (decision, ids)
        });
        let Some(ids) = ids else {
            return Err(Box::new(decision));
        };
        let decision = std::sync::Arc::new(decision);
        Ok(ids
            .into_iter()
            .map(|id| self.ticket(id, std::sync::Arc::clone(&decision)))
            .collect())
    }

    fn ticket(&self, id: CallId, decision: std::sync::Arc<Decision>) -> InFlight {
        InFlight {
            enforcer: self.clone(),
            id,
            open: true,
            decision,
        }
    }

    /// Judges a call without starting it: what would be said of it now. Another task may start a call
    /// in between, so a call that is to run goes through [`start`](Self::start).
    pub fn check<'a>(&self, proposal: impl Into<Proposal<'a>>) -> Decision {
        self.with(|enforcer| enforcer.check(proposal))
    }

    /// See [`Enforcer::check_termination`].
    pub fn check_termination(&self) -> Decision {
        self.with(Enforcer::check_termination)
    }

    /// See [`Enforcer::resume`].
    pub fn resume(&self) {
        self.with(Enforcer::resume);
    }

    /// See [`Enforcer::status`].
    #[must_use]
    pub fn status(&self) -> ConstraintStatus {
        self.with(|enforcer| enforcer.status())
    }
}

impl From<Enforcer> for SharedEnforcer {
    fn from(enforcer: Enforcer) -> Self {
        SharedEnforcer::new(enforcer)
    }
}

impl fmt::Debug for SharedEnforcer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedEnforcer")
    }
}

/// A call that has started: counted by all that are judged after it.
///
/// It ends by [`complete`](Self::complete) or, if it never ran, by [`withdraw`](Self::withdraw).
/// Dropped without either, as when its task is cancelled, it stays in the trace with its result
/// unknown: it may have had its effects, and counting it is the cautious reading.
#[must_use = "a call that has started must be completed or withdrawn"]
pub struct InFlight {
    enforcer: SharedEnforcer,
    id: CallId,
    open: bool,
    decision: std::sync::Arc<Decision>,
}

impl InFlight {
    /// The call in the enforcer.
    #[must_use]
    pub fn id(&self) -> CallId {
        self.id
    }

    /// The decision that let it start: notes, and whether it was an override.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The call has returned.
    ///
    /// # Errors
    /// Where the enforcer does not know of it any more, after a reset.
    pub fn complete(
        mut self,
        result: impl Into<Json>,
        status: Option<i64>,
    ) -> Result<(), NotInFlight> {
        self.open = false;
        let (id, result) = (self.id, result.into());
        self.enforcer
            .with(|enforcer| enforcer.complete(id, result, status))
    }

    /// The call never ran: it leaves the trace.
    ///
    /// # Errors
    /// Where the enforcer does not know of it any more, after a reset.
    pub fn withdraw(mut self) -> Result<ToolCall, NotInFlight> {
        self.open = false;
        let id = self.id;
        self.enforcer.with(|enforcer| enforcer.withdraw(id))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if self.open {
            let id = self.id;
            // After a reset there is nothing to abandon.
            let _ = self.enforcer.with(|enforcer| enforcer.abandon(id));
        }
    }
}

impl fmt::Debug for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InFlight")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
