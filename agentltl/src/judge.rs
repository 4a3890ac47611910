//! Judging: the verdict on a run, and whether a call is refused.

use std::fmt;

use agentltl_core::{Formula, Verdict};
use serde_json::Value as Json;

use crate::call::ToolCall;

/// Rust code in a formula could not answer, so nothing can be said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EvaluationError {
    /// What failed, such as ``predicate `p` ``.
    pub what: String,
    /// What it said.
    pub message: String,
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} panicked: {}", self.what, self.message)
    }
}

impl std::error::Error for EvaluationError {}

/// Whether the newest call is refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Judgement {
    /// The formula is at least PENDING.
    Allowed,
    /// The formula is violated, but was before the call: refusing it would repair nothing.
    AlreadyBroken,
    /// The call breaks the formula.
    Broken(Breach),
}

/// How a call breaks a formula.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Breach {
    /// The verdict on the run with the call in it.
    pub verdict: Verdict,
    /// The instances that fail.
    pub witnesses: Vec<Witness>,
    /// What is wrong, in words.
    pub detail: String,
    /// Does it rest on a match that is only possible?
    pub uncertain: bool,
}

/// An instance of a formula that fails: where it is, and how.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Witness {
    /// The way to the instance from the outermost operator.
    pub path: Vec<Segment>,
    /// The counts that tell one failure of the instance from another.
    pub counts: Vec<u64>,
    /// FALSE or PFALSE.
    pub verdict: Verdict,
}

/// A step on the way to an instance.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Segment {
    /// The side of `&`, from 0.
    Side(usize),
    /// The position of `G` or `H`, or `None` where the operand speaks of the whole run.
    Position(Option<usize>),
    /// Through `X`.
    Next,
    /// Through `Y`.
    Previous,
    /// The entity of `forall`.
    Entity(Json),
}

/// The running verdict of a closed formula at the first position.
///
/// # Errors
/// Where Rust code in the formula panics.
pub fn verdict(formula: &Formula, calls: &[ToolCall]) -> Result<Verdict, EvaluationError> {
    let _ = (formula, calls);
    Ok(Verdict::Pending)
}

/// Does the formula hold on the finished run?
///
/// # Errors
/// Where Rust code in the formula panics.
pub fn holds(formula: &Formula, calls: &[ToolCall]) -> Result<bool, EvaluationError> {
    let _ = (formula, calls);
    Ok(true)
}

/// What the formula says of the finished run, in words: why it holds, or why it does not.
///
/// # Errors
/// Where Rust code in the formula panics.
pub fn explain(formula: &Formula, calls: &[ToolCall]) -> Result<String, EvaluationError> {
    let _ = (formula, calls);
    Ok(String::new())
}

/// Is the newest call refused? `calls` are those that ran and, last, the one being checked, whose
/// result and step must not be set.
///
/// # Errors
/// Where Rust code in the formula panics.
pub fn judge(formula: &Formula, calls: &[ToolCall]) -> Result<Judgement, EvaluationError> {
    let _ = (formula, calls);
    Ok(Judgement::Allowed)
}
