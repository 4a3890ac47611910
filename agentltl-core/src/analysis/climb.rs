//! A run that meets many goals, step by step, without looking back: in most policies the rules ask
//! for an order of the tools, and calls in that order meet them all.

use super::NotAnalysed;
use super::search::{Goal, Search};
use super::table::{Budget, StateId, Table};
use super::tables::TableId;
use super::view::{MoveId, View, ViewMove, World};

/// Of more moves not all pairs are looked at.
const MANY: usize = 16;
/// A time longer than that is no hurry.
const LONG: usize = 16;

impl World {
    /// A finished run that meets all goals, if it is found at once.
    pub(super) fn climb(
        &mut self,
        goals: &[Goal],
        view: View,
        moves: &[ViewMove],
        budget: &mut Budget,
    ) -> Result<Option<Vec<MoveId>>, NotAnalysed> {
        let order = self.order(goals, &view, moves, budget)?;
        let mut distance = 0;
        for goal in goals {
            distance += u64::from(self.distance(goal.table, Table::START, goal.holds, budget)?);
        }
        let tools: Vec<usize> = moves
            .iter()
            .map(|step| {
                let proposal = self.alphabet.moves[step.id as usize].proposal;
                let tools = &self.alphabet.proposals[proposal as usize].tools;
                tools.first().copied().unwrap_or(0)
            })
            .collect();
        // What makes no difference to any goal is as good as called.
        let mut called = vec![false; self.alphabet.tools.len()];
        for (step, tool) in moves.iter().zip(&tools) {
            called[*tool] |= step.changes.is_empty();
        }
        let mut search = Search::new(self, goals, view, false);
        search.climbs = true;
        let mut at = 0;
        for _ in 0..4 * moves.len() {
            let base = search.idle_from(at, budget)?;
            let urgent = search.urgent(at, budget)?;
            // What is new comes before what has been called, and what is urgent before what is not.
            let mut sorted: [Vec<usize>; 4] = Default::default();
            for id in &order {
                let is_urgent = moves[*id].changes.iter().any(|(slot, _)| urgent[*slot]);
                let class = 2 * usize::from(called[tools[*id]]) + usize::from(!is_urgent);
                sorted[class].push(*id);
            }
            let mut best: Option<(u64, u32, usize)> = None;
            let mut tool = None;
            for id in sorted.iter().flatten() {
                // Once the tool is known, its best call is looked for.
                if tool.is_some_and(|tool| tool != tools[*id]) {
                    continue;
                }
                let sum = search.take((at, base), &moves[*id], budget)?;
                let sum = sum.filter(|sum| sum.unmet == 0 || !search.is_known(*sum));
                search.undo(&moves[*id]);
                let Some(sum) = sum else { continue };
                if sum.unmet == 0 {
                    return Ok(Some(search.path(at, moves[*id].id)));
                }
                // The first tool is taken that has not been called, or else brings the goals nearer.
                if tool.is_none() && (!called[tools[*id]] || sum.distance < distance) {
                    tool = Some(tools[*id]);
                    best = None;
                }
                let better = |(least, open, _)| (sum.distance, sum.open) < (least, open);
                if best.is_none_or(better) {
                    best = Some((sum.distance, sum.open, *id));
                }
            }
            let Some((least, _, id)) = best else { break };
            if let Some(sum) = search.take((at, base), &moves[id], budget)? {
                (at, _) = search.enter(at, moves[id].id, sum);
            }
            search.undo(&moves[id]);
            called[tools[id]] = true;
            distance = least;
        }
        Ok(None)
    }

    /// The moves, those first that others have to wait for.
    fn order(
        &mut self,
        goals: &[Goal],
        view: &View,
        moves: &[ViewMove],
        budget: &mut Budget,
    ) -> Result<Vec<usize>, NotAnalysed> {
        // For each goal the moves that it can tell from others.
        let mut own: Vec<Vec<(usize, u32)>> = vec![Vec::new(); goals.len()];
        for (id, step) in moves.iter().enumerate() {
            for (slot, letter) in &step.changes {
                own[*slot].push((id, *letter));
            }
        }
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); moves.len()];
        let mut waits = vec![0_u32; moves.len()];
        // What starts a time in which something must be done is better done late.
        let mut starts = vec![false; moves.len()];
        let mut hurries: Vec<(usize, usize)> = Vec::new();
        for (slot, own) in own.iter().enumerate() {
            let Goal { table, holds, .. } = goals[slot];
            let mut firsts = Vec::with_capacity(own.len());
            for (id, letter) in own {
                let step = self.tables.step(table, Table::START, *letter, budget)?;
                let hurry = self.is_urgent(table, step.next, holds, budget)?;
                starts[*id] |= hurry;
                firsts.push((step, self.is_lost(table, step, holds, budget)?, hurry));
            }
            for (i, (first, letter)) in own.iter().enumerate() {
                for (k, (second, other)) in own.iter().enumerate().take(MANY) {
                    if i == k || firsts[i].1 {
                        continue;
                    }
                    let right = self.tables.step(table, firsts[i].0.next, *other, budget)?;
                    let wrong = self.tables.step(table, firsts[k].0.next, *letter, budget)?;
                    // In the right order it holds in the end, or all the time.
                    let is_order = right.may(holds)
                        && (!wrong.may(holds)
                            || (firsts[i].0.may(holds) && !firsts[k].0.may(holds)));
                    if firsts[i].2 && right.may(holds) {
                        hurries.push((*first, *second));
                    }
                    if firsts[k].1 || is_order {
                        after[*first].push(*second);
                        waits[*second] += 1;
                    }
                }
            }
        }
        // Before the time starts all is done that must be done before what must be done in it.
        for (first, second) in hurries {
            let late = reached(&after, first);
            for (before, after) in after.iter_mut().enumerate() {
                if !late[before] && after.contains(&second) && !after.contains(&first) {
                    after.push(first);
                    waits[first] += 1;
                }
            }
        }
        budget.spend(view.proposals.len() as u64)?;
        let mut order = Vec::with_capacity(moves.len());
        let mut taken = vec![false; moves.len()];
        while order.len() < moves.len() {
            // Where all wait for each other the first goes first.
            let free = (0..moves.len()).filter(|id| !taken[*id]);
            let Some(next) = free.min_by_key(|id| (waits[*id] > 0, starts[*id], *id)) else {
                break;
            };
            taken[next] = true;
            order.push(next);
            for second in std::mem::take(&mut after[next]) {
                waits[second] -= 1;
            }
        }
        Ok(order)
    }

    /// Is the goal lost if for some time nothing is done about it?
    fn is_urgent(
        &mut self,
        table: TableId,
        mut state: StateId,
        holds: bool,
        budget: &mut Budget,
    ) -> Result<bool, NotAnalysed> {
        let idle = self.alphabet.idle[table];
        for _ in 0..LONG {
            let step = self.tables.step(table, state, idle, budget)?;
            if step.next == state {
                return Ok(false);
            }
            if self.is_lost(table, step, holds, budget)? {
                return Ok(true);
            }
            state = step.next;
        }
        Ok(false)
    }
}

/// What comes after a move, and the move.
fn reached(after: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut reached = vec![false; after.len()];
    let mut todo = vec![from];
    while let Some(id) = todo.pop() {
        if !std::mem::replace(&mut reached[id], true) {
            todo.extend(&after[id]);
        }
    }
    reached
}

impl Search<'_> {
    /// For each goal: is it lost if for some time nothing is done about it?
    fn urgent(&mut self, at: usize, budget: &mut Budget) -> Result<Vec<bool>, NotAnalysed> {
        let mut urgent = Vec::with_capacity(self.goals.len());
        for (slot, goal) in self.goals.iter().enumerate() {
            let state = self.arena.get(at)[slot];
            urgent.push(
                self.world
                    .is_urgent(goal.table, state, goal.holds, budget)?,
            );
        }
        Ok(urgent)
    }
}
