//! Monitors: over the calls of a run a formula is a machine. Its letters are what a call answers to
//! the formula's questions, its states what remains to be seen, and each step tells the verdict and
//! whether the call newly breaks the formula.
//!
//! [`Machine::step`] is pure: the program remembers its transitions as they are first taken, and who
//! wants to prove something about a formula explores them all. Formulas of which the state would not
//! be finite or small are [`Unsupported`] and are left to the evaluator.

mod atom;
mod diagram;
mod plan;
mod step;

use std::fmt;

use crate::formula::{Formula, NodeId};
use crate::host::Host;
use crate::node::Node;
use crate::text::{Name, Seq};
use crate::value::{Args, Value};
use crate::verdict::Verdict;

use diagram::{Diagrams, Ref};
use plan::{Op, Plan};

pub(crate) use plan::reach_whatever_is_declared;

/// A question about a call; a letter holds the answer to each, in the order of [`Machine::inputs`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// Is the call one of this tool? 0 or 1.
    Tool(Name),
    /// Is it one of these tools, with these arguments? 0 or 1.
    Call(Seq<Name>, Args),
    /// Does it match the pattern, where "maybe" counts as told? 0 or 1.
    Pattern(Host, bool),
    /// Is it a call of this tool with these arguments (0: no), and is its result not known (1),
    /// another one (2), or this (3)?
    Result(Name, Value, Args),
    /// Does it come after the call that this node of the formula remembers ([`Counter::remembers`])?
    /// 1 unless both have an agent step and the call's is not the later one.
    Later(NodeId),
    /// Is it the call at this position? 0 or 1.
    Position(u64),
    /// What this predicate, which looks back only, says at the call: a verdict, as a number.
    LookingBack(Host),
    /// The verdict of this node of the formula with the call in the run, computed elsewhere, as a
    /// number; 8 more where the call is one of those that the node counts.
    External(NodeId),
}

/// What the formula has that a monitor cannot follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported(&'static str);

impl Unsupported {
    /// With the reason.
    #[must_use]
    pub const fn new(reason: &'static str) -> Self {
        Unsupported(reason)
    }

    /// The reason.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Unsupported {}

/// The machine has outgrown its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverBudget;

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the monitor has outgrown its budget")
    }
}

impl std::error::Error for OverBudget {}

/// What remains to be seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    atoms: Box<[atom::Register]>,
    registers: Box<[Ref]>,
    /// The undecided instances, each with the counting atoms that will tell its failures apart.
    live: Box<[(Ref, u64)]>,
    /// The items whose instances start at the next call.
    due: Box<[u32]>,
    /// Some instance has failed for good.
    failed: bool,
    /// The counting atoms of the failed instances.
    failed_keys: u64,
    /// It can never be better than PENDING.
    open: bool,
    started: bool,
}

/// What a step tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// The running verdict.
    pub verdict: Verdict,
    /// Does the call break the formula, beyond what was broken for good before?
    pub breaks: bool,
    /// Does an instance fail that starts at this call?
    pub breaks_here: bool,
}

/// A formula as a machine.
///
/// ```
/// use agentltl_core::{build::*, Verdict, monitor::{Input, Machine}};
/// let mut machine = Machine::new(&globally(!now("rm")), false, &|_| false)?;
/// assert_eq!(machine.inputs(), [Input::Tool("rm".into())]);
/// let (state, output) = machine.step(&machine.start(), &[0])?;
/// assert_eq!((output.verdict, output.breaks), (Verdict::Pending, false));
/// let (state, output) = machine.step(&state, &[1])?;
/// assert_eq!((output.verdict, output.breaks), (Verdict::False, true));
/// let (_, output) = machine.step(&state, &[0])?;
/// assert_eq!((output.verdict, output.breaks), (Verdict::False, false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Machine {
    plan: Plan,
    diagrams: Diagrams,
}

impl Machine {
    /// How many branches and remembered operations a machine may hold.
    pub const BUDGET: usize = 100_000;

    /// Prepares a formula, which may have variables free. `each_position` says that an outermost `G`
    /// has one instance a position even where its operand speaks of the whole run (as where it is
    /// one side of an `&` that does not); `looks_back` says of a predicate whether its answer at a
    /// position depends on the calls up to there only.
    ///
    /// # Errors
    /// What the formula has that a monitor cannot follow.
    pub fn new(
        formula: &Formula,
        each_position: bool,
        looks_back: &dyn Fn(&Host) -> bool,
    ) -> Result<Self, Unsupported> {
        let plan = Plan::new(formula, each_position, looks_back)?;
        let diagrams = Diagrams::new(plan.domains.clone(), Self::BUDGET);
        Ok(Machine { plan, diagrams })
    }

    /// A machine that tells after each call whether the formula holds on the run as finished: TRUE or
    /// FALSE. What its outputs say of breaking means nothing.
    ///
    /// ```
    /// use agentltl_core::{build::*, Verdict, monitor::Machine};
    /// let mut machine = Machine::finished(&next(now("b")))?;
    /// let (state, output) = machine.step(&machine.start(), &[0])?;
    /// assert_eq!(output.verdict, Verdict::False);
    /// let (_, output) = machine.step(&state, &[1])?;
    /// assert_eq!(output.verdict, Verdict::True);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What the formula has that a monitor cannot follow.
    pub fn finished(formula: &Formula) -> Result<Self, Unsupported> {
        Self::finished_with(formula, &|_| false)
    }

    /// The same, with predicates that answer at each call, TRUE or FALSE, what they answer in the end.
    ///
    /// # Errors
    /// What the formula has that a monitor cannot follow.
    pub(crate) fn finished_with(
        formula: &Formula,
        looks_back: &dyn Fn(&Host) -> bool,
    ) -> Result<Self, Unsupported> {
        let plan = Plan::finished(formula, looks_back)?;
        let diagrams = Diagrams::new(plan.domains.clone(), Self::BUDGET);
        Ok(Machine { plan, diagrams })
    }

    /// The questions asked of each call.
    #[must_use]
    pub fn inputs(&self) -> &[Input] {
        &self.plan.inputs
    }

    /// The state before the first call.
    #[must_use]
    pub fn start(&self) -> State {
        State {
            atoms: vec![0; self.plan.atoms.len()].into(),
            registers: vec![step::UNSET; self.plan.registers].into(),
            live: Box::default(),
            due: [self.plan.root as u32].into(),
            failed: false,
            failed_keys: 0,
            open: false,
            started: false,
        }
    }

    /// Forgets all diagrams but those the states need, whose numbers change.
    ///
    /// # Errors
    /// The states alone are over the budget.
    pub fn compact(&mut self, states: &mut [State]) -> Result<(), OverBudget> {
        let mut diagrams = Diagrams::new(self.plan.domains.clone(), Self::BUDGET);
        let mut memo = diagram::MixMap::default();
        for state in states {
            let live = state.live.iter_mut().map(|(diagram, _)| diagram);
            for diagram in live.chain(state.registers.iter_mut()) {
                if *diagram != step::UNSET {
                    *diagram = diagrams.import(*diagram, &self.diagrams, &mut memo)?;
                }
            }
            state.live.sort_unstable();
        }
        self.diagrams = diagrams;
        Ok(())
    }

    /// How much of the budget is used.
    #[must_use]
    pub fn size(&self) -> usize {
        self.diagrams.size()
    }
}

/// An atom about the whole run as a counter of its own, for numbers too large to be states.
#[derive(Clone, Debug)]
pub struct Counter {
    atom: atom::Atom,
    inputs: Vec<Input>,
    counts: bool,
}

impl Counter {
    /// A counter for the node, if it is an atom about the whole run.
    ///
    /// ```
    /// use agentltl_core::{build::called_n, Cmp, Verdict, monitor::Counter};
    /// let formula = called_n("a", Cmp::Le, 1_000_000);
    /// let counter = Counter::new(&formula).unwrap();
    /// let (register, letter) = counter.step(0, |_| 1);
    /// assert_eq!(letter, Verdict::PTrue as u8 + 8);
    /// # let _ = register;
    /// ```
    #[must_use]
    pub fn new(formula: &Formula) -> Option<Self> {
        let [node] = formula.nodes() else { return None };
        let (atom, inputs) = plan::counter(node)?;
        // `in_order` alone may name more tools than a letter has places.
        if inputs.len() > atom::MAX_TOOLS + 2 {
            return None;
        }
        Some(Counter {
            atom,
            inputs,
            counts: atom::Atom::counts(node),
        })
    }

    /// The register after a call, and the answer to [`Input::External`]; `answer` tells what the call
    /// answers to a question.
    #[must_use]
    pub fn step(&self, register: u64, answer: impl Fn(&Input) -> u8) -> (u64, u8) {
        let mut letter = [0; atom::MAX_TOOLS + 2];
        for (place, input) in letter.iter_mut().zip(&self.inputs) {
            *place = answer(input);
        }
        let counted = self.counts && self.atom.counted(&letter);
        let register = self.atom.step(register, &letter);
        let verdict = self.atom.verdict(register) as u8;
        (register, verdict + if counted { atom::COUNTED } else { 0 })
    }

    /// What the register says.
    #[must_use]
    pub fn verdict(&self, register: u64) -> Verdict {
        self.atom.verdict(register)
    }

    /// Is the call that made this change the one later ones must come after?
    #[must_use]
    pub fn remembers(&self, before: u64, after: u64) -> bool {
        self.atom.remembers(before, after)
    }
}

/// Is the constraint judged by its newest position alone: `G f` with a past-only f?
#[must_use]
pub fn is_newest_only(formula: &Formula) -> bool {
    let [operand @ .., Node::Globally] = formula.nodes() else {
        return false;
    };
    operand.iter().all(Node::is_past)
}
