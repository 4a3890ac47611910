//! Reading a saved run.

use std::error::Error;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde_json::Value as Json;

use super::error::EnforcerError;
use super::flight::{CallId, Flights};
use super::log::{BlockedCall, LastBlocked, Log, OverrideRecord, ViolationRecord};
use super::run::{Counts, Run, RunStatus};
use super::state::{Latched, Started, VERSION};
use super::status::Dropped;
use crate::call::ToolCall;
use crate::trace::read_call;

/// How deep the values of a state may nest.
const MAX_NESTING: usize = 256;

/// The state as it is read. Field names and meanings are the reference's, up to `generation_key`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Saved {
    completed_tool_calls: Vec<Json>,
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

pub(super) fn read(state: &Json, log_limit: usize) -> Result<Run, StateError> {
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
    let calls: Vec<ToolCall> = (0..)
        .zip(saved.completed_tool_calls)
        .map(|(index, call)| read_saved_call(call, index))
        .collect::<Result<_, _>>()?;
    let flights = flights(&saved.in_flight, saved.next_call_id, &calls)?;
    let dropped = saved.dropped;
    Ok(Run {
        trace: calls.into_iter().collect(),
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

/// A call of the trace. An agent may name no tool; a trace from elsewhere is refused for that, but
/// who let such a call run must still be able to load its state.
fn read_saved_call(mut json: Json, index: usize) -> Result<ToolCall, StateError> {
    let unnamed = json.get("tool_name").and_then(Json::as_str) == Some("");
    if unnamed {
        json["tool_name"] = Json::from("?");
    }
    let mut call = read_call(json, || format!("completed_tool_calls[{index}]"))
        .map_err(|error| StateError::new(error.path, error.problem.to_string()))?;
    if unnamed {
        call.tool_name.clear();
    }
    Ok(call)
}

/// The calls in flight, which must be in order, in the trace and without a result.
fn flights(in_flight: &[Started], next: u64, calls: &[ToolCall]) -> Result<Flights, StateError> {
    // Half of them can never be used up, so that no id comes twice.
    if next > u64::MAX / 2 {
        return Err(StateError::new("next_call_id", "it is out of range"));
    }
    let mut open: Vec<(CallId, usize)> = Vec::with_capacity(in_flight.len());
    for (index, started) in in_flight.iter().enumerate() {
        let at = |field| format!("in_flight[{index}].{field}");
        let last = open.last();
        if last.is_some_and(|(id, _)| id.get() >= started.id) || started.id >= next {
            let message = "ids must ascend and be below next_call_id";
            return Err(StateError::new(at("id"), message));
        }
        if last.is_some_and(|(_, position)| *position >= started.position) {
            return Err(StateError::new(at("position"), "positions must ascend"));
        }
        match calls.get(started.position) {
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
    Ok(Flights { open, next })
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
    pub(super) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
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

/// Reads the text of a saved state.
///
/// The arguments of a call nest as deep in a state as the parser of the agent's message allows, and
/// a few levels deeper than the state's own parser would: what this reads is bounded at 256 levels.
///
/// ```
/// use agentltl::{Enforcer, Policy, parse_state};
/// let text = Enforcer::new(Policy::default())?.to_state().to_string();
/// let enforcer = Enforcer::from_state(Policy::default(), &parse_state(&text)?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where the text is not JSON, or nests deeper than that.
pub fn parse_state(text: &str) -> Result<Json, StateError> {
    check_nesting(text)?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    Json::deserialize(&mut deserializer)
        .and_then(|json| deserializer.end().map(|()| json))
        .map_err(|error| StateError::new(".", format!("not JSON: {error}")))
}

/// Refuses what [`parse_state`] would not read.
pub(crate) fn check_nesting(text: &str) -> Result<(), StateError> {
    if nesting(text) <= MAX_NESTING {
        return Ok(());
    }
    let message = format!("it nests deeper than {MAX_NESTING} levels");
    Err(StateError::new(".", message))
}

/// How deep the values of a JSON text nest.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
