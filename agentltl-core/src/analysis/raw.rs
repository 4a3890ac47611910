//! A machine of which every letter says all that it asks, with its states as they are reached.

use std::collections::HashMap;

use super::NotAnalysed;
use super::table::{Budget, MAX_STATES};
use crate::monitor::{Input, Machine, State};
use crate::verdict::Verdict;

/// What a new step of a machine costs in look-ups.
const STEP: u64 = 40;

/// A state of the machine, and the position as far as the machine asks for it.
pub(super) type Place = (State, u64);

#[derive(Clone, Copy, Debug)]
pub(super) struct RawStep {
    pub(super) next: u32,
    pub(super) verdict: Verdict,
    pub(super) breaks: bool,
}

/// The machine, of which every letter says all that it asks.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) machine: Machine,
    newest: bool,
    /// The places in a letter that ask for the position, with the position.
    positions: Vec<(usize, u64)>,
    /// The positions from here on are all the same.
    last: u64,
    pub(super) states: Vec<Place>,
    ids: HashMap<Place, u32>,
    pub(super) letters: Vec<Box<[u8]>>,
}

impl Raw {
    pub(super) fn new(machine: Machine, newest: bool) -> Self {
        let mut positions = Vec::new();
        for (place, input) in machine.inputs().iter().enumerate() {
            if let Input::Position(position) = input {
                positions.push((place, *position));
            }
        }
        let last = positions.iter().map(|(_, position)| position + 1).max();
        let start = (machine.start(), 0);
        Raw {
            machine,
            newest,
            positions,
            last: last.unwrap_or(0),
            states: vec![start.clone()],
            ids: HashMap::from([(start, 0)]),
            letters: Vec::new(),
        }
    }

    pub(super) fn step(
        &mut self,
        state: u32,
        letter: u32,
        budget: &mut Budget,
    ) -> Result<RawStep, NotAnalysed> {
        budget.spend(STEP)?;
        let (from, position) = &self.states[state as usize];
        let position = *position;
        let mut answers = self.letters[letter as usize].to_vec();
        for (place, asked) in &self.positions {
            answers[*place] = u8::from(*asked == position);
        }
        let size = self.machine.size();
        let (next, output) = self.machine.step(from, &answers)?;
        budget.spend((self.machine.size() - size) as u64 * 4)?;
        // A state in which nothing changes any more has no position.
        let position = match next.is_settled() {
            true => self.last,
            false => (position + 1).min(self.last),
        };
        Ok(RawStep {
            next: self.state((next, position))?,
            verdict: output.verdict,
            breaks: match self.newest {
                true => output.breaks_here,
                false => output.breaks,
            },
        })
    }

    fn state(&mut self, place: Place) -> Result<u32, NotAnalysed> {
        if let Some(id) = self.ids.get(&place) {
            return Ok(*id);
        }
        if self.states.len() >= MAX_STATES {
            return Err(NotAnalysed::BUDGET);
        }
        let id = self.states.len() as u32;
        self.states.push(place.clone());
        self.ids.insert(place, id);
        Ok(id)
    }
}
