//! The search for finished runs.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet, VecDeque};

use super::NotAnalysed;
use super::table::{Budget, NEVER, StateId, Step, Table};
use super::tables::TableId;
use super::view::{Arena, MoveId, View, ViewMove, World, mix};

/// So few goals are looked for without an order of the calls.
const FEW: usize = 8;

/// What a finished run must be like: the formula of a table holds, or does not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) table: TableId,
    pub(super) holds: bool,
    /// Does the formula hold on the run without calls? `None` where that is free.
    pub(super) empty: Option<bool>,
}

/// A vector of states after a call, as it is compared with others.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    hash: u64,
    /// How many goals are not met, and how many never will be.
    pub(super) unmet: usize,
    lost: usize,
    /// How far it is to each goal, added up, and to the farthest.
    pub(super) distance: u64,
    farthest: u32,
    /// How many goals can still be lost or unmet, where that is counted.
    pub(super) open: u32,
}

/// What one table contributes to a [`Sum`].
#[derive(Clone, Copy)]
struct Share {
    next: StateId,
    unmet: bool,
    lost: bool,
    distance: u32,
    far: u32,
    open: bool,
}

impl Sum {
    const NONE: Sum = Sum {
        hash: 0,
        unmet: 0,
        lost: 0,
        distance: 0,
        farthest: 0,
        open: 0,
    };

    fn add(&mut self, slot: usize, share: Share) {
        self.hash ^= mix(slot, share.next);
        self.unmet += usize::from(share.unmet);
        self.lost += usize::from(share.lost);
        self.distance += u64::from(share.distance);
        self.open += u32::from(share.open);
    }

    fn take(&mut self, slot: usize, share: Share) {
        self.hash ^= mix(slot, share.next);
        self.unmet -= usize::from(share.unmet);
        self.lost -= usize::from(share.lost);
        self.distance -= u64::from(share.distance);
        self.open -= u32::from(share.open);
    }
}

pub(super) struct Search<'w> {
    pub(super) world: &'w mut World,
    pub(super) goals: &'w [Goal],
    view: View,
    pub(super) arena: Arena,
    /// For each vector the one before and the move that led from there.
    from: Vec<(usize, MoveId)>,
    /// The states after a call that none can tell.
    idle: Vec<Share>,
    next: Vec<StateId>,
    /// How far each goal is, where a shortest run is looked for.
    far: Vec<u32>,
    shortest: bool,
    /// Is it counted how many goals are open?
    pub(super) climbs: bool,
}

impl World {
    /// A finished run that meets all goals: the shortest one, or where it is `any` one that comes
    /// along.
    pub(super) fn find(
        &mut self,
        goals: &[Goal],
        any: bool,
        budget: &mut Budget,
    ) -> Result<Option<Vec<MoveId>>, NotAnalysed> {
        let met_by_none = |goal: &Goal| goal.empty.is_none_or(|empty| empty == goal.holds);
        if goals.iter().all(met_by_none) {
            return Ok(Some(Vec::new()));
        }
        let members: Vec<_> = goals.iter().map(|goal| goal.table).collect();
        let view = self.view(&members);
        let moves: Vec<ViewMove> = distinct_moves(&view);
        budget.spend(4 * moves.len() as u64)?;
        if any && goals.len() > FEW {
            let view = self.view(&members);
            if let Some(path) = self.climb(goals, view, &moves, budget)? {
                return Ok(Some(path));
            }
        }
        let mut search = Search::new(self, goals, view, !any);
        // By the least length of a run through it, or by how far it seems to be; then by age.
        let mut todo = BinaryHeap::from([Reverse((0_u64, 0_u64, 0_usize, 0_u32))]);
        let mut lengths = vec![0_u32];
        while let Some(Reverse((_, _, at, length))) = todo.pop() {
            if length > lengths[at] {
                continue;
            }
            let base = search.idle_from(at, budget)?;
            for step in &moves {
                let Some(sum) = search.take((at, base), step, budget)? else {
                    search.undo(step);
                    continue;
                };
                if sum.unmet == 0 {
                    return Ok(Some(search.path(at, step.id)));
                }
                let (id, new) = search.enter(at, step.id, sum);
                search.undo(step);
                if new {
                    lengths.push(length + 1);
                } else if !any && length + 1 < lengths[id] {
                    search.from[id] = (at, step.id);
                    lengths[id] = length + 1;
                } else {
                    continue;
                }
                let age = id as u64;
                let (first, second) = match any {
                    true => (sum.distance, u64::MAX - age),
                    false => (u64::from(length + 1) + u64::from(sum.farthest), age),
                };
                todo.push(Reverse((first, second, id, length + 1)));
            }
        }
        Ok(None)
    }
}

impl World {
    /// The shortest run after which some goal cannot be met any more, and which.
    pub(super) fn first_lost(
        &mut self,
        goals: &[Goal],
        budget: &mut Budget,
    ) -> Result<Option<(Vec<MoveId>, usize)>, NotAnalysed> {
        let members: Vec<_> = goals.iter().map(|goal| goal.table).collect();
        let view = self.view(&members);
        let start = vec![Table::START; members.len()];
        let mut known = HashSet::from([start.clone()]);
        let mut todo = VecDeque::from([(start, Vec::new())]);
        while let Some((states, path)) = todo.pop_front() {
            let idle = self.idle_steps(&view, &states, budget)?;
            for step in view.proposals.iter().flat_map(|proposal| &proposal.moves) {
                let mut steps = idle.clone();
                for (slot, letter) in &step.changes {
                    steps[*slot] =
                        self.tables
                            .step(members[*slot], states[*slot], *letter, budget)?;
                }
                let path = [&path[..], &[step.id]].concat();
                for (number, (goal, step)) in goals.iter().zip(&steps).enumerate() {
                    if self.is_lost(goal.table, *step, goal.holds, budget)? {
                        return Ok(Some((path, number)));
                    }
                }
                let next: Vec<_> = steps.iter().map(|step| step.next).collect();
                if known.insert(next.clone()) {
                    todo.push_back((next, path));
                }
            }
        }
        Ok(None)
    }
}

fn distinct_moves(view: &View) -> Vec<ViewMove> {
    let mut moves: Vec<ViewMove> = Vec::new();
    let mut seen = HashSet::new();
    for step in view.proposals.iter().flat_map(|proposal| &proposal.moves) {
        if seen.insert(&step.changes) {
            moves.push(ViewMove {
                id: step.id,
                changes: step.changes.clone(),
            });
        }
    }
    moves
}

impl<'w> Search<'w> {
    pub(super) fn new(world: &'w mut World, goals: &'w [Goal], view: View, shortest: bool) -> Self {
        let next = vec![Table::START; goals.len()];
        let mut arena = Arena::new(goals.len());
        let hash = (0..goals.len()).fold(0, |hash, slot| hash ^ mix(slot, Table::START));
        arena.insert(hash, &next);
        Search {
            world,
            goals,
            view,
            arena,
            from: vec![(0, 0)],
            idle: Vec::new(),
            next,
            far: vec![0; goals.len()],
            shortest,
            climbs: false,
        }
    }

    /// Has the vector in `next` been entered before?
    pub(super) fn is_known(&self, sum: Sum) -> bool {
        self.arena.find(sum.hash, &self.next).is_ok()
    }

    /// The number of the vector in `next`, to which a move led, and whether it is new.
    pub(super) fn enter(&mut self, at: usize, step: MoveId, sum: Sum) -> (usize, bool) {
        let (id, new) = self.arena.insert(sum.hash, &self.next);
        if new {
            self.from.push((at, step));
        }
        (id, new)
    }

    fn share(
        &mut self,
        slot: usize,
        step: Step,
        budget: &mut Budget,
    ) -> Result<Share, NotAnalysed> {
        let Goal { table, holds, .. } = self.goals[slot];
        let met = step.may(holds);
        let far = self.world.distance(table, step.next, holds, budget)?;
        let lost = !met && (far == NEVER || self.world.tables.machine(table).is_settled(step.next));
        let far = if far == NEVER { 1 } else { far };
        let open = self.climbs && self.world.distance(table, step.next, !holds, budget)? != NEVER;
        Ok(Share {
            next: step.next,
            unmet: !met,
            lost,
            distance: if met { 0 } else { far },
            far,
            open,
        })
    }

    /// Where a call leads from a vector that none can tell.
    pub(super) fn idle_from(&mut self, at: usize, budget: &mut Budget) -> Result<Sum, NotAnalysed> {
        let mut sum = Sum::NONE;
        self.idle.clear();
        for slot in 0..self.goals.len() {
            let state = self.arena.get(at)[slot];
            let step = self.world.tables.step(
                self.goals[slot].table,
                state,
                self.view.idle[slot],
                budget,
            )?;
            let share = self.share(slot, step, budget)?;
            sum.add(slot, share);
            self.idle.push(share);
            self.next[slot] = share.next;
            if self.shortest {
                self.far[slot] = share.far;
            }
        }
        Ok(sum)
    }

    /// Where a move leads, with the states in `next` until [`Search::undo`]; `None` where some goal is
    /// lost.
    pub(super) fn take(
        &mut self,
        (at, base): (usize, Sum),
        step: &ViewMove,
        budget: &mut Budget,
    ) -> Result<Option<Sum>, NotAnalysed> {
        let mut sum = base;
        for (slot, letter) in &step.changes {
            let state = self.arena.get(at)[*slot];
            let step = self
                .world
                .tables
                .step(self.goals[*slot].table, state, *letter, budget)?;
            let share = self.share(*slot, step, budget)?;
            sum.take(*slot, self.idle[*slot]);
            sum.add(*slot, share);
            self.next[*slot] = share.next;
            if self.shortest {
                self.far[*slot] = share.far;
            }
        }
        if self.shortest {
            sum.farthest = self.far.iter().copied().max().unwrap_or(1);
        }
        Ok((sum.lost == 0).then_some(sum))
    }

    pub(super) fn undo(&mut self, step: &ViewMove) {
        for (slot, _) in &step.changes {
            self.next[*slot] = self.idle[*slot].next;
            if self.shortest {
                self.far[*slot] = self.idle[*slot].far;
            }
        }
    }

    pub(super) fn path(&self, mut at: usize, last: MoveId) -> Vec<MoveId> {
        let mut path = vec![last];
        while at != 0 {
            path.push(self.from[at].1);
            at = self.from[at].0;
        }
        path.reverse();
        path
    }
}
