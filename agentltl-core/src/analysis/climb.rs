//! A run that meets many goals, step by step, without looking back: in most policies the rules ask
//! for an order of the tools, and calls in that order meet them all.

use super::NotAnalysed;
use super::search::{Goal, Search};
use super::table::{Budget, StateId, Table};
use super::tables::TableId;
use super::view::{MoveId, View, ViewMove, World};

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
        let tools: Vec<Option<usize>> = moves
            .iter()
            .map(|step| {
                let proposal = self.alphabet.moves[step.id as usize].proposal;
                let tools = &self.alphabet.proposals[proposal as usize].tools;
                tools.first().copied()
            })
            .collect();
        let mut search = Search::new(self, goals, view, false);
        let mut at = 0;
        for _ in 0..4 * moves.len() {
            let base = search.idle_from(at, budget)?;
            let urgent = search.urgent(at, budget)?;
            let is_urgent = |id: &usize| moves[*id].changes.iter().any(|(slot, _)| urgent[*slot]);
            let mut order = order.clone();
            if urgent.contains(&true) {
                order.sort_by_key(|id| !is_urgent(id));
            }
            let mut best: Option<(u64, usize)> = None;
            let mut tool = None;
            for id in &order {
                // Once the tool is known, its best call is looked for.
                if tool.is_some_and(|tool| tool != tools[*id]) {
                    continue;
                }
                let sum = search.take((at, base), &moves[*id], budget)?;
                search.undo(&moves[*id]);
                let Some(sum) = sum else { continue };
                if sum.unmet == 0 {
                    return Ok(Some(search.path(at, moves[*id].id)));
                }
                if best.is_none_or(|(least, _)| sum.distance < least) {
                    best = Some((sum.distance, *id));
                    // The first tool that brings the goals nearer is taken.
                    if sum.distance < distance {
                        tool = Some(tools[*id]);
                    }
                }
            }
            let Some((least, id)) = best else { break };
            let sum = search.take((at, base), &moves[id], budget)?;
            let known = sum.is_none_or(|sum| {
                let (next, new) = search.enter(at, moves[id].id, sum);
                at = next;
                !new
            });
            search.undo(&moves[id]);
            if known {
                break;
            }
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
        for (slot, own) in own.iter().enumerate() {
            let Goal { table, holds, .. } = goals[slot];
            let (mut soon, mut late) = (Vec::new(), Vec::new());
            for (id, letter) in own {
                let step = self.step(table, Table::START, *letter, budget)?;
                match self.is_lost(table, step, holds, budget)? {
                    true => late.push(*id),
                    false => soon.push(*id),
                }
                starts[*id] |= self.is_urgent(table, step.next, holds, budget)?;
            }
            for first in soon {
                for second in &late {
                    after[first].push(*second);
                    waits[*second] += 1;
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
            let step = self.step(table, state, idle, budget)?;
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
