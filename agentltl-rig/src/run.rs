//! One run of a rig agent under a guard.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agentltl::{ConstraintStatus, InFlight, SharedEnforcer, Trace};
use rig_agent::core::effect::EffectId;

/// A run that is over: the calls that ran, and how the rules judged them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GuardedRun {
    /// The calls that ran, in the order they started.
    pub trace: Trace,
    /// Counters and logs of the enforcer.
    pub status: ConstraintStatus,
}

/// What a run has in flight. It lives as long as the run does: what is left when the run is dropped
/// stays in the trace, its result unknown.
#[derive(Clone)]
pub(crate) struct RunState {
    pub(crate) enforcer: SharedEnforcer,
    flights: Arc<Mutex<HashMap<EffectId, Flight>>>,
}

/// A call that was let through.
pub(crate) struct Flight {
    pub(crate) ticket: InFlight,
    /// The arguments that were judged.
    pub(crate) arguments: String,
}

impl RunState {
    pub(crate) fn new(enforcer: SharedEnforcer) -> Self {
        RunState {
            enforcer,
            flights: Arc::default(),
        }
    }

    fn flights(&self) -> MutexGuard<'_, HashMap<EffectId, Flight>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn started(&self, id: EffectId, flight: Flight) {
        self.flights().insert(id, flight);
    }

    pub(crate) fn ended(&self, id: EffectId) -> Option<Flight> {
        self.flights().remove(&id)
    }

    /// The run is over: nothing comes back any more.
    pub(crate) fn settle(&self) -> GuardedRun {
        let left = std::mem::take(&mut *self.flights());
        drop(left);
        self.enforcer.with(|enforcer| GuardedRun {
            trace: enforcer.trace().clone(),
            status: enforcer.status(),
        })
    }
}

/// The states of a run, one for each guard on it. It travels in the run's scratchpad.
#[derive(Clone, Default)]
pub(crate) struct RunStates(pub(crate) HashMap<usize, RunState>);
