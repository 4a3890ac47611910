//! Some of the tables side by side, and the calls that they can tell apart.

use std::collections::HashSet;

use super::NotAnalysed;
use super::alphabet::{Alphabet, Letters};
use super::sample::SampleRun;
use super::table::{Budget, LetterId, NEVER, StateId, Step, Table};
use super::tables::{TableId, Tables};

/// The number of a move, see [`Alphabet`].
pub(super) type MoveId = u32;

#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) tables: Tables,
    pub(super) alphabet: Alphabet,
}

/// Where a call is not like one of a tool that nobody names: the place of the table in the view, and
/// its letter.
pub(super) type Changes = Vec<(usize, LetterId)>;

/// A kind of move, of which the first stands for all that change the same.
#[derive(Debug)]
pub(super) struct ViewMove {
    pub(super) id: MoveId,
    pub(super) changes: Changes,
}

#[derive(Debug)]
pub(super) struct ViewProposal {
    pub(super) id: u32,
    pub(super) changes: Changes,
    pub(super) moves: Vec<ViewMove>,
}

#[derive(Debug)]
pub(super) struct View {
    pub(super) members: Vec<TableId>,
    pub(super) idle: Vec<LetterId>,
    pub(super) proposals: Vec<ViewProposal>,
}

impl World {
    /// These tables, with the kinds of calls that they can tell apart.
    pub(super) fn view(&self, members: &[TableId]) -> View {
        let mut slots = vec![usize::MAX; self.tables.len()];
        for (slot, table) in members.iter().enumerate() {
            slots[*table] = slot;
        }
        let changes = |letters: &Letters| -> Changes {
            let mut changes = Changes::new();
            for (table, letter) in letters {
                if slots[*table] != usize::MAX {
                    changes.push((slots[*table], *letter));
                }
            }
            changes
        };
        let mut touched: Vec<u32> = Vec::new();
        for table in members {
            touched.extend(&self.alphabet.touching[*table]);
        }
        touched.sort_unstable();
        touched.dedup();
        // The first call of which none can tell anything stands for all of those.
        let idle = (0..self.alphabet.proposals.len() as u32)
            .zip(touched.iter().map(Some).chain(std::iter::repeat(None)))
            .find(|(id, touched)| *touched != Some(id));
        if let Some((id, _)) = idle {
            let place = touched.partition_point(|other| *other < id);
            touched.insert(place, id);
        }
        let mut seen: HashSet<Vec<Changes>> = HashSet::new();
        let mut proposals = Vec::new();
        for id in touched {
            let proposal = &self.alphabet.proposals[id as usize];
            let mut key = vec![changes(&proposal.letters)];
            let mut moves: Vec<ViewMove> = Vec::new();
            for id in proposal.moves.clone() {
                let changes = changes(&self.alphabet.moves[id as usize].letters);
                if moves.iter().all(|other| other.changes != changes) {
                    key.push(changes.clone());
                    moves.push(ViewMove { id, changes });
                }
            }
            let changes = key[0].clone();
            if seen.insert(key) {
                proposals.push(ViewProposal { id, changes, moves });
            }
        }
        View {
            members: members.to_vec(),
            idle: members
                .iter()
                .map(|table| self.alphabet.idle[*table])
                .collect(),
            proposals,
        }
    }

    /// What the steps along a path are.
    pub(super) fn steps(
        &mut self,
        table: TableId,
        path: &[MoveId],
        budget: &mut Budget,
    ) -> Result<Vec<Step>, NotAnalysed> {
        let mut state = Table::START;
        let mut steps = Vec::with_capacity(path.len());
        for step in path {
            let letter = self.alphabet.letter_of(*step, table);
            let step = self.tables.step(table, state, letter, budget)?;
            state = step.next;
            steps.push(step);
        }
        Ok(steps)
    }

    /// The last step along a path, of those with calls that the table can tell from others unless it
    /// `minds` all.
    pub(super) fn last_step(
        &mut self,
        table: TableId,
        path: &[MoveId],
        minds: bool,
        budget: &mut Budget,
    ) -> Result<Option<Step>, NotAnalysed> {
        let mut last: Option<Step> = None;
        for step in path {
            let letter = self.alphabet.letter_of(*step, table);
            if minds || letter != self.alphabet.idle[table] {
                let state = last.map_or(Table::START, |step| step.next);
                last = Some(self.tables.step(table, state, letter, budget)?);
            }
        }
        Ok(last)
    }

    /// For each table the calls of a path that it can tell from others: their places and letters.
    pub(super) fn told(&self, path: &[MoveId]) -> Vec<Vec<(usize, LetterId)>> {
        let mut told = vec![Vec::new(); self.tables.len()];
        for (place, step) in path.iter().enumerate() {
            for (table, letter) in &self.alphabet.moves[*step as usize].letters {
                told[*table].push((place, *letter));
            }
        }
        told
    }

    /// The last step along a path of that length, given what the table is [told](Self::told).
    pub(super) fn last_of(
        &mut self,
        table: TableId,
        told: &[(usize, LetterId)],
        length: usize,
        budget: &mut Budget,
    ) -> Result<Option<Step>, NotAnalysed> {
        let idle = self.alphabet.idle[table];
        let mut last: Option<Step> = None;
        let mut at = 0;
        let end = (length, None);
        for (place, letter) in told
            .iter()
            .map(|(place, l)| (*place, Some(*l)))
            .chain([end])
        {
            while at < place {
                let state = last.map_or(Table::START, |step| step.next);
                let step = self.tables.step(table, state, idle, budget)?;
                last = Some(step);
                // From there all of them are the same.
                at = if step.next == state { place } else { at + 1 };
            }
            if let Some(letter) = letter {
                let state = last.map_or(Table::START, |step| step.next);
                last = Some(self.tables.step(table, state, letter, budget)?);
                at = place + 1;
            }
        }
        Ok(last)
    }

    /// The shortest path to a call that the table must refuse, before it refuses any.
    pub(super) fn first_refusal(
        &mut self,
        table: TableId,
        budget: &mut Budget,
    ) -> Result<Option<Vec<MoveId>>, NotAnalysed> {
        let view = self.view(&[table]);
        let mut known = HashSet::from([Table::START]);
        let mut todo = std::collections::VecDeque::from([(Table::START, Vec::new())]);
        while let Some((state, path)) = todo.pop_front() {
            for proposal in &view.proposals {
                let letter = proposal
                    .changes
                    .first()
                    .map_or(view.idle[0], |change| change.1);
                if self.tables.step(table, state, letter, budget)?.must_break {
                    let unknown = self.alphabet.proposals[proposal.id as usize].moves.start;
                    return Ok(Some([path.as_slice(), &[unknown]].concat()));
                }
            }
            for proposal in &view.proposals {
                for step in &proposal.moves {
                    let letter = step.changes.first().map_or(view.idle[0], |change| change.1);
                    let taken = self.tables.step(table, state, letter, budget)?;
                    if !taken.may_break && known.insert(taken.next) {
                        todo.push_back((taken.next, [path.as_slice(), &[step.id]].concat()));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The calls of a path.
    pub(super) fn sample(&self, path: &[MoveId]) -> SampleRun {
        SampleRun(path.iter().map(|step| self.alphabet.call(*step)).collect())
    }

    /// How far it is at least from the state to where the table's formula holds, or not; [`NEVER`]
    /// where that is never.
    pub(super) fn distance(
        &mut self,
        table: TableId,
        state: StateId,
        hold: bool,
        budget: &mut Budget,
    ) -> Result<u32, NotAnalysed> {
        let machine = self.tables.machine(table);
        if let Some(map) = machine.map(hold, budget)?
            && let Some(distance) = map.get(state as usize)
        {
            return Ok(*distance);
        }
        Ok(1)
    }

    /// From the state the table's formula never holds, or never fails.
    pub(super) fn is_lost(
        &mut self,
        table: TableId,
        step: Step,
        hold: bool,
        budget: &mut Budget,
    ) -> Result<bool, NotAnalysed> {
        if step.may(hold) {
            return Ok(false);
        }
        Ok(self.distance(table, step.next, hold, budget)? == NEVER
            || self.tables.machine(table).is_settled(step.next))
    }
}

impl View {
    /// What the calls are to the tables: of each proposal that, and that of its moves.
    pub(super) fn letters(&self) -> Vec<Vec<Changes>> {
        let proposals = self.proposals.iter();
        proposals
            .map(|proposal| {
                let moves = proposal.moves.iter().map(|step| step.changes.clone());
                std::iter::once(proposal.changes.clone())
                    .chain(moves)
                    .collect()
            })
            .collect()
    }
}

/// Vectors of states, each once.
#[derive(Debug)]
pub(super) struct Arena {
    width: usize,
    data: Vec<StateId>,
    /// Open addressing: one more than the number of a vector, or 0.
    places: Vec<u32>,
    count: usize,
}

/// What a state in a place adds to the hash of a vector.
pub(super) const fn mix(slot: usize, state: StateId) -> u64 {
    let word = ((slot as u64) << 32 | state as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (word ^ (word >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

impl Arena {
    pub(super) fn new(width: usize) -> Self {
        Arena {
            width,
            data: Vec::new(),
            places: vec![0; 64],
            count: 0,
        }
    }

    pub(super) fn get(&self, id: usize) -> &[StateId] {
        &self.data[id * self.width..(id + 1) * self.width]
    }

    /// The number of the vector, and whether it is new; the hash is the [mix] of all its states.
    pub(super) fn insert(&mut self, hash: u64, states: &[StateId]) -> (usize, bool) {
        if self.count * 2 >= self.places.len() {
            self.grow();
        }
        let place = match self.find(hash, states) {
            Ok(known) => return (known, false),
            Err(place) => place,
        };
        self.places[place] = self.count as u32 + 1;
        self.data.extend_from_slice(states);
        self.count += 1;
        (self.count - 1, true)
    }

    /// The number of the vector, or the place where it is to be noted.
    pub(super) fn find(&self, hash: u64, states: &[StateId]) -> Result<usize, usize> {
        let mask = self.places.len() - 1;
        let mut place = (hash >> 20) as usize & mask;
        loop {
            match self.places[place] {
                0 => return Err(place),
                id if self.get(id as usize - 1) == states => return Ok(id as usize - 1),
                _ => place = (place + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let mut places = vec![0; self.places.len() * 2];
        let mask = places.len() - 1;
        for id in 0..self.count {
            let states = self.get(id).iter().enumerate();
            let hash = states.fold(0, |hash, (slot, state)| hash ^ mix(slot, *state));
            let mut place = (hash >> 20) as usize & mask;
            while places[place] != 0 {
                place = (place + 1) & mask;
            }
            places[place] = id as u32 + 1;
        }
        self.places = places;
    }
}
