//! Which verdicts a formula can reach, and whether refusing calls for it makes sense.

use std::fmt;

use crate::formula::{Formula, NodeId};
use crate::node::{Bound, Cmp, Node};
use crate::severity::Severity;
use crate::verdict::{Verdict, VerdictSet};

use Verdict::{False, PFalse, PTrue, Pending, True};

/// What refusing calls for a formula would mean.
///
/// ```
/// use agentltl_core::{build::*, RuntimeSafety};
/// assert_eq!(before("a", "b").runtime_safety(), RuntimeSafety::Safe);
/// assert_eq!(called("a").runtime_safety(), RuntimeSafety::Unsafe);
/// assert_eq!(eventually(called("a")).runtime_safety(), RuntimeSafety::Inert);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuntimeSafety {
    /// It only fails for good: every refusal points at a real violation by the refused call.
    Safe,
    /// It can fail while an obligation is open: every call is refused until something meets it.
    Unsafe,
    /// It cannot fail before the run ends: a refusal never happens.
    Inert,
    /// A predicate in it declared nothing.
    Ambiguous,
}

impl RuntimeSafety {
    /// All four.
    pub const ALL: [RuntimeSafety; 4] = [
        RuntimeSafety::Safe,
        RuntimeSafety::Unsafe,
        RuntimeSafety::Inert,
        RuntimeSafety::Ambiguous,
    ];

    /// The class of that name, in capitals.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        RuntimeSafety::ALL
            .into_iter()
            .find(|class| class.as_str() == name)
    }

    /// The name in capitals, as it is printed and serialised.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            RuntimeSafety::Safe => "SAFE",
            RuntimeSafety::Unsafe => "UNSAFE",
            RuntimeSafety::Inert => "INERT",
            RuntimeSafety::Ambiguous => "AMBIGUOUS",
        }
    }

    /// May a constraint of this class have that severity? UNSAFE and INERT formulas may not block.
    #[must_use]
    pub const fn is_compatible_with(self, severity: Severity) -> bool {
        !(matches!(self, RuntimeSafety::Unsafe | RuntimeSafety::Inert) && severity.is_blocking())
    }
}

impl fmt::Display for RuntimeSafety {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What the classifier found out about a node: the verdicts it can reach, and whether some predicate
/// below it declared nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// A superset of the verdicts the node can take on a run that is not over.
    pub verdicts: VerdictSet,
    /// Some predicate in it declared nothing.
    pub ambiguous: bool,
}

impl Reach {
    /// The class of a formula with this reach.
    #[must_use]
    pub const fn runtime_safety(self) -> RuntimeSafety {
        if self.ambiguous {
            RuntimeSafety::Ambiguous
        } else if self.verdicts.contains(PFalse) {
            RuntimeSafety::Unsafe
        } else if self.verdicts.contains(False) {
            RuntimeSafety::Safe
        } else {
            RuntimeSafety::Inert
        }
    }
}

impl Formula {
    /// The verdicts the formula can reach on a run that is not over.
    ///
    /// ```
    /// use agentltl_core::build::*;
    /// assert_eq!(before("a", "b").reachable().to_string(), "{FALSE, PENDING, TRUE}");
    /// ```
    #[must_use]
    pub fn reachable(&self) -> VerdictSet {
        self.reach_of_root().verdicts
    }

    /// The formula's class.
    #[must_use]
    pub fn runtime_safety(&self) -> RuntimeSafety {
        self.reach_of_root().runtime_safety()
    }

    /// What each node can reach, by its index in [`Formula::nodes`].
    #[must_use]
    pub fn reach(&self) -> Vec<Reach> {
        let mut reach: Vec<Reach> = Vec::with_capacity(self.nodes().len());
        let mut stack: Vec<NodeId> = Vec::new();
        for (id, node) in self.nodes().iter().enumerate() {
            let rest = stack.len() - node.arity();
            let verdicts = verdicts(
                node,
                stack[rest..].iter().map(|operand| reach[*operand].verdicts),
            );
            // A position before the first call never comes, whatever is asked of it.
            let ambiguous = match node {
                Node::At(position) if *position < 0 => false,
                Node::Predicate {
                    runtime_safe: None, ..
                } => true,
                _ => stack[rest..]
                    .iter()
                    .any(|operand| reach[*operand].ambiguous),
            };
            reach.push(Reach {
                verdicts,
                ambiguous,
            });
            stack.truncate(rest);
            stack.push(id);
        }
        reach
    }

    fn reach_of_root(&self) -> Reach {
        self.reach().pop().unwrap_or(Reach {
            verdicts: VerdictSet::ALL,
            ambiguous: true,
        })
    }
}

const fn set<const N: usize>(verdicts: [Verdict; N]) -> VerdictSet {
    VerdictSet::of(&verdicts)
}

/// The table of DESIGN section 3, "Classification".
fn verdicts(node: &Node, mut operands: impl Iterator<Item = VerdictSet>) -> VerdictSet {
    let pending = set([Pending]);
    let mut next = || operands.next().unwrap_or(VerdictSet::ALL);
    match node {
        Node::True => set([True]),
        Node::False => set([False]),
        Node::Called(_) | Node::CalledWith(..) => set([PFalse, True]),
        Node::CalledWithResult(..) => set([PFalse, Pending, True]),
        Node::CalledN(_, bound) => counted(*bound),
        Node::Before(..)
        | Node::AllBefore(..)
        | Node::InstanceBefore(..)
        | Node::WithinSteps(..)
        | Node::Now(_)
        | Node::Matches(_)
        | Node::CountBefore(_) => set([False, Pending, True]),
        Node::InOrder(_) | Node::BranchCalled { wrong: None, .. } => set([Pending, True]),
        Node::After(..) => set([False, PFalse, True]),
        Node::BranchCalled { wrong: Some(_), .. } => set([False, Pending, PTrue]),
        Node::Predicate {
            runtime_safe: Some(true),
            ..
        } => set([False, PTrue, True]),
        Node::Predicate {
            runtime_safe: Some(false),
            ..
        } => set([PFalse, PTrue]),
        Node::Predicate {
            runtime_safe: None, ..
        } => VerdictSet::ALL,
        Node::Not => !next(),
        Node::And(_) => operands.fold(set([True]), VerdictSet::min),
        Node::Or(_) => operands.fold(set([False]), VerdictSet::max),
        Node::Implies => {
            let (f, g) = (next(), next());
            (!f).max(g)
        }
        Node::At(position) if *position < 0 => set([False]),
        Node::Next | Node::At(_) | Node::Historically => next() | pending,
        Node::Previous | Node::Once => next() | set([False, Pending]),
        Node::Globally | Node::Forall(..) => next().min(pending) | pending,
        Node::Eventually => next().max(pending) | pending,
        Node::Exists(..) => next().max(set([PFalse])) | set([PFalse]),
        Node::Until | Node::WeakUntil => {
            let (f, g) = (next(), next());
            (g | f.min(g)).max(f.min(pending)) | pending
        }
        Node::Release => {
            let (f, g) = (next(), next());
            (g | f.max(g)).min(f.max(pending)) | pending
        }
        Node::Since => {
            let (f, g) = (next(), next());
            g | f.min(g) | set([False, Pending])
        }
    }
}

fn counted(Bound { cmp, number }: Bound) -> VerdictSet {
    match cmp {
        Cmp::Lt if number <= 0 => set([False]),
        Cmp::Le | Cmp::Lt => set([False, PTrue]),
        Cmp::Ge if number <= 0 => set([True]),
        Cmp::Ge | Cmp::Gt => set([PFalse, True]),
        Cmp::Eq if number <= 0 => set([False, PTrue]),
        Cmp::Eq => set([False, PFalse, PTrue]),
    }
}

/// What the classifier says of one constraint.
///
/// ```
/// use agentltl_core::{build::*, ClassificationReport, Severity};
/// let report = ClassificationReport::new("finish", &eventually(called("done")), Severity::HardStop, false);
/// assert!(!report.compatible);
/// assert!(report.message.unwrap().contains("INERT"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ClassificationReport {
    /// The constraint's name.
    pub constraint_name: String,
    /// The formula as text.
    pub formula: String,
    /// The class of the formula.
    pub classification: RuntimeSafety,
    /// The verdicts the formula can reach on a run that is not over.
    pub reachable: VerdictSet,
    /// The severity it was classified with.
    pub assigned_severity: Severity,
    /// Is it judged when the agent finishes rather than call by call?
    pub applies_to_final_answer: bool,
    /// Does the class suit the severity?
    pub compatible: bool,
    /// Where it does not: the smallest part of the formula that makes it so, the first of several.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub responsible: Option<NodeId>,
    /// Where it does not: why, and the way out.
    pub message: Option<String>,
}

impl ClassificationReport {
    /// Classifies a formula and compares the class with the severity.
    #[must_use]
    pub fn new(
        constraint_name: &str,
        formula: &Formula,
        severity: Severity,
        applies_to_final_answer: bool,
    ) -> Self {
        let reach = formula.reach_of_root();
        let classification = reach.runtime_safety();
        let compatible = applies_to_final_answer || classification.is_compatible_with(severity);
        let advice = (!compatible)
            .then(|| crate::advice::mismatch(constraint_name, formula, classification, severity));
        ClassificationReport {
            constraint_name: constraint_name.to_owned(),
            formula: formula.to_string(),
            classification,
            reachable: reach.verdicts,
            assigned_severity: severity,
            applies_to_final_answer,
            compatible,
            responsible: advice.as_ref().map(|advice| advice.responsible),
            message: advice.map(|advice| advice.message),
        }
    }
}
