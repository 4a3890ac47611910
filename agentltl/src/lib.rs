//! Rules over the tool calls of an LLM agent, in first-order linear temporal logic.

mod call;
mod host;
mod judge;
mod matching;
mod report;
mod trace;

pub use agentltl_core::*;

pub use call::{Generation, ToolCall};
pub use host::{
    Answer, CallPattern, DomainFn, Match, PatternFn, PredicateFn, domain, matches_pattern,
    predicate,
};
pub use judge::{
    Breach, EvaluationError, Finding, Judgement, Run, Segment, Witness, holds, judge, verdict,
};
pub use matching::equal as json_equal;
pub use report::{
    ComplianceLabel, ComplianceReport, ConstraintResult, Verification, WeightError, verify,
};
pub use trace::{Trace, TraceError, TraceProblem};
