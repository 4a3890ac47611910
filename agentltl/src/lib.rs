//! Rules over the tool calls of an LLM agent, in first-order linear temporal logic.

mod call;
mod enforcer;
mod host;
mod judge;
mod matching;
pub mod monitor;
mod registry;
mod report;
mod store;
#[cfg(any(test, feature = "proptest"))]
pub mod testing;
mod trace;

pub use agentltl_core::*;

pub use call::{Generation, ToolCall};
pub use enforcer::{
    Action, BlockedCall, BoxError, CallId, Chain, ConstraintStatus, ConstraintViolationError,
    Decision, Dropped, Enforcer, EnforcerBuilder, EnforcerError, Fault, FromStateError, InFlight,
    NotInFlight, OverrideRecord, Proposal, RunStatus, SharedEnforcer, SoftBlockCount,
    SoftBlockMode, StateError, StateLimits, UnknownSoftBlockMode, Violation, ViolationRecord,
    ViolationType, feedback,
};
pub use host::{
    Answer, CallPattern, DomainFn, Match, PatternFn, PredicateFn, domain, matches_pattern,
    predicate,
};
pub use judge::{
    Breach, EvaluationError, Finding, Judgement, Run, Segment, Witness, holds, judge, verdict,
};
pub use matching::equal as json_equal;
pub use registry::Registry;
pub use report::{
    ComplianceLabel, ComplianceReport, ConstraintResult, Verification, WeightError, verify,
};
pub use store::{FileStore, StoreError};
pub use trace::{Trace, TraceError, TraceProblem};

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
