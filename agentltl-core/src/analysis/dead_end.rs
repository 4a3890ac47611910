//! Dead ends: states from which a rule about the final answer cannot be met any more.

use super::finding::Lint;
use super::reach::{Part, Reach};
use super::states::BUDGET;
use super::{Analyst, NotAnalysed};

/// The look-ups spent on all rules at once.
const ALL: u64 = 10_000;

impl Analyst<'_> {
    pub(super) fn look_for_dead_ends(&mut self, refusing: &[usize]) {
        for rule in 0..self.rules.len() {
            let constraint = &self.policy.constraints()[self.rules[rule].index];
            // One that cannot be met at all is another finding.
            if !constraint.applies_to_final_answer() || self.rules[rule].satisfiable != Some(true) {
                continue;
            }
            let found = self.within(BUDGET, |this| this.find_dead_end(rule, refusing));
            if let Err(reason) = found {
                self.gap(format!("dead ends for `{}`", self.name(rule)), reason);
            }
        }
    }

    /// Looks for a dead end with all rules if that is little work, and otherwise with ever more.
    fn find_dead_end(&mut self, rule: usize, refusing: &[usize]) -> Result<(), NotAnalysed> {
        let Some(finished) = self.rules[rule].finished else {
            return Ok(());
        };
        let mut some = refusing.to_vec();
        let mut most = ALL;
        loop {
            let mut parts = self.parts(&some);
            parts.push((finished, Part::Watches));
            let reach = match self.reach(&parts, true, most) {
                Err(_) if most == ALL => {
                    (some, most) = (Vec::new(), BUDGET);
                    continue;
                }
                reach => reach?,
            };
            let others: Vec<_> = refusing
                .iter()
                .copied()
                .filter(|rule| !some.contains(rule))
                .collect();
            let missing = self.dead_end_among(rule, &reach, &others)?;
            if missing.is_empty() {
                return Ok(());
            }
            some.extend(missing);
        }
    }

    /// Reports a dead end if there is one, given what can be reached beside `others`. Returns those
    /// of them without which that cannot be told.
    fn dead_end_among(
        &mut self,
        rule: usize,
        reach: &Reach,
        others: &[usize],
    ) -> Result<Vec<usize>, NotAnalysed> {
        let mut good: Vec<bool> = reach.nodes.iter().map(|node| node.may_hold).collect();
        good[0] = self.rules[rule].empty != Some(false);
        // With less to refuse calls there is a way more often than there is.
        let lost = reach.cannot_reach(&good, |_| true);
        if let Some(node) = (0..reach.obedient).find(|node| lost[*node]) {
            let path = reach.path(node);
            if let Some(missing) = self.refuser(others, &path, false)? {
                return Ok(vec![missing]);
            }
            let name = self.name(rule);
            let message = match path.len() {
                0 => format!(
                    "`{name}` must hold at the end, but the calls it needs are never allowed"
                ),
                1 => format!(
                    "`{name}` must hold at the end, but after this allowed call no run can meet it any more"
                ),
                _ => format!(
                    "`{name}` must hold at the end, but after these allowed calls no run can meet it any more"
                ),
            };
            self.report(Lint::DeadEnd, &[rule], message, Some(path));
            return Ok(Vec::new());
        }
        // By calls that no other rule ever refuses there is a way for sure.
        let free: Vec<bool> = reach
            .view
            .proposals
            .iter()
            .map(|proposal| {
                !others
                    .iter()
                    .any(|rule| self.ever(*rule, proposal.id as usize, false))
            })
            .collect();
        let doubtful = reach.cannot_reach(&good, |proposal| free[proposal as usize]);
        let Some(mut node) = (0..reach.obedient).find(|node| doubtful[*node]) else {
            return Ok(Vec::new());
        };
        // The way that there seems to be, to the first call that may not be allowed.
        let distance = reach.distances(&good);
        loop {
            let nearer = |(_, to): &&(u32, u32)| distance[*to as usize] < distance[node];
            let Some((proposal, to)) = reach.nodes[node].next.iter().find(nearer) else {
                return Ok(Vec::new());
            };
            if !free[*proposal as usize] {
                let id = reach.view.proposals[*proposal as usize].id as usize;
                let refusers = others.iter().copied();
                return Ok(refusers
                    .filter(|rule| self.ever(*rule, id, false))
                    .collect());
            }
            node = *to as usize;
        }
    }
}
