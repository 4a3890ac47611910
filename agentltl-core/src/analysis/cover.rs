//! Which calls that one table refuses others refuse too.

use std::collections::HashSet;

use super::NotAnalysed;
use super::table::{Budget, Table};
use super::tables::TableId;
use super::view::{MoveId, World};

/// Who objects to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cover {
    /// It may be one rule, and no other must.
    None,
    /// It must be the rule and another.
    Both,
}

impl World {
    /// The shortest run to a call to which `own` and the others object like that, where the calls are
    /// not made that one of those that refuse did.
    pub(super) fn cover(
        &mut self,
        others: &[(TableId, bool)],
        own: TableId,
        cover: Cover,
        budget: &mut Budget,
    ) -> Result<Option<Vec<MoveId>>, NotAnalysed> {
        let mut members: Vec<_> = others.iter().map(|(table, _)| *table).collect();
        members.push(own);
        let view = self.view(&members);
        let start = vec![Table::START; members.len()];
        let mut known = HashSet::from([start.clone()]);
        let mut todo = vec![(start, usize::MAX, 0)];
        let mut at = 0;
        while at < todo.len() {
            let states = todo[at].0.clone();
            let idle = self.idle_steps(&view, &states, budget)?;
            for proposal in &view.proposals {
                let mut steps = idle.clone();
                for (slot, letter) in &proposal.changes {
                    steps[*slot] =
                        self.tables
                            .step(members[*slot], states[*slot], *letter, budget)?;
                }
                let objects = |slot: usize| steps[slot].must_break;
                let noted = (0..others.len()).any(objects);
                let refused = (0..others.len()).any(|slot| others[slot].1 && objects(slot));
                let is_found = match cover {
                    Cover::None => !noted && steps[others.len()].may_break,
                    Cover::Both => noted && objects(others.len()),
                };
                if is_found {
                    let mut path = vec![self.alphabet.proposals[proposal.id as usize].moves.start];
                    let mut node = at;
                    while todo[node].1 != usize::MAX {
                        path.push(todo[node].2);
                        node = todo[node].1;
                    }
                    path.reverse();
                    return Ok(Some(path));
                }
                if refused {
                    continue;
                }
                for step in &proposal.moves {
                    let mut next: Vec<_> = idle.iter().map(|step| step.next).collect();
                    for (slot, letter) in &step.changes {
                        next[*slot] = self
                            .tables
                            .step(members[*slot], states[*slot], *letter, budget)?
                            .next;
                    }
                    if known.insert(next.clone()) {
                        todo.push((next, at, step.id));
                    }
                }
            }
            at += 1;
        }
        Ok(None)
    }
}
