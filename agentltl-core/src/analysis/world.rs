//! Several machines, run side by side over the calls they can tell apart.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

use super::NotAnalysed;
use super::alphabet::{Alphabet, Proposal};
use super::sample::SampleRun;
use super::table::{Budget, LetterId, StateId, Table};

pub(super) type TableId = usize;
/// The number of a move, see [`Alphabet`].
pub(super) type MoveId = u32;

/// What a finished run must be like: the formula of a table holds, or does not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) table: TableId,
    pub(super) holds: bool,
}

#[derive(Debug)]
pub(super) struct World {
    pub(super) tables: Vec<Table>,
    pub(super) alphabet: Alphabet,
}

impl World {
    /// Of a set of moves that lead the tables to the same states, the first.
    pub(super) fn distinct(&self, members: &[TableId]) -> Vec<MoveId> {
        let mut seen: HashSet<Vec<LetterId>> = HashSet::new();
        let moves = (0..).zip(&self.alphabet.moves);
        moves
            .filter(|(_, step)| seen.insert(members.iter().map(|id| step.letters[*id]).collect()))
            .map(|(id, _)| id)
            .collect()
    }

    /// A finished run that meets all goals: the shortest one, or where it is `any` the first that comes
    /// along. `empty` tells whether a goal's formula holds on the run without calls.
    pub(super) fn find(
        &mut self,
        goals: &[Goal],
        empty: &[bool],
        any: bool,
        budget: &mut Budget,
    ) -> Result<Option<Vec<MoveId>>, NotAnalysed> {
        let of_empty = goals.iter().zip(empty);
        if of_empty.clone().all(|(goal, empty)| goal.holds == *empty) {
            return Ok(Some(Vec::new()));
        }
        let members: Vec<_> = goals.iter().map(|goal| goal.table).collect();
        let moves = self.distinct(&members);
        budget.spend((self.alphabet.moves.len() * members.len() / 4) as u64)?;
        let start: Box<[StateId]> = vec![Table::START; goals.len()].into();
        let mut known = HashSet::from([start.clone()]);
        let mut nodes: Vec<(Box<[StateId]>, usize, MoveId)> = vec![(start, 0, 0)];
        // By how many goals are not met, if that matters, and by age.
        let mut todo = BinaryHeap::from([Reverse((0_usize, 0_usize))]);
        while let Some(Reverse((_, at))) = todo.pop() {
            let from = nodes[at].0.clone();
            'moves: for step in &moves {
                let mut next = from.clone();
                let mut unmet = 0;
                for (state, goal) in next.iter_mut().zip(goals) {
                    let letter = self.alphabet.moves[*step as usize].letters[goal.table];
                    let table = &mut self.tables[goal.table];
                    let taken = table.step(*state, letter, budget)?;
                    *state = taken.next;
                    if taken.verdict.holds() != goal.holds {
                        if table.is_settled(taken.next) {
                            continue 'moves;
                        }
                        unmet += 1;
                    }
                }
                if unmet == 0 {
                    let mut path = vec![*step];
                    let mut node = at;
                    while node != 0 {
                        path.push(nodes[node].2);
                        node = nodes[node].1;
                    }
                    path.reverse();
                    return Ok(Some(path));
                }
                if known.insert(next.clone()) {
                    todo.push(Reverse((if any { unmet } else { 0 }, nodes.len())));
                    nodes.push((next, at, *step));
                }
            }
        }
        Ok(None)
    }

    /// Does the table's formula hold on the finished run, which has calls?
    pub(super) fn holds(
        &mut self,
        table: TableId,
        path: &[MoveId],
        budget: &mut Budget,
    ) -> Result<bool, NotAnalysed> {
        let mut state = Table::START;
        let mut holds = false;
        for step in path {
            let letter = self.alphabet.moves[*step as usize].letters[table];
            let taken = self.tables[table].step(state, letter, budget)?;
            (state, holds) = (taken.next, taken.verdict.holds());
        }
        Ok(holds)
    }

    /// The calls of a path.
    pub(super) fn sample(&self, path: &[MoveId]) -> SampleRun {
        SampleRun(path.iter().map(|step| self.alphabet.call(*step)).collect())
    }

    /// For each letter of a table: is it refused in some state?
    pub(super) fn refused_letters(
        &mut self,
        table: TableId,
        budget: &mut Budget,
    ) -> Result<Vec<bool>, NotAnalysed> {
        let table = &mut self.tables[table];
        let mut refused = vec![false; table.letters() as usize];
        let mut state = Table::START;
        while state < table.states() {
            for letter in 0..table.letters() {
                refused[letter as usize] |= table.step(state, letter, budget)?.breaks;
            }
            state += 1;
        }
        Ok(refused)
    }
}

/// The states that obedient agents reach, and those that insisting ones do.
#[derive(Debug)]
pub(super) struct Reach {
    pub(super) members: Vec<TableId>,
    pub(super) nodes: Vec<Node>,
    /// The first so many nodes are reached by calls that nothing refuses.
    pub(super) obedient: usize,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) states: Box<[StateId]>,
    parent: usize,
    step: MoveId,
    /// Where calls lead that no blocking rule refuses.
    pub(super) next: Vec<u32>,
}

/// How a table takes part in a [`Reach`], weakest first: of several refusals the strongest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// It only watches.
    Watches,
    /// Its rule refuses calls, but the agent can insist.
    Warns,
    /// Its rule refuses calls, and the agent is to try something else.
    Retries,
    /// Its rule refuses calls, but a human can approve.
    Asks,
    /// Its rule refuses calls, and there is no way past it.
    Blocks,
}

/// What a state says of each kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Answer {
    Allowed,
    Warned,
    Asked,
    Blocked,
}

impl World {
    /// All states of the product that can be reached, those of obedient agents first, by the
    /// shortest way.
    pub(super) fn reach(
        &mut self,
        parts: &[(TableId, Part)],
        budget: &mut Budget,
    ) -> Result<Reach, NotAnalysed> {
        let members: Vec<_> = parts.iter().map(|(table, _)| *table).collect();
        let start: Box<[StateId]> = vec![Table::START; members.len()].into();
        let mut known = HashMap::from([(start.clone(), 0_u32)]);
        let mut reach = Reach {
            members,
            nodes: vec![Node {
                states: start,
                parent: 0,
                step: 0,
                next: Vec::new(),
            }],
            obedient: 0,
        };
        let proposals = self.distinct_proposals(&reach.members);
        // Calls that there is a way to make are taken once all others have been.
        let mut insisted: VecDeque<(usize, u32)> = VecDeque::new();
        let mut at = 0;
        loop {
            while at < reach.nodes.len() {
                for proposal in &proposals {
                    match self.answer(parts, &reach.nodes[at].states, *proposal, budget)? {
                        Answer::Allowed => {
                            self.follow(&mut reach, &mut known, at, *proposal, budget)?;
                        }
                        Answer::Warned | Answer::Asked => insisted.push_back((at, *proposal)),
                        Answer::Blocked => {}
                    }
                }
                at += 1;
            }
            if reach.obedient == 0 {
                reach.obedient = reach.nodes.len();
            }
            match insisted.pop_front() {
                Some((from, proposal)) => {
                    self.follow(&mut reach, &mut known, from, proposal, budget)?;
                }
                None => return Ok(reach),
            }
        }
    }

    /// Is each call that `own` refuses refused by another table too, as long as no call was made
    /// that one of those that refuse did?
    pub(super) fn is_covered(
        &mut self,
        others: &[(TableId, bool)],
        own: TableId,
        budget: &mut Budget,
    ) -> Result<bool, NotAnalysed> {
        let mut members: Vec<_> = others.iter().map(|(table, _)| *table).collect();
        members.push(own);
        let proposals = self.distinct_proposals(&members);
        let start: Box<[StateId]> = vec![Table::START; members.len()].into();
        let mut known = HashSet::from([start.clone()]);
        let mut todo = vec![start];
        while let Some(states) = todo.pop() {
            for proposal in &proposals {
                let Proposal { letters, moves, .. } = &self.alphabet.proposals[*proposal as usize];
                let (mut noted, mut refused) = (false, false);
                for ((table, refuses), state) in others.iter().zip(&states) {
                    let breaks = self.tables[*table]
                        .step(*state, letters[*table], budget)?
                        .breaks;
                    noted |= breaks;
                    refused |= breaks && *refuses;
                }
                let own_state = states[members.len() - 1];
                if !noted
                    && self.tables[own]
                        .step(own_state, letters[own], budget)?
                        .breaks
                {
                    return Ok(false);
                }
                if refused {
                    continue;
                }
                for step in moves.clone() {
                    let letters = &self.alphabet.moves[step as usize].letters;
                    let mut next = states.clone();
                    for (state, table) in next.iter_mut().zip(&members) {
                        *state = self.tables[*table]
                            .step(*state, letters[*table], budget)?
                            .next;
                    }
                    if known.insert(next.clone()) {
                        todo.push(next);
                    }
                }
            }
        }
        Ok(true)
    }

    fn distinct_proposals(&self, members: &[TableId]) -> Vec<u32> {
        let mut seen: HashSet<Vec<Vec<LetterId>>> = HashSet::new();
        let letters_of = |letters: &[LetterId]| members.iter().map(|id| letters[*id]).collect();
        let proposals = (0..).zip(&self.alphabet.proposals);
        proposals
            .filter(|(_, proposal)| {
                let moves = proposal.moves.start as usize..proposal.moves.end as usize;
                let moves = self.alphabet.moves[moves].iter();
                let mut letters: Vec<_> = moves.map(|step| letters_of(&step.letters)).collect();
                letters.push(letters_of(&proposal.letters));
                seen.insert(letters)
            })
            .map(|(id, _)| id)
            .collect()
    }

    /// What the tables say of a call.
    pub(super) fn answer(
        &mut self,
        parts: &[(TableId, Part)],
        states: &[StateId],
        proposal: u32,
        budget: &mut Budget,
    ) -> Result<Answer, NotAnalysed> {
        let mut strongest = Part::Watches;
        for ((table, part), state) in parts.iter().zip(states) {
            let letter = self.alphabet.proposals[proposal as usize].letters[*table];
            if *part > strongest && self.tables[*table].step(*state, letter, budget)?.breaks {
                strongest = *part;
            }
        }
        Ok(match strongest {
            Part::Watches => Answer::Allowed,
            Part::Warns => Answer::Warned,
            Part::Asks => Answer::Asked,
            Part::Retries | Part::Blocks => Answer::Blocked,
        })
    }

    fn follow(
        &mut self,
        reach: &mut Reach,
        known: &mut HashMap<Box<[StateId]>, u32>,
        from: usize,
        proposal: u32,
        budget: &mut Budget,
    ) -> Result<(), NotAnalysed> {
        for step in self.alphabet.proposals[proposal as usize].moves.clone() {
            let mut states = reach.nodes[from].states.clone();
            for (state, table) in states.iter_mut().zip(&reach.members) {
                let letter = self.alphabet.moves[step as usize].letters[*table];
                *state = self.tables[*table].step(*state, letter, budget)?.next;
            }
            let node = match known.get(&states) {
                Some(node) => *node,
                None => {
                    let node = reach.nodes.len() as u32;
                    known.insert(states.clone(), node);
                    reach.nodes.push(Node {
                        states,
                        parent: from,
                        step,
                        next: Vec::new(),
                    });
                    node
                }
            };
            let next = &mut reach.nodes[from].next;
            if !next.contains(&node) {
                next.push(node);
            }
        }
        Ok(())
    }
}

impl Reach {
    /// The way to a node.
    pub(super) fn path(&self, mut node: usize) -> Vec<MoveId> {
        let mut path = Vec::new();
        while node != 0 {
            path.push(self.nodes[node].step);
            node = self.nodes[node].parent;
        }
        path.reverse();
        path
    }

    /// The state of the last table before the call by which a node was first reached, and that call.
    pub(super) fn entered(&self, node: usize) -> (StateId, MoveId) {
        let Node { parent, step, .. } = self.nodes[node];
        (self.nodes[parent].states[self.members.len() - 1], step)
    }

    /// The nodes from which none of these can be reached.
    pub(super) fn cannot_reach(&self, good: &[bool]) -> Vec<bool> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (from, node) in (0..).zip(&self.nodes) {
            for to in &node.next {
                before[*to as usize].push(from);
            }
        }
        let mut lost = vec![true; self.nodes.len()];
        let mut todo: Vec<usize> = (0..self.nodes.len()).filter(|node| good[*node]).collect();
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut lost[node], false) {
                todo.extend(before[node].iter().map(|node| *node as usize));
            }
        }
        lost
    }
}
