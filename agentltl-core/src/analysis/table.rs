//! A machine as a table that is filled in as it is explored.

use std::collections::HashMap;

use super::NotAnalysed;
use crate::formula::Formula;
use crate::monitor::{Input, Machine, State, is_newest_only};
use crate::node::Node;
use crate::verdict::Verdict;

pub(super) type StateId = u32;
pub(super) type LetterId = u32;

/// What is left of the work an analysis may do, in look-ups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(u64);

/// What a new step of a machine costs in look-ups.
const STEP: u64 = 40;
const MAX_STATES: usize = 10_000;

impl Budget {
    pub(super) const fn new(lookups: u64) -> Self {
        Budget(lookups)
    }

    pub(super) fn spend(&mut self, lookups: u64) -> Result<(), NotAnalysed> {
        self.0 = self.0.checked_sub(lookups).ok_or(NotAnalysed::BUDGET)?;
        Ok(())
    }

    /// A part of it for one question; what that costs is to be [spent](Self::spend) here.
    pub(super) fn part(&self, most: u64) -> Self {
        Budget(self.0.min(most))
    }

    pub(super) fn spent_of(&self, whole: Self) -> u64 {
        whole.0 - self.0
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) next: StateId,
    /// The running verdict, or TRUE or FALSE for a finished run.
    pub(super) verdict: Verdict,
    /// Is the call refused?
    pub(super) breaks: bool,
}

/// A state of the machine, and the position as far as the machine asks for it.
type Place = (State, u64);

#[derive(Debug)]
pub(super) struct Table {
    machine: Machine,
    newest: bool,
    /// The places in a letter that ask for the position, with the position.
    positions: Vec<(usize, u64)>,
    /// The positions from here on are all the same.
    last: u64,
    states: Vec<Place>,
    ids: HashMap<Place, StateId>,
    letters: Vec<Box<[u8]>>,
    letter_ids: HashMap<Box<[u8]>, LetterId>,
    steps: Vec<Vec<Option<Step>>>,
}

impl Table {
    pub(super) const START: StateId = 0;

    /// The machine that judges calls.
    pub(super) fn enforcing(formula: &Formula) -> Result<Self, NotAnalysed> {
        let newest = is_newest_only(formula);
        let machine = Machine::new(formula, newest, &|_| false)?;
        Table::new(formula, machine, newest)
    }

    /// The machine that judges finished runs.
    pub(super) fn finished(formula: &Formula) -> Result<Self, NotAnalysed> {
        Table::new(formula, Machine::finished(formula)?, false)
    }

    fn new(formula: &Formula, machine: Machine, newest: bool) -> Result<Self, NotAnalysed> {
        refuse_free(formula)?;
        let mut positions = Vec::new();
        for (place, input) in machine.inputs().iter().enumerate() {
            match input {
                Input::Tool(_) | Input::Call(..) | Input::Result(..) | Input::Later(_) => {}
                Input::Position(position) => positions.push((place, *position)),
                Input::External(id) => return Err(external(&formula.nodes()[*id])),
                Input::Pattern(..) => {
                    return Err(NotAnalysed::new("it asks a pattern in Rust code"));
                }
                Input::LookingBack(_) => {
                    return Err(NotAnalysed::new("it asks a predicate in Rust code"));
                }
            }
        }
        let last = positions.iter().map(|(_, position)| position + 1).max();
        let start = (machine.start(), 0);
        Ok(Table {
            machine,
            newest,
            positions,
            last: last.unwrap_or(0),
            states: vec![start.clone()],
            ids: HashMap::from([(start, Table::START)]),
            letters: Vec::new(),
            letter_ids: HashMap::new(),
            steps: vec![Vec::new()],
        })
    }

    pub(super) fn inputs(&self) -> &[Input] {
        self.machine.inputs()
    }

    pub(super) fn letter(&mut self, answers: Vec<u8>) -> LetterId {
        let answers = answers.into_boxed_slice();
        if let Some(id) = self.letter_ids.get(&answers) {
            return *id;
        }
        let id = self.letters.len() as LetterId;
        self.letters.push(answers.clone());
        self.letter_ids.insert(answers, id);
        id
    }

    pub(super) fn letters(&self) -> LetterId {
        self.letters.len() as LetterId
    }

    pub(super) fn states(&self) -> StateId {
        self.states.len() as StateId
    }

    /// Is the state one in which nothing changes any more?
    pub(super) fn is_settled(&self, state: StateId) -> bool {
        self.states[state as usize].0.is_settled()
    }

    pub(super) fn step(
        &mut self,
        state: StateId,
        letter: LetterId,
        budget: &mut Budget,
    ) -> Result<Step, NotAnalysed> {
        budget.spend(1)?;
        if let Some(Some(step)) = self.steps[state as usize].get(letter as usize) {
            return Ok(*step);
        }
        budget.spend(STEP)?;
        let (from, position) = self.states[state as usize].clone();
        let mut answers = self.letters[letter as usize].to_vec();
        for (place, asked) in &self.positions {
            answers[*place] = u8::from(*asked == position);
        }
        let size = self.machine.size();
        let (next, output) = self.machine.step(&from, &answers)?;
        budget.spend((self.machine.size() - size) as u64 * 4)?;
        // A state in which nothing changes any more has no position.
        let position = match next.is_settled() {
            true => self.last,
            false => (position + 1).min(self.last),
        };
        let step = Step {
            next: self.state((next, position))?,
            verdict: output.verdict,
            breaks: match self.newest {
                true => output.breaks_here,
                false => output.breaks,
            },
        };
        let row = &mut self.steps[state as usize];
        if row.len() <= letter as usize {
            row.resize(letter as usize + 1, None);
        }
        row[letter as usize] = Some(step);
        Ok(step)
    }

    fn state(&mut self, place: Place) -> Result<StateId, NotAnalysed> {
        if let Some(id) = self.ids.get(&place) {
            return Ok(*id);
        }
        if self.states.len() >= MAX_STATES {
            return Err(NotAnalysed::BUDGET);
        }
        let id = self.states.len() as StateId;
        self.states.push(place.clone());
        self.steps.push(Vec::new());
        self.ids.insert(place, id);
        Ok(id)
    }
}

/// What only the program, or a call, can tell.
fn refuse_free(formula: &Formula) -> Result<(), NotAnalysed> {
    if formula.tools().iter().any(|tool| tool.is_path()) {
        return Err(NotAnalysed::new(
            "it names a tool by a Rust constant, whose value is not known here",
        ));
    }
    // Before anything is built: these are refused at some depth or other.
    let external = |node: &&Node| {
        matches!(
            node,
            Node::Forall(..) | Node::Exists(..) | Node::Predicate { .. }
        )
    };
    match formula.nodes().iter().find(external) {
        Some(node) => Err(self::external(node)),
        None if formula.unbound_variable().is_some() => {
            Err(NotAnalysed::new("a variable is not bound"))
        }
        None => Ok(()),
    }
}

fn external(node: &Node) -> NotAnalysed {
    NotAnalysed::new(match node {
        Node::Forall(..) | Node::Exists(..) => "it has a quantifier",
        Node::Predicate { .. } => "it asks a predicate in Rust code",
        _ => "it has a number too large to explore",
    })
}

/// Does the formula hold on the finished run without calls?
pub(super) fn holds_empty(formula: &Formula) -> bool {
    let mut stack: Vec<bool> = Vec::new();
    for node in formula.nodes() {
        let operands = stack.split_off(stack.len() - node.arity());
        stack.push(match node {
            Node::True | Node::Globally | Node::WeakUntil | Node::Release | Node::Historically => {
                true
            }
            Node::Not => !operands[0],
            Node::And(_) => operands.iter().all(|holds| *holds),
            Node::Or(_) => operands.iter().any(|holds| *holds),
            Node::Implies => !operands[0] || operands[1],
            Node::CountBefore(bound) => bound.admits(0),
            // The atoms about the whole run that hold before the first call.
            Node::CalledN(_, bound) => bound.admits(0),
            _ => false,
        });
    }
    stack.pop().unwrap_or(false)
}
