//! The states that agents reach.

use std::collections::VecDeque;

use super::NotAnalysed;
use super::table::{Budget, StateId, Step, Table};
use super::tables::TableId;
use super::view::{Arena, MoveId, View, World, mix};
use crate::severity::Severity;

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

impl Part {
    const ALL: [Part; 5] = [
        Part::Watches,
        Part::Warns,
        Part::Retries,
        Part::Asks,
        Part::Blocks,
    ];

    pub(super) fn of(severity: Severity) -> Self {
        match severity {
            Severity::HardStop | Severity::PersistentBlock => Part::Blocks,
            Severity::SoftBlock => Part::Retries,
            Severity::Ask => Part::Asks,
            Severity::BlockAndWarn => Part::Warns,
            Severity::Tolerate => Part::Watches,
        }
    }
}

/// What a state says of each kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Answer {
    Allowed,
    Warned,
    Asked,
    Blocked,
}

impl From<Part> for Answer {
    fn from(strongest: Part) -> Self {
        match strongest {
            Part::Watches => Answer::Allowed,
            Part::Warns => Answer::Warned,
            Part::Asks => Answer::Asked,
            Part::Retries | Part::Blocks => Answer::Blocked,
        }
    }
}

/// How a call is answered, whatever Rust code says: at least like this, and at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answers {
    pub(super) least: Answer,
    pub(super) most: Answer,
}

/// The states that obedient agents reach, and those that insisting ones do.
#[derive(Debug)]
pub(super) struct Reach {
    pub(super) view: View,
    pub(super) parts: Vec<Part>,
    arena: Arena,
    pub(super) nodes: Vec<Node>,
    /// The first so many nodes are reached by calls that nothing refuses.
    pub(super) obedient: usize,
}

#[derive(Debug)]
pub(super) struct Node {
    parent: usize,
    step: MoveId,
    /// Where calls lead that no blocking rule refuses: the proposal's number in the view, and the
    /// node.
    pub(super) next: Vec<(u32, u32)>,
    /// May the formula of the last table hold on a run that leads here?
    pub(super) may_hold: bool,
}

impl World {
    /// All states that can be reached, those of obedient agents first, by the shortest way; of the
    /// `insisting` ones only where that is told.
    pub(super) fn reach(
        &mut self,
        parts: &[(TableId, Part)],
        insisting: bool,
        budget: &mut Budget,
    ) -> Result<Reach, NotAnalysed> {
        let members: Vec<_> = parts.iter().map(|(table, _)| *table).collect();
        let width = members.len();
        let mut reach = Reach {
            view: self.view(&members),
            parts: parts.iter().map(|(_, part)| *part).collect(),
            arena: Arena::new(width),
            nodes: vec![Node {
                parent: 0,
                step: 0,
                next: Vec::new(),
                may_hold: false,
            }],
            obedient: 0,
        };
        budget.spend(4 * reach.view.proposals.len() as u64)?;
        let start = (0..width).fold(0, |hash, slot| hash ^ mix(slot, Table::START));
        reach.arena.insert(start, &vec![Table::START; width]);
        // Calls that there is a way to make are taken once all others have been.
        let mut insisted: VecDeque<(usize, usize)> = VecDeque::new();
        let mut at = 0;
        loop {
            while at < reach.nodes.len() {
                let states = reach.arena.get(at).to_vec();
                let idle = self.idle_steps(&reach.view, &states, budget)?;
                for proposal in 0..reach.view.proposals.len() {
                    let answers = self.answers(&reach, &states, &idle, proposal, budget)?;
                    if answers.most == Answer::Allowed {
                        self.follow(&mut reach, (at, &states, &idle), proposal, budget)?;
                    } else if answers.least < Answer::Blocked && insisting {
                        insisted.push_back((at, proposal));
                    }
                }
                at += 1;
            }
            if reach.obedient == 0 {
                reach.obedient = reach.nodes.len();
            }
            let Some((from, proposal)) = insisted.pop_front() else {
                return Ok(reach);
            };
            let states = reach.arena.get(from).to_vec();
            let idle = self.idle_steps(&reach.view, &states, budget)?;
            self.follow(&mut reach, (from, &states, &idle), proposal, budget)?;
        }
    }

    /// What a call does that no table can tell from one of a tool that nobody names.
    pub(super) fn idle_steps(
        &mut self,
        view: &View,
        states: &[StateId],
        budget: &mut Budget,
    ) -> Result<Vec<Step>, NotAnalysed> {
        let mut steps = Vec::with_capacity(states.len());
        for (slot, state) in states.iter().enumerate() {
            steps.push(
                self.tables
                    .step(view.members[slot], *state, view.idle[slot], budget)?,
            );
        }
        Ok(steps)
    }

    /// What the tables say of a proposal.
    pub(super) fn answers(
        &mut self,
        reach: &Reach,
        states: &[StateId],
        idle: &[Step],
        proposal: usize,
        budget: &mut Budget,
    ) -> Result<Answers, NotAnalysed> {
        let mut must = Part::Watches;
        let mut may = [false; Part::ALL.len()];
        let mut add = |part: Part, step: Step| {
            may[part as usize] |= step.may_break;
            if step.must_break {
                must = must.max(part);
            }
        };
        let changes = &reach.view.proposals[proposal].changes;
        for (slot, letter) in changes {
            let step =
                self.tables
                    .step(reach.view.members[*slot], states[*slot], *letter, budget)?;
            add(reach.parts[*slot], step);
        }
        for (slot, step) in idle.iter().enumerate() {
            if step.may_break && changes.iter().all(|(changed, _)| *changed != slot) {
                add(reach.parts[slot], *step);
            }
        }
        // One that is stronger can be weaker as an answer: what a human approves is made.
        let mut answers = Answers {
            least: must.into(),
            most: must.into(),
        };
        for part in Part::ALL.into_iter().filter(|part| *part > must) {
            if may[part as usize] {
                answers.least = answers.least.min(part.into());
                answers.most = answers.most.max(part.into());
            }
        }
        Ok(answers)
    }

    fn follow(
        &mut self,
        reach: &mut Reach,
        (from, states, idle): (usize, &[StateId], &[Step]),
        proposal: usize,
        budget: &mut Budget,
    ) -> Result<(), NotAnalysed> {
        let mut next: Vec<StateId> = idle.iter().map(|step| step.next).collect();
        for number in 0..reach.view.proposals[proposal].moves.len() {
            let step = &reach.view.proposals[proposal].moves[number];
            let mut last = idle.last().copied();
            for (slot, letter) in &step.changes {
                let taken =
                    self.tables
                        .step(reach.view.members[*slot], states[*slot], *letter, budget)?;
                next[*slot] = taken.next;
                if *slot + 1 == states.len() {
                    last = Some(taken);
                }
            }
            let hashed = next.iter().enumerate();
            let hash = hashed.fold(0, |hash, (slot, state)| hash ^ mix(slot, *state));
            let (node, new) = reach.arena.insert(hash, &next);
            if new {
                budget.spend(next.len() as u64 / 2)?;
                reach.nodes.push(Node {
                    parent: from,
                    step: step.id,
                    next: Vec::new(),
                    may_hold: false,
                });
            }
            // A run that leads here later may hold, too.
            reach.nodes[node].may_hold |= last.is_some_and(|step| step.may_hold);
            for (slot, _) in &step.changes {
                next[*slot] = idle[*slot].next;
            }
            let edge = (proposal as u32, node as u32);
            let edges = &mut reach.nodes[from].next;
            if !edges.contains(&edge) {
                edges.push(edge);
            }
        }
        Ok(())
    }
}

impl Reach {
    pub(super) fn states(&self, node: usize) -> &[StateId] {
        self.arena.get(node)
    }

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

    /// The nodes from which none of these can be reached, by proposals that `may` be taken.
    pub(super) fn cannot_reach(&self, good: &[bool], may: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (from, node) in (0..).zip(&self.nodes) {
            for (proposal, to) in &node.next {
                if may(*proposal) {
                    before[*to as usize].push(from);
                }
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

    /// How many calls it takes from each node to one of these.
    pub(super) fn distances(&self, good: &[bool]) -> Vec<u32> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (from, node) in (0..).zip(&self.nodes) {
            for (_, to) in &node.next {
                before[*to as usize].push(from);
            }
        }
        let mut distances = vec![u32::MAX; self.nodes.len()];
        let mut todo: VecDeque<usize> = VecDeque::new();
        for (node, good) in good.iter().enumerate() {
            if *good {
                distances[node] = 0;
                todo.push_back(node);
            }
        }
        while let Some(node) = todo.pop_front() {
            for from in &before[node] {
                if distances[*from as usize] == u32::MAX {
                    distances[*from as usize] = distances[node] + 1;
                    todo.push_back(*from as usize);
                }
            }
        }
        distances
    }
}
