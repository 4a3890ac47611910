//! A machine whose transitions are remembered as they are first taken.

use agentltl_core::Verdict;
use agentltl_core::monitor::{Machine, Output, OverBudget, State};

use super::hash::QuickMap;

/// The number of a state.
pub(super) type StateId = u32;
/// The number of a letter.
pub(super) type LetterId = u32;

/// How many states are remembered before the table starts afresh.
const MAX_STATES: usize = 4096;
/// How many letters a machine may meet.
const MAX_LETTERS: usize = 4096;

/// What a step leads to and tells, in one word; 0 is a step not taken yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step(u32);

impl Step {
    const TAKEN: u32 = 1 << 7;
    const BREAKS_HERE: u32 = 1 << 4;
    const BREAKS: u32 = 1 << 3;

    fn new(next: StateId, output: Output) -> Self {
        let flag = |set, flag| if set { flag } else { 0 };
        Step(
            next << 8
                | Self::TAKEN
                | flag(output.breaks_here, Self::BREAKS_HERE)
                | flag(output.breaks, Self::BREAKS)
                | output.verdict as u32,
        )
    }

    pub(super) const fn next(self) -> StateId {
        self.0 >> 8
    }

    pub(super) const fn breaks(self) -> bool {
        self.0 & Self::BREAKS != 0
    }

    pub(super) const fn breaks_here(self) -> bool {
        self.0 & Self::BREAKS_HERE != 0
    }

    pub(super) const fn verdict(self) -> Verdict {
        match self.0 & 7 {
            0 => Verdict::False,
            1 => Verdict::PFalse,
            2 => Verdict::Pending,
            3 => Verdict::PTrue,
            _ => Verdict::True,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Lazy {
    machine: Machine,
    states: Vec<State>,
    ids: QuickMap<State, StateId>,
    letters: QuickMap<Box<[u8]>, LetterId>,
    spelled: Vec<Box<[u8]>>,
    /// `1 << shift` entries a state.
    table: Vec<Step>,
    shift: u32,
    /// How often states have got new numbers.
    generation: u32,
}

impl Lazy {
    pub(super) const START: StateId = 0;

    pub(super) fn new(machine: Machine) -> Self {
        let mut lazy = Lazy {
            states: Vec::new(),
            ids: QuickMap::default(),
            letters: QuickMap::default(),
            spelled: Vec::new(),
            table: Vec::new(),
            shift: 2,
            generation: 0,
            machine,
        };
        lazy.state(lazy.machine.start());
        lazy
    }

    fn state(&mut self, state: State) -> StateId {
        if let Some(id) = self.ids.get(&state) {
            return *id;
        }
        let id = self.states.len() as StateId;
        self.states.push(state.clone());
        self.ids.insert(state, id);
        self.table.resize(self.states.len() << self.shift, Step(0));
        id
    }

    pub(super) fn letter(&mut self, answers: &[u8]) -> Result<LetterId, OverBudget> {
        if let Some(id) = self.letters.get(answers) {
            return Ok(*id);
        }
        if self.spelled.len() >= MAX_LETTERS {
            return Err(OverBudget);
        }
        let id = self.spelled.len() as LetterId;
        self.spelled.push(answers.into());
        self.letters.insert(answers.into(), id);
        while self.spelled.len() > 1 << self.shift {
            let wider = self.shift + 1;
            let mut table = Vec::with_capacity(self.states.len() << wider);
            for row in self.table.chunks(1 << self.shift) {
                table.extend_from_slice(row);
                table.resize(table.len() + row.len(), Step(0));
            }
            (self.table, self.shift) = (table, wider);
        }
        Ok(id)
    }

    pub(super) fn step(&mut self, state: StateId, letter: LetterId) -> Result<Step, OverBudget> {
        let at = ((state as usize) << self.shift) + letter as usize;
        match self.table.get(at) {
            Some(step) if step.0 != 0 => Ok(*step),
            _ => self.take(state, letter, at),
        }
    }

    #[cold]
    fn take(&mut self, state: StateId, letter: LetterId, at: usize) -> Result<Step, OverBudget> {
        let (next, output) = self
            .machine
            .step(&self.states[state as usize], &self.spelled[letter as usize])?;
        let next = self.state(next);
        let step = Step::new(next, output);
        self.table[at] = step;
        Ok(step)
    }

    pub(super) fn generation(&self) -> u32 {
        self.generation
    }

    /// Is it time to [forget](Self::forget)?
    pub(super) fn is_large(&self) -> bool {
        self.states.len() > MAX_STATES || self.machine.size() > Machine::BUDGET / 2
    }

    /// Forgets all states but the start and the given ones, which get new numbers.
    pub(super) fn forget(&mut self, keep: &mut [&mut StateId]) -> Result<(), OverBudget> {
        let mut kept: Vec<State> = vec![self.machine.start()];
        kept.extend(keep.iter().map(|id| self.states[**id as usize].clone()));
        self.machine.compact(&mut kept)?;
        if self.machine.size() > Machine::BUDGET / 2 {
            return Err(OverBudget);
        }
        self.generation += 1;
        self.states.clear();
        self.ids.clear();
        self.table.clear();
        for (i, state) in kept.into_iter().enumerate() {
            let id = self.state(state);
            if let Some(keep) = i.checked_sub(1).and_then(|i| keep.get_mut(i)) {
                **keep = id;
            }
        }
        Ok(())
    }
}
