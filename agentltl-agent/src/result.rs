//! What comes of a run.

use std::error::Error;
use std::fmt;

use agentltl::{
    ConstraintStatus, ConstraintViolationError, RunStatus, ToolCall, Trace, ViolationRecord,
};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value as Json;

use crate::chat::Usage;
use crate::chat_error::ChatError;

/// What came of a run, or of a turn. Serialises as the reference's `{"answer", "metrics", "error"}`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RunResult {
    /// What the model said in the end; `None` where it did not get there.
    pub answer: Option<String>,
    /// What happened until then.
    pub metrics: Metrics,
    /// Why the run broke off, if it did. Running out of steps is no error: see [`RunResult::end`].
    pub error: Option<RunError>,
    /// How it ended.
    #[serde(skip)]
    pub end: RunEnd,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunEnd {
    /// The model finished.
    Answered,
    /// A constraint stopped it.
    Stopped,
    /// `max_steps` were used up.
    OutOfSteps,
    /// `max_blocked_steps` were used up.
    OutOfBlockedSteps,
    /// The model failed.
    ModelFailed,
    /// It was cancelled, or could not begin.
    Cancelled,
}

/// Why a run broke off. Serialises as the reference's: a stop as an object, anything else as text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RunError {
    /// A constraint stopped it.
    Stopped(Box<ConstraintViolationError>),
    /// The model did not answer.
    Model(ChatError),
    /// It was cancelled.
    Cancelled,
    /// It was not begun inside a tokio runtime.
    NoRuntime,
}

impl RunError {
    pub(crate) fn end(&self) -> RunEnd {
        match self {
            RunError::Stopped(_) => RunEnd::Stopped,
            RunError::Model(_) => RunEnd::ModelFailed,
            RunError::Cancelled | RunError::NoRuntime => RunEnd::Cancelled,
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Stopped(error) => error.fmt(f),
            RunError::Model(error) => error.fmt(f),
            RunError::Cancelled => f.write_str("the run was cancelled"),
            RunError::NoRuntime => f.write_str("an agent runs inside a tokio runtime only"),
        }
    }
}

impl Error for RunError {}

impl Serialize for RunError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            RunError::Stopped(error) => error.serialize(serializer),
            other => serializer.collect_str(other),
        }
    }
}

/// What happened in a run, under the reference's names.
///
/// [`verify`](agentltl::verify) scores it as it is: `verify(&policy, &result.metrics.tool_calls)`,
/// and what it serialises to is what [`Trace::from_metrics`] reads.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Metrics {
    /// How often the model was asked.
    pub num_steps: usize,
    /// How many calls ran.
    pub num_tool_calls: usize,
    /// The calls that ran, in the order they started, with their `step` and `turn`.
    #[serde(serialize_with = "calls")]
    pub tool_calls: Trace,
    /// What the model said, step by step.
    pub steps: Vec<StepRecord>,
    /// Tokens read by the model.
    pub input_tokens: u64,
    /// Tokens written by the model.
    pub output_tokens: u64,
    /// Both together.
    pub total_tokens: u64,
    /// Has a constraint stopped the run?
    pub run_status: RunStatus,
    /// The constraint that did.
    pub stopped_by_constraint: Option<String>,
    /// The violations, those of earlier turns included.
    pub constraint_violations: Vec<ViolationRecord>,
    /// How often a constraint was judged, earlier turns included.
    pub constraint_checks: u64,
    /// The calls as the enforcer has them, those of earlier turns included.
    pub completed_trace: Vec<ToolCall>,
    /// Steps in which nothing ran though the model wanted something.
    pub blocked_steps: u64,
    /// Were `max_blocked_steps` used up?
    pub blocked_steps_exhausted: bool,
}

impl Metrics {
    pub(crate) fn new(
        tool_calls: Vec<ToolCall>,
        steps: Vec<StepRecord>,
        usage: Usage,
        status: ConstraintStatus,
        blocked_steps: u64,
        blocked_steps_exhausted: bool,
    ) -> Self {
        Metrics {
            num_steps: steps.len(),
            num_tool_calls: tool_calls.len(),
            tool_calls: tool_calls.into(),
            steps,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            total_tokens: usage.total(),
            run_status: status.status,
            stopped_by_constraint: status.stopped_by,
            constraint_violations: status.violations,
            constraint_checks: status.constraint_checks,
            completed_trace: status.completed_trace,
            blocked_steps,
            blocked_steps_exhausted,
        }
    }
}

/// What the model said in one step.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StepRecord {
    /// The step, from 1, through all turns.
    pub step_number: u64,
    /// The turn, from 0.
    pub turn: u64,
    /// Did it want calls made?
    pub r#type: StepType,
    /// What it said, if anything.
    pub reasoning: Option<String>,
}

impl StepRecord {
    pub(crate) fn new(step: u64, turn: u64, r#type: StepType, reasoning: Option<String>) -> Self {
        StepRecord {
            step_number: step,
            turn,
            r#type,
            reasoning,
        }
    }
}

/// What a step was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepType {
    /// The model wanted calls made.
    ToolCall,
    /// It did not.
    Reasoning,
}

/// The calls under the reference's names for metrics, which has its own for the result.
fn calls<S: Serializer>(calls: &Trace, serializer: S) -> Result<S::Ok, S::Error> {
    struct Record<'a>(&'a ToolCall);
    impl Serialize for Record<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let call = self.0;
            let mut map = serializer.serialize_map(None)?;
            if let Some(step) = call.step {
                map.serialize_entry("step", &step)?;
            }
            for (key, value) in &call.extra {
                map.serialize_entry(key, value)?;
            }
            map.serialize_entry("tool_name", &call.tool_name)?;
            map.serialize_entry("arguments", &call.arguments)?;
            if let Some(id) = &call.id {
                map.serialize_entry("id", id)?;
            }
            // Not known is not null.
            if let Some(result) = &call.result {
                map.serialize_entry("tool_result", result)?;
            }
            if let Some(status) = call.status {
                map.serialize_entry("status", &status)?;
            }
            map.serialize_entry("action_output", &Json::Null)?;
            map.end()
        }
    }
    serializer.collect_seq(calls.iter().map(Record))
}
