//! The run as JSON, to go on with in another process.

use agentltl_core::{Policy, Severity};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::Enforcer;
use super::decision::Violation;
use super::log::Log;
use super::restore::{FromStateError, StateError, read};
use super::run::Run;
use super::status::Dropped;
use crate::call::ToolCall;

pub(super) const VERSION: u64 = 1;

/// How much of the run a state keeps; all of it by default.
///
/// ```
/// use agentltl::{Enforcer, Policy, StateLimits};
/// let enforcer = Enforcer::new(Policy::default())?;
/// let state = enforcer.to_state_with(StateLimits::new().max_trace(500).max_log(20));
/// assert_eq!(state["version"], 1);
/// # Ok::<(), agentltl::EnforcerError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateLimits {
    max_trace: Option<usize>,
    max_log: Option<usize>,
}

impl StateLimits {
    /// No limits.
    #[must_use]
    pub fn new() -> Self {
        StateLimits::default()
    }

    /// Keeps the newest calls of the trace, and those in flight. Constraints are then judged as if
    /// the older calls had not been.
    #[must_use]
    pub fn max_trace(mut self, calls: usize) -> Self {
        self.max_trace = Some(calls);
        self
    }

    /// Keeps the newest entries of each log.
    #[must_use]
    pub fn max_log(mut self, entries: usize) -> Self {
        self.max_log = Some(entries);
        self
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Started {
    pub(super) id: u64,
    pub(super) position: usize,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Latched {
    constraint_name: String,
    severity: String,
    step_number: i64,
    tool_name: Option<String>,
    #[serde(default)]
    tool_args: Map<String, Json>,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    repair: String,
    #[serde(default)]
    formula: String,
}

impl Latched {
    fn of(violation: &Violation) -> Self {
        let violation = violation.clone();
        Latched {
            severity: violation.severity_name().to_owned(),
            constraint_name: violation.constraint_name,
            step_number: violation.step_number,
            tool_name: violation.tool_name,
            tool_args: violation.tool_args,
            detail: violation.detail,
            description: violation.description,
            repair: violation.repair,
            formula: violation.formula,
        }
    }

    pub(super) fn violation(self) -> Result<Violation, StateError> {
        let severity: Severity = self
            .severity
            .parse()
            .map_err(|error| StateError::new("latched.severity", format!("{error}")))?;
        Ok(Violation {
            constraint_name: self.constraint_name,
            severity: Some(severity),
            step_number: self.step_number,
            tool_name: self.tool_name,
            tool_args: self.tool_args,
            detail: self.detail,
            description: self.description,
            repair: self.repair,
            formula: self.formula,
            ..Violation::default()
        })
    }
}

impl Enforcer {
    /// Everything about the run so far, as JSON. Policy and settings are not in it.
    ///
    /// ```
    /// use agentltl::{Enforcer, Policy, ToolCall};
    /// let mut enforcer = Enforcer::new(Policy::default())?;
    /// enforcer.record(ToolCall::new("search").with_result("3 hits"));
    /// let state = enforcer.to_state();
    ///
    /// let enforcer = Enforcer::from_state(Policy::default(), &state)?;
    /// assert_eq!(enforcer.trace().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_state(&self) -> Json {
        self.to_state_with(StateLimits::new())
    }

    /// The run so far as JSON, within limits.
    #[must_use]
    pub fn to_state_with(&self, limits: StateLimits) -> Json {
        let run = &self.run;
        let (calls, in_flight) = run.kept(limits.max_trace);
        let (violations, violations_dropped) = newest(&run.violations, limits.max_log);
        let (blocked, blocked_dropped) = newest(&run.blocked_calls, limits.max_log);
        let (overrides, overrides_dropped) = newest(&run.overrides, limits.max_log);
        let dropped = Dropped {
            violations: violations_dropped,
            soft_blocked_calls: blocked_dropped,
            block_and_warn_overrides: overrides_dropped,
            ..self.dropped()
        };
        json!({
            "version": VERSION,
            "completed_tool_calls": calls,
            "soft_block_counts": run.soft_block_counts,
            "consecutive_soft_block_counts": run.consecutive_soft_block_counts,
            "block_and_warn_counts": run.block_and_warn_counts,
            "persistent_block_counts": run.persistent_block_counts,
            "soft_blocked_calls": blocked,
            "constraint_violations": violations,
            "block_and_warn_overrides": overrides,
            "last_blocked_call": run.last_blocked,
            "blocked_chain": run.blocked_chain,
            "current_generation": run.generation,
            "termination_nudges": run.termination_nudges,
            "termination_nudged_names": run.nudged_names.entries,
            "constraint_checks": run.constraint_checks,
            "already_violated": run.already_violated,
            "run_status": run.status,
            "stopped_by": run.stopped_by,
            "latched": run.latched.as_ref().map(Latched::of),
            "generation_key": run.generation_key,
            "in_flight": in_flight,
            "next_call_id": run.flights.next,
            "dropped": dropped,
        })
    }

    /// An enforcer with default settings that goes on with a saved run.
    ///
    /// # Errors
    /// Where the enforcer cannot be built or the state not be loaded.
    pub fn from_state(policy: Policy, state: &Json) -> Result<Self, FromStateError> {
        let mut enforcer = Enforcer::new(policy)?;
        enforcer.restore(state)?;
        Ok(enforcer)
    }

    /// Goes on with a saved run in place of this one, also with one saved by the reference. Unknown
    /// fields are ignored, absent ones and `null` are empty.
    ///
    /// # Errors
    /// Where the version is another, a field has the wrong shape or contradicts another. The run of
    /// this enforcer is then as it was.
    pub fn restore(&mut self, state: &Json) -> Result<(), StateError> {
        let mut run = read(state, self.settings.log_limit)?;
        // An id that is still about must not mean another call.
        run.flights.next = run.flights.next.max(self.run.flights.next);
        self.run = run;
        self.judges.changed_from(&self.policy, &self.run.trace, 0);
        Ok(())
    }
}

/// The newest entries of a log, and how many there were before them.
fn newest<T>(log: &Log<T>, limit: Option<usize>) -> (Vec<&T>, u64) {
    let skip = log.entries.len() - limit.unwrap_or(usize::MAX).min(log.entries.len());
    let dropped = log.dropped.saturating_add(skip as u64);
    (log.entries.iter().skip(skip).collect(), dropped)
}

impl Run {
    /// The newest calls and those in flight, and where the latter are then.
    fn kept(&self, limit: Option<usize>) -> (Vec<&ToolCall>, Vec<Started>) {
        let skip = self.trace.len() - limit.unwrap_or(usize::MAX).min(self.trace.len());
        let mut calls = Vec::with_capacity(self.trace.len() - skip);
        let mut started = Vec::with_capacity(self.flights.open.len());
        let mut open = self.flights.open.iter().peekable();
        for (position, call) in self.trace.iter().enumerate() {
            let in_flight = open.next_if(|(_, at)| *at == position);
            if let Some((id, _)) = in_flight {
                started.push(Started {
                    id: id.get(),
                    position: calls.len(),
                });
            }
            if position >= skip || in_flight.is_some() {
                calls.push(call);
            }
        }
        (calls, started)
    }
}
