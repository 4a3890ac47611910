//! Rules over the tool calls of an LLM agent, in first-order linear temporal logic.

mod call;
mod constraint;
mod host;
mod judge;
mod policy;
mod trace;

pub use agentltl_core::*;

pub use call::{Generation, ToolCall};
pub use constraint::Constraint;
pub use host::{
    Answer, CallPattern, DomainFn, Match, PatternFn, PredicateFn, domain, matches_pattern,
    predicate,
};
pub use judge::{
    Breach, EvaluationError, Judgement, Segment, Witness, explain, holds, judge, verdict,
};
pub use policy::Policy;
pub use trace::Trace;
