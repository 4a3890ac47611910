//! Judging: the verdict on a run, and whether a call is refused. DESIGN section 3, plainly.

mod atoms;
mod explain;
pub(crate) mod hosts;
mod instances;
mod run;
mod table;

use std::fmt;

use agentltl_core::{Formula, Node, NodeId, Verdict};
use serde_json::Value as Json;

use crate::call::ToolCall;
use crate::matching::Bindings;
use instances::Instances;
use table::{Evaluator, Maybe, Mode, Plan};

pub(crate) use hosts::panic_message;
pub(crate) use run::Index;
pub use run::Run;

/// Rust code in a formula could not answer, so nothing can be said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EvaluationError {
    /// What failed, such as ``predicate `p` ``.
    pub what: String,
    /// Why, such as `it panicked: index out of bounds`.
    pub message: String,
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} could not be asked: {}", self.what, self.message)
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
    /// Does it rest on a match that is only possible: would the call be allowed if every "maybe" of
    /// a pattern were counted the other way?
    pub uncertain: bool,
}

/// An instance of a formula that fails: where it is, and how.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Witness {
    /// The way to the instance from the outermost operator.
    pub path: Vec<Segment>,
    /// The counts that tell one failure of the instance from the next.
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
    /// The position of `G` or `H`, from 0, or `None` where the operand speaks of the whole run.
    Position(Option<usize>),
    /// Through `X`.
    Next,
    /// Through `Y`.
    Previous,
    /// The entity of `forall`.
    Entity(Json),
}

/// What a formula says of a finished run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Does the formula hold?
    pub holds: bool,
    /// Why, in words.
    pub detail: String,
}

impl Run<'_> {
    /// The running verdict of a closed formula: what can be said while the run may go on.
    ///
    /// # Errors
    /// Where Rust code in the formula cannot be asked.
    pub fn verdict(&self, formula: &Formula) -> Result<Verdict, EvaluationError> {
        self.root(formula, Mode::Running)
    }

    /// Does the formula hold on the run as finished?
    ///
    /// # Errors
    /// Where Rust code in the formula cannot be asked.
    pub fn holds(&self, formula: &Formula) -> Result<bool, EvaluationError> {
        Ok(self.root(formula, Mode::Finished)? == Verdict::True)
    }

    /// Does the formula hold on the run as finished, and why?
    ///
    /// # Errors
    /// Where Rust code in the formula cannot be asked.
    pub fn finding(&self, formula: &Formula) -> Result<Finding, EvaluationError> {
        let holds = self.holds(formula)?;
        let plan = Plan::new(formula)?;
        let run = self.prefix(self.calls().len());
        let evaluator = Evaluator::new(&plan, run, Mode::Finished, false);
        let detail = explain::explain(&evaluator, plan.tree.root(), 0, Bindings::NONE)?;
        Ok(Finding { holds, detail })
    }

    fn root(&self, formula: &Formula, mode: Mode) -> Result<Verdict, EvaluationError> {
        let plan = Plan::new(formula)?;
        let evaluator = Evaluator::new(&plan, self.prefix(self.calls().len()), mode, false);
        let root = plan.tree.root();
        Ok(evaluator.table(root, Bindings::NONE)?.at(root, 0))
    }

    /// The instances of the formula that fail on the run as it is, in the order of the formula and
    /// the run.
    ///
    /// ```
    /// use agentltl::{Run, Trace, Verdict, build::*};
    /// let trace = Trace::from_names(["a", "b", "a"]);
    /// let failing = Run::new(&trace).failing(&globally(!now("a")))?;
    /// assert_eq!(failing.len(), 2);
    /// # Ok::<(), agentltl::EvaluationError>(())
    /// ```
    ///
    /// # Errors
    /// Where Rust code in the formula cannot be asked.
    pub fn failing(&self, formula: &Formula) -> Result<Vec<Witness>, EvaluationError> {
        let plan = Plan::new(formula)?;
        let len = self.calls().len();
        let evaluator = Evaluator::new(&plan, self.prefix(len), Mode::Running, true);
        Ok(failing(&evaluator, plan.tree.root(), 0, Vec::new())?.1)
    }

    /// Is the newest call refused? The calls are those that ran and, last, the one being checked,
    /// whose result and step are not set.
    ///
    /// # Errors
    /// Where Rust code in the formula cannot be asked.
    pub fn judge(&self, formula: &Formula) -> Result<Judgement, EvaluationError> {
        let plan = Plan::new(formula)?;
        let (judgement, asked_maybe) = self.judge_with(&plan, Maybe::AsWritten)?;
        Ok(match judgement {
            Judgement::Broken(mut breach) if asked_maybe => {
                let (other, _) = self.judge_with(&plan, Maybe::Mirrored)?;
                breach.uncertain = !matches!(other, Judgement::Broken(_));
                Judgement::Broken(breach)
            }
            judgement => judgement,
        })
    }

    fn judge_with(
        &self,
        plan: &Plan<'_>,
        maybe: Maybe,
    ) -> Result<(Judgement, bool), EvaluationError> {
        let len = self.calls().len();
        let Some(newest) = len.checked_sub(1) else {
            return Ok((Judgement::Allowed, false));
        };
        // Earlier instances of `G f` with a past-only f were settled when their calls were made.
        let (root, position, start) = match plan.tree.node(plan.tree.root()) {
            Node::Globally if plan.is_past_only(plan.tree.root() - 1) => (
                plan.tree.root() - 1,
                newest,
                vec![Segment::Position(Some(newest))],
            ),
            _ => (plan.tree.root(), 0, Vec::new()),
        };
        let mut evaluator = Evaluator::new(plan, self.prefix(len), Mode::Running, true);
        evaluator.maybe = maybe;
        if position == newest && plan.is_pointwise(root) {
            evaluator.from = newest;
        }
        let (verdict, witnesses) = failing(&evaluator, root, position, start)?;
        let asked_maybe = evaluator.asked_maybe.get();
        if !verdict.refuses() {
            return Ok((Judgement::Allowed, asked_maybe));
        }
        // Before the first call nothing has failed; a past-only instance is always the call's own.
        if newest > 0 && position == 0 {
            let mut earlier = Evaluator::new(plan, self.prefix(newest), Mode::Running, true);
            earlier.maybe = maybe;
            let (_, before) = failing(&earlier, root, position, Vec::new())?;
            if instances::all_known(&witnesses, &before) {
                return Ok((Judgement::AlreadyBroken, asked_maybe));
            }
        }
        evaluator.keep = false;
        let detail = explain::explain(&evaluator, root, position, Bindings::NONE)?;
        let breach = Breach {
            verdict,
            witnesses,
            detail,
            uncertain: false,
        };
        Ok((Judgement::Broken(breach), asked_maybe))
    }
}

/// The verdict of a subformula at a position, and the instances in which it fails.
fn failing(
    evaluator: &Evaluator<'_, '_, '_, '_>,
    root: NodeId,
    position: usize,
    mut path: Vec<Segment>,
) -> Result<(Verdict, Vec<Witness>), EvaluationError> {
    let table = evaluator.table(root, Bindings::NONE)?;
    let len = evaluator.run.len();
    let mut instances = Instances {
        plan: evaluator.plan,
        len,
        found: Vec::new(),
    };
    instances.collect(root, position, &table, &mut path);
    Ok((table.at(root, position), instances.found))
}

/// The running verdict of a closed formula; see [`Run::verdict`].
///
/// ```
/// use agentltl::{Trace, Verdict, build::called, verdict};
/// assert_eq!(verdict(&called("a"), &Trace::new())?, Verdict::PFalse);
/// # Ok::<(), agentltl::EvaluationError>(())
/// ```
///
/// # Errors
/// Where Rust code in the formula cannot be asked.
pub fn verdict(formula: &Formula, calls: &[ToolCall]) -> Result<Verdict, EvaluationError> {
    Run::new(calls).verdict(formula)
}

/// Does the formula hold on the finished run? See [`Run::holds`].
///
/// ```
/// use agentltl::{Trace, build::called, holds};
/// assert!(holds(&called("a"), &Trace::from_names(["a"]))?);
/// # Ok::<(), agentltl::EvaluationError>(())
/// ```
///
/// # Errors
/// Where Rust code in the formula cannot be asked.
pub fn holds(formula: &Formula, calls: &[ToolCall]) -> Result<bool, EvaluationError> {
    Run::new(calls).holds(formula)
}

/// Is the newest call refused? See [`Run::judge`].
///
/// ```
/// use agentltl::{Judgement, Trace, build::before, judge};
/// let judgement = judge(&before("fetch", "save"), &Trace::from_names(["save"]))?;
/// assert!(matches!(judgement, Judgement::Broken(_)));
/// # Ok::<(), agentltl::EvaluationError>(())
/// ```
///
/// # Errors
/// Where Rust code in the formula cannot be asked.
pub fn judge(formula: &Formula, calls: &[ToolCall]) -> Result<Judgement, EvaluationError> {
    Run::new(calls).judge(formula)
}
