//! The run as JSON, to go on with in another process.

use std::error::Error;
use std::fmt;

use agentltl_core::Severity;
use serde::de::value::MapDeserializer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::Enforcer;
use super::decision::Violation;
use super::error::EnforcerError;
use super::flight::{CallId, Flights};
use super::log::{BlockedCall, LastBlocked, Log, OverrideRecord, ViolationRecord};
use super::run::{Counts, Run, RunStatus};
use super::status::Dropped;
use crate::call::ToolCall;
use agentltl_core::Policy;

const VERSION: u64 = 1;

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

/// A state that cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateError {
    /// Where in the state, such as `soft_block_counts.one-deploy`; `.` for all of it.
    pub path: String,
    /// What is wrong there.
    pub message: String,
}

impl StateError {
    fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        StateError {
            path: path.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the saved state at `{}`: {}", self.path, self.message)
    }
}

impl Error for StateError {}

/// The state as it is read. Field names and meanings are the reference's, up to `generation_key`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Saved {
    completed_tool_calls: Vec<ToolCall>,
    soft_block_counts: Counts,
    consecutive_soft_block_counts: Counts,
    block_and_warn_counts: Counts,
    persistent_block_counts: Counts,
    soft_blocked_calls: Vec<BlockedCall>,
    constraint_violations: Vec<ViolationRecord>,
    block_and_warn_overrides: Vec<OverrideRecord>,
    last_blocked_call: Option<LastBlocked>,
    blocked_chain: Option<Json>,
    current_generation: u64,
    termination_nudges: u64,
    termination_nudged_names: Vec<String>,
    constraint_checks: u64,
    already_violated: u64,
    run_status: RunStatus,
    stopped_by: Option<String>,
    latched: Option<Latched>,
    generation_key: Option<Json>,
    in_flight: Vec<Started>,
    next_call_id: u64,
    dropped: Dropped,
}

#[derive(Serialize, Deserialize)]
struct Started {
    id: u64,
    position: usize,
}

#[derive(Serialize, Deserialize)]
struct Latched {
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

    fn violation(self) -> Result<Violation, StateError> {
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

fn read(state: &Json, log_limit: usize) -> Result<Run, StateError> {
    let Json::Object(fields) = state else {
        return Err(StateError::new(".", "expected an object"));
    };
    match fields.get("version") {
        Some(version) if version.as_u64() == Some(VERSION) => {}
        Some(version) => {
            let message = format!("version {version} is not {VERSION}, the only one known here");
            return Err(StateError::new("version", message));
        }
        None => return Err(StateError::new("version", "it is missing")),
    }
    let present = fields
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| (key.as_str(), value));
    let fields: MapDeserializer<'_, _, serde_json::Error> = MapDeserializer::new(present);
    let saved: Saved = serde_path_to_error::deserialize(fields)
        .map_err(|error| StateError::new(error.path().to_string(), error.inner().to_string()))?;
    if saved
        .generation_key
        .as_ref()
        .is_some_and(|key| key.is_array() || key.is_object())
    {
        return Err(StateError::new(
            "generation_key",
            "expected a string or a number",
        ));
    }
    let flights = flights(&saved)?;
    let dropped = saved.dropped;
    Ok(Run {
        trace: saved.completed_tool_calls.into_iter().collect(),
        flights,
        soft_block_counts: saved.soft_block_counts,
        consecutive_soft_block_counts: saved.consecutive_soft_block_counts,
        block_and_warn_counts: saved.block_and_warn_counts,
        persistent_block_counts: saved.persistent_block_counts,
        violations: Log::restored(log_limit, saved.constraint_violations, dropped.violations),
        blocked_calls: Log::restored(
            log_limit,
            saved.soft_blocked_calls,
            dropped.soft_blocked_calls,
        ),
        overrides: Log::restored(
            log_limit,
            saved.block_and_warn_overrides,
            dropped.block_and_warn_overrides,
        ),
        nudged_names: Log::restored(
            log_limit,
            saved.termination_nudged_names,
            dropped.termination_nudged_names,
        ),
        last_blocked: saved.last_blocked_call,
        blocked_chain: saved.blocked_chain,
        generation: saved.current_generation,
        generation_key: saved.generation_key,
        termination_nudges: saved.termination_nudges,
        constraint_checks: saved.constraint_checks,
        already_violated: saved.already_violated,
        status: saved.run_status,
        stopped_by: saved.stopped_by,
        latched: saved.latched.map(Latched::violation).transpose()?,
    })
}

/// The calls in flight, which must be in order, in the trace and without a result.
fn flights(saved: &Saved) -> Result<Flights, StateError> {
    let mut open: Vec<(CallId, usize)> = Vec::with_capacity(saved.in_flight.len());
    for (index, started) in saved.in_flight.iter().enumerate() {
        let at = |field| format!("in_flight[{index}].{field}");
        let last = open.last();
        if last.is_some_and(|(id, _)| id.get() >= started.id) || started.id >= saved.next_call_id {
            let message = "ids must ascend and be below next_call_id";
            return Err(StateError::new(at("id"), message));
        }
        if last.is_some_and(|(_, position)| *position >= started.position) {
            return Err(StateError::new(at("position"), "positions must ascend"));
        }
        match saved.completed_tool_calls.get(started.position) {
            None => return Err(StateError::new(at("position"), "no call is there")),
            Some(call) if call.result.is_some() => {
                return Err(StateError::new(
                    at("position"),
                    "the call there has its result",
                ));
            }
            Some(_) => open.push((CallId::from(started.id), started.position)),
        }
    }
    Ok(Flights {
        open,
        next: saved.next_call_id,
    })
}

/// An enforcer that cannot go on with a saved run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FromStateError {
    /// It cannot be built.
    Enforcer(EnforcerError),
    /// The state cannot be loaded.
    State(StateError),
}

impl fmt::Display for FromStateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FromStateError::Enforcer(error) => error.fmt(f),
            FromStateError::State(error) => error.fmt(f),
        }
    }
}

impl Error for FromStateError {}

impl From<EnforcerError> for FromStateError {
    fn from(error: EnforcerError) -> Self {
        FromStateError::Enforcer(error)
    }
}

impl From<StateError> for FromStateError {
    fn from(error: StateError) -> Self {
        FromStateError::State(error)
    }
}
