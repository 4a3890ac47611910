//! A constraint as parts that are watched one by one: the sides of its conjunctions.

use agentltl_core::monitor::{Machine, OverBudget, Unsupported, is_newest_only};
use agentltl_core::{Formula, Node, Tree, build};

use super::lazy::{Lazy, LetterId, StateId, Step};
use super::quantified::{Outcome, Quantified};
use super::reader::{At, Reader, Trouble, looks_back};
use crate::matching::Bindings;

/// A part of a constraint.
#[derive(Clone, Debug)]
// They live side by side, and nearly all are plain: a box would cost a check a look more.
#[allow(clippy::large_enum_variant)]
pub(super) enum Part {
    Plain(Plain),
    Quantified(Box<Quantified>),
}

/// A part without a quantifier around it.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    lazy: Lazy,
    reader: Reader,
    state: StateId,
    /// Only what fails at the newest position counts as broken.
    newest: bool,
    /// Does the tool alone tell the letter, as long as no call has an agent step?
    simple: bool,
    /// Is the state number all there is to take back?
    stateless: bool,
    /// Can calls of tools that are not named have different answers?
    asks_all: bool,
    /// The largest position that is asked for.
    last_position: Option<u64>,
    /// What a call of no named tool reads, where that is the same for all.
    other: LetterId,
    // Kept so that a check need not allocate.
    answers: Vec<u8>,
}

/// What a call has moved in a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moved {
    state: bool,
    /// What is kept beside the machine.
    pub(super) beside: bool,
}

/// How many quantifiers a watched constraint nests at most.
const MAX_QUANTIFIERS: usize = 3;

/// The parts of a formula, each with the formula it watches.
pub(super) fn parts(formula: &Formula) -> Result<Vec<(Part, Formula)>, Unsupported> {
    // Each level asks the next a few times over.
    if formula.quantifier_depth() > MAX_QUANTIFIERS {
        return Err(Unsupported::new("quantifiers nested deep"));
    }
    let newest = is_newest_only(formula);
    let mut parts = Vec::new();
    // `each`: the outermost `G` has an instance a position whatever its operand. The newest position
    // is one of them.
    let mut todo = vec![(formula.clone(), newest)];
    while let Some((formula, each)) = todo.pop() {
        let tree = formula.tree();
        let root = tree.root();
        match tree.node(root) {
            Node::And(_) => {
                todo.extend(
                    tree.children(root)
                        .iter()
                        .map(|side| (tree.subformula(*side), false)),
                );
            }
            Node::Globally if matches!(tree.node(root - 1), Node::And(_)) => {
                let each = each || is_local(&tree, root - 1);
                let sides = tree.children(root - 1).iter();
                todo.extend(sides.map(|side| (build::globally(tree.subformula(*side)), each)));
            }
            // The later positions of each position are the later positions; the outer `G` has an
            // instance at each, whatever the inner one says.
            Node::Globally if matches!(tree.node(root - 1), Node::Globally) => {
                todo.push((tree.subformula(root - 1), true));
            }
            // The positions of the entities are the entities of the positions.
            Node::Globally => match tree.node(root - 1) {
                Node::Forall(variable, domain) => {
                    let body = build::globally(tree.subformula(root - 2));
                    let part = Quantified::new(true, variable, domain, &body, each, newest)?;
                    parts.push((Part::Quantified(Box::new(part)), formula.clone()));
                }
                _ => {
                    let part = Plain::new(&formula, each, newest)?;
                    parts.push((Part::Plain(part), formula.clone()));
                }
            },
            Node::Forall(variable, domain) => {
                let body = tree.subformula(root - 1);
                let part = Quantified::new(true, variable, domain, &body, false, newest)?;
                parts.push((Part::Quantified(Box::new(part)), formula.clone()));
            }
            _ => {
                let part = Plain::new(&formula, each, newest)?;
                parts.push((Part::Plain(part), formula.clone()));
            }
        }
    }
    Ok(parts)
}

fn is_local(tree: &Tree<'_>, id: usize) -> bool {
    tree.extent(id).any(|id| tree.node(id).is_local())
}

impl Plain {
    fn new(formula: &Formula, each: bool, newest: bool) -> Result<Self, Unsupported> {
        let machine = Machine::new(formula, each, &looks_back)?;
        let reader = Reader::new(formula, machine.inputs())?;
        let mut plain = Plain {
            simple: reader.is_simple(),
            stateless: reader.is_stateless(),
            asks_all: reader.asks_all(),
            last_position: reader.last_position(),
            reader,
            lazy: Lazy::new(machine),
            state: Lazy::START,
            newest,
            other: 0,
            answers: Vec::new(),
        };
        plain.other = plain
            .named(None)
            .map_err(|_| Unsupported::new("too many letters"))?;
        Ok(plain)
    }

    /// The letter of a call of the tool, or of one not named, without an agent step.
    fn named(&mut self, tool: Option<&str>) -> Result<LetterId, OverBudget> {
        let answers = self.reader.simple(tool);
        self.lazy.letter(&answers)
    }

    fn letter(&mut self, at: At<'_>, named: Option<LetterId>) -> Result<LetterId, Trouble> {
        match named {
            Some(letter) if self.simple && at.call.step.is_none() => Ok(letter),
            _ => {
                self.reader.read(at, Bindings::NONE, &mut self.answers)?;
                Ok(self.lazy.letter(&self.answers)?)
            }
        }
    }

    fn outcome(&self, step: Step) -> Outcome {
        let breaks = if self.newest {
            step.breaks_here()
        } else {
            step.breaks()
        };
        Outcome {
            verdict: step.verdict(),
            breaks,
        }
    }

    fn is_calm(&mut self) -> bool {
        if !self.stateless && !self.reader.is_calm() {
            return false;
        }
        if !self.simple {
            match self.named(None) {
                Ok(letter) => self.other = letter,
                Err(OverBudget) => return false,
            }
        }
        self.lazy
            .step(self.state, self.other)
            .is_ok_and(|step| step.next() == self.state && !(step.breaks() || step.breaks_here()))
    }
}

impl Part {
    /// The letter of a call of the tool, where the tool alone tells it.
    pub(super) fn named(&mut self, tool: &str) -> Option<LetterId> {
        match self {
            Part::Plain(plain) if plain.simple => plain.named(Some(tool)).ok(),
            _ => None,
        }
    }

    /// The letter of a call of a tool that is not named, where that is enough.
    pub(super) fn other(&self) -> Option<LetterId> {
        match self {
            Part::Plain(plain) if plain.simple => Some(plain.other),
            _ => None,
        }
    }

    /// What the call would do, without doing it.
    pub(super) fn peek(&mut self, at: At<'_>, named: Option<LetterId>) -> Result<Outcome, Trouble> {
        match self {
            Part::Plain(plain) => {
                let letter = plain.letter(at, named)?;
                let step = plain.lazy.step(plain.state, letter)?;
                Ok(plain.outcome(step))
            }
            Part::Quantified(quantified) => quantified.peek(at),
        }
    }

    /// The call has been made.
    pub(super) fn advance(
        &mut self,
        at: At<'_>,
        named: Option<LetterId>,
    ) -> Result<(Outcome, Moved), Trouble> {
        match self {
            Part::Plain(plain) => {
                let letter = plain.letter(at, named)?;
                if plain.lazy.is_large() {
                    plain.lazy.forget(&mut [&mut plain.state])?;
                }
                let step = plain.lazy.step(plain.state, letter)?;
                let moved = Moved {
                    state: plain.state != step.next(),
                    beside: !plain.stateless && plain.reader.advance(at)?,
                };
                plain.state = step.next();
                Ok((plain.outcome(step), moved))
            }
            Part::Quantified(quantified) => {
                let moved = Moved {
                    state: true,
                    beside: true,
                };
                Ok((quantified.advance(at)?, moved))
            }
        }
    }

    /// Is Rust code asked about the run, rather than about the call?
    pub(super) fn asks_run(&self) -> bool {
        match self {
            Part::Plain(plain) => plain.reader.asks_run(),
            Part::Quantified(quantified) => quantified.asks_run(),
        }
    }

    /// Does a call that the part does not name, at this position or later, change nothing and break
    /// nothing?
    pub(super) fn is_calm(&mut self, position: u64) -> bool {
        let (asks_all, last_position) = match self {
            Part::Plain(plain) => (plain.asks_all, plain.last_position),
            Part::Quantified(quantified) => (quantified.asks_all(), quantified.last_position()),
        };
        if asks_all || last_position.is_some_and(|last| last >= position) {
            return false;
        }
        match self {
            Part::Plain(plain) => plain.is_calm(),
            Part::Quantified(quantified) => quantified.is_calm(),
        }
    }

    /// The number that [`Part::undo`] needs; another generation of numbers is another matter.
    pub(super) fn mark(&self) -> (StateId, u32) {
        match self {
            Part::Plain(plain) => (plain.state, plain.lazy.generation()),
            Part::Quantified(_) => (0, 0),
        }
    }

    /// Takes the newest call that moved the part back, before which it had that mark; `beside` as it
    /// [moved](Moved). `false` if it cannot.
    pub(super) fn undo(&mut self, (state, generation): (StateId, u32), beside: bool) -> bool {
        match self {
            Part::Plain(plain) => {
                plain.state = state;
                generation == plain.lazy.generation() && (!beside || plain.reader.undo())
            }
            Part::Quantified(quantified) => quantified.undo(),
        }
    }

    /// Before the first call again.
    pub(super) fn reset(&mut self) {
        match self {
            Part::Plain(plain) => {
                plain.state = Lazy::START;
                plain.reader.reset();
            }
            Part::Quantified(quantified) => quantified.reset(),
        }
    }
}
