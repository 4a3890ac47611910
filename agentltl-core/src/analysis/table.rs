//! A machine as a table that is filled in as it is explored.

use std::collections::HashMap;

use super::NotAnalysed;
use super::free::Free;
use super::raw::{Raw, RawStep};
use crate::formula::Formula;
use crate::monitor::{Input, Machine, is_newest_only, reach_whatever_is_declared};
use crate::node::{Domain, Node};
use crate::verdict::{Verdict, VerdictSet};

pub(super) type StateId = u32;
pub(super) type LetterId = u32;

/// What is left of the work an analysis may do, in look-ups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(u64);

pub(super) const MAX_STATES: usize = 10_000;
/// So many states are told apart where free answers lead to several.
const MAX_AT_ONCE: usize = 64;
/// From there it is not reached.
pub(super) const NEVER: u32 = u32::MAX;

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

/// What a call does. Where answers of Rust code are free, something may be so by some of them and
/// must be so by all of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) next: StateId,
    /// The running verdict, or TRUE or FALSE for a finished run; `None` where that is free.
    pub(super) verdict: Option<Verdict>,
    /// Does the formula hold on the run as finished?
    pub(super) may_hold: bool,
    pub(super) must_hold: bool,
    /// Is the call refused?
    pub(super) may_break: bool,
    pub(super) must_break: bool,
}

impl Step {
    const UNTRIED: Step = Step {
        next: u32::MAX,
        verdict: None,
        may_hold: false,
        must_hold: false,
        may_break: false,
        must_break: false,
    };

    /// Nothing is known.
    const ANY: Step = Step {
        next: Table::START,
        verdict: None,
        may_hold: true,
        must_hold: false,
        may_break: true,
        must_break: false,
    };

    /// Can it be like this? What must not hold may fail.
    pub(super) const fn may(&self, hold: bool) -> bool {
        if hold { self.may_hold } else { !self.must_hold }
    }
}

#[derive(Debug)]
pub(super) struct Table {
    /// `None` where nothing is known of the formula.
    pub(super) raw: Option<Raw>,
    never_refuses: bool,
    free: Free,
    /// For each state those of the machine that it may be.
    states: Vec<Box<[u32]>>,
    ids: HashMap<Box<[u32]>, StateId>,
    /// For each letter those of the machine that it may be.
    letters: Vec<Box<[u32]>>,
    letter_ids: HashMap<Box<[u8]>, LetterId>,
    pub(super) steps: Vec<Vec<Step>>,
    /// How far it is from each state to where the formula does not hold, and does.
    pub(super) maps: [Option<Vec<u32>>; 2],
    /// For each letter: may it be refused in some state, and must it?
    pub(super) refused: Option<(Vec<bool>, Vec<bool>)>,
}

impl Table {
    pub(super) const START: StateId = 0;

    /// The machine that judges calls.
    pub(super) fn enforcing(formula: &Formula) -> Result<Self, NotAnalysed> {
        let newest = is_newest_only(formula);
        let free = Free::of(formula);
        let machine = Machine::new(formula, newest, &|_| false);
        // Here Rust code is asked of positions again and again.
        let machine = match machine {
            Err(_) if free.is_any() => None,
            machine => Some(machine?),
        };
        Table::new(formula, machine, newest, free, false)
    }

    /// The machine that judges finished runs.
    pub(super) fn finished(formula: &Formula) -> Result<Self, NotAnalysed> {
        let free = Free::of(formula);
        // Of a finished run, any answers at any positions are those of some code.
        let machine = match Machine::finished_with(formula, &|_| true) {
            Err(_) if free.is_any() => None,
            machine => Some(machine?),
        };
        Table::new(formula, machine, false, free, true)
    }

    fn new(
        formula: &Formula,
        machine: Option<Machine>,
        newest: bool,
        mut free: Free,
        finished: bool,
    ) -> Result<Self, NotAnalysed> {
        refuse_unknown(formula)?;
        let raw = match machine {
            Some(machine) if free.find(formula, machine.inputs(), finished)? => Some(machine),
            _ => None,
        };
        let raw = raw.map(|machine| Raw::new(machine, newest));
        let reach = reach_whatever_is_declared(formula);
        let reach = reach.last().copied().unwrap_or(VerdictSet::ALL);
        Ok(Table {
            raw,
            never_refuses: !reach.iter().any(Verdict::refuses),
            free,
            states: vec![[Table::START].into()],
            ids: HashMap::from([([Table::START].into(), Table::START)]),
            letters: Vec::new(),
            letter_ids: HashMap::new(),
            steps: vec![Vec::new()],
            maps: [None, None],
            refused: None,
        })
    }

    pub(super) fn inputs(&self) -> &[Input] {
        self.raw.as_ref().map_or(&[], |raw| raw.machine.inputs())
    }

    /// The letter of a call that answers like this; what is free of it is any.
    pub(super) fn letter(&mut self, answers: Vec<u8>) -> LetterId {
        let answers = answers.into_boxed_slice();
        if let Some(id) = self.letter_ids.get(&answers) {
            return *id;
        }
        let id = self.letters.len() as LetterId;
        let mut raw_letters = Vec::new();
        if let Some(raw) = &mut self.raw {
            for answers in self.free.fill(&answers) {
                raw_letters.push(raw.letters.len() as u32);
                raw.letters.push(answers);
            }
        }
        self.letters.push(raw_letters.into());
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
        let Some(raw) = &self.raw else { return false };
        let mut states = self.states[state as usize].iter();
        states.all(|state| raw.states[*state as usize].0.is_settled())
    }

    pub(super) fn step(
        &mut self,
        state: StateId,
        letter: LetterId,
        budget: &mut Budget,
    ) -> Result<Step, NotAnalysed> {
        budget.spend(1)?;
        let row = &self.steps[state as usize];
        if (letter as usize) < row.len() {
            let step = row[letter as usize];
            if step.next != Step::UNTRIED.next {
                return Ok(step);
            }
        }
        let step = self.first_step(state, letter, budget)?;
        let row = &mut self.steps[state as usize];
        if row.len() <= letter as usize {
            row.resize(self.letters.len(), Step::UNTRIED);
        }
        row[letter as usize] = step;
        Ok(step)
    }

    fn first_step(
        &mut self,
        state: StateId,
        letter: LetterId,
        budget: &mut Budget,
    ) -> Result<Step, NotAnalysed> {
        let Some(raw) = &mut self.raw else {
            return Ok(Step {
                may_break: !self.never_refuses,
                ..Step::ANY
            });
        };
        let mut all: Vec<RawStep> = Vec::new();
        for state in &self.states[state as usize] {
            for letter in &self.letters[letter as usize] {
                all.push(raw.step(*state, *letter, budget)?);
            }
        }
        let mut next: Vec<u32> = all.iter().map(|step| step.next).collect();
        next.sort_unstable();
        next.dedup();
        if next.len() > MAX_AT_ONCE {
            return Err(NotAnalysed::BUDGET);
        }
        let verdict = all.first().map(|step| step.verdict);
        Ok(Step {
            next: self.state(next.into())?,
            verdict: verdict.filter(|verdict| all.iter().all(|step| step.verdict == *verdict)),
            may_hold: all.iter().any(|step| step.verdict.holds()),
            must_hold: all.iter().all(|step| step.verdict.holds()),
            may_break: all.iter().any(|step| step.breaks),
            must_break: all.iter().all(|step| step.breaks),
        })
    }

    fn state(&mut self, states: Box<[u32]>) -> Result<StateId, NotAnalysed> {
        if let Some(id) = self.ids.get(&states) {
            return Ok(*id);
        }
        if self.states.len() >= MAX_STATES {
            return Err(NotAnalysed::BUDGET);
        }
        let id = self.states.len() as StateId;
        self.states.push(states.clone());
        self.steps.push(Vec::new());
        self.ids.insert(states, id);
        Ok(id)
    }
}

/// What only rustc can tell.
fn refuse_unknown(formula: &Formula) -> Result<(), NotAnalysed> {
    if formula.tools().iter().any(|tool| tool.is_path()) {
        return Err(NotAnalysed::new(
            "it names a tool by a Rust constant, whose value is not known here",
        ));
    }
    match formula.unbound_variable() {
        Some(_) => Err(NotAnalysed::new("a variable is not bound")),
        None => Ok(()),
    }
}

/// Does the formula hold on the finished run without calls? `None` where that is up to Rust code.
pub(super) fn holds_empty(formula: &Formula) -> Option<bool> {
    let mut stack: Vec<Option<bool>> = Vec::new();
    for node in formula.nodes() {
        let operands = stack.split_off(stack.len() - node.arity());
        stack.push(match node {
            Node::True | Node::Globally | Node::WeakUntil | Node::Release | Node::Historically => {
                Some(true)
            }
            Node::Predicate { .. } => None,
            Node::Not => operands[0].map(|holds| !holds),
            Node::And(_) if operands.contains(&Some(false)) => Some(false),
            Node::Or(_) if operands.contains(&Some(true)) => Some(true),
            Node::And(_) | Node::Or(_) if operands.contains(&None) => None,
            Node::And(_) => Some(true),
            Node::Implies => match (operands[0], operands[1]) {
                (Some(false), _) | (_, Some(true)) => Some(true),
                (Some(true), holds) => holds,
                (None, _) => None,
            },
            Node::Forall(_, domain) | Node::Exists(_, domain) => {
                let of_none = matches!(node, Node::Forall(..));
                match domain {
                    Domain::Args(..) | Domain::Results(..) => Some(of_none),
                    Domain::Values(values) if values.is_empty() => Some(of_none),
                    // Each of the entities, if there is one, says what the body says.
                    Domain::Values(_) => operands[0],
                    Domain::Host(_) => operands[0].filter(|holds| *holds == of_none),
                }
            }
            Node::CountBefore(bound) => Some(bound.admits(0)),
            // The atoms about the whole run that hold before the first call.
            Node::CalledN(_, bound) => Some(bound.admits(0)),
            _ => Some(false),
        });
    }
    stack.pop().flatten()
}
