//! Wedges: states in which an obedient agent is stuck.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::finding::Lint;
use super::reach::{Answer, Reach};
use super::states::BUDGET;
use super::together::and;
use super::view::MoveId;
use super::{Analyst, NotAnalysed};

/// The look-ups spent on the search.
const ALL: u64 = 500_000;

/// Where a wedge may be: how some calls are stopped there, by one of these rules or by any.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Suspicion {
    rules: Vec<usize>,
    stopped: Vec<(usize, Option<usize>)>,
}

impl Analyst<'_> {
    pub(super) fn look_for_wedges(&mut self, refusing: &[usize]) {
        let mut stoppers = Vec::new();
        for proposal in 0..self.world.alphabet.proposals.len() {
            let stops = self.stoppers(refusing, proposal);
            // Most policies leave some call alone.
            if stops.is_empty() {
                return;
            }
            stoppers.push((proposal, stops));
        }
        stoppers.sort_by_key(|(_, stops)| stops.len());
        let found = self.within(ALL, |this| this.find_wedge(refusing, &stoppers));
        if let Err(reason) = found {
            self.gap("wedges", reason);
        }
    }

    /// Looks for the shortest run to a wedge, given who can stop each call. What some rules let be
    /// reached is all that can be reached, and more. So where a call is not stopped by them, somebody
    /// else must stop it: each who can is tried, those with the shortest runs first.
    fn find_wedge(
        &mut self,
        refusing: &[usize],
        stoppers: &[(usize, Vec<usize>)],
    ) -> Result<(), NotAnalysed> {
        let mut todo = BinaryHeap::new();
        todo.push(Reverse((0, 0, Suspicion::default())));
        let mut age = 0;
        while let Some(Reverse((_, _, suspicion))) = todo.pop() {
            let Suspicion { rules, stopped } = &suspicion;
            let parts = self.parts(rules);
            let reach = self.reach(&parts, false, BUDGET)?;
            let Some(node) = self.suspected(&reach, &suspicion)? else {
                continue;
            };
            let path = reach.path(node);
            let mut missing: Option<(usize, Vec<usize>)> = None;
            for (proposal, stops) in stoppers {
                let fewest = missing
                    .as_ref()
                    .map_or(usize::MAX, |(_, fewest)| fewest.len());
                let others = stops.iter().copied();
                let others: Vec<_> = others.filter(|rule| !rules.contains(rule)).collect();
                if others.len() < fewest
                    && !self.is_refused(&reach, node, *proposal, Answer::Asked)?
                {
                    missing = Some((*proposal, others));
                }
            }
            let mut next = Vec::new();
            if let Some((proposal, others)) = missing {
                for other in std::iter::once(None).chain(others.into_iter().map(Some)) {
                    let mut more = suspicion.clone();
                    more.rules.extend(other);
                    more.stopped.push((proposal, other));
                    next.push(more);
                }
            } else if let Some(other) = self.refuser(refusing, &path, false)? {
                next.push(Suspicion {
                    rules: [&rules[..], &[other]].concat(),
                    stopped: stopped.clone(),
                });
            } else {
                return self.report_wedge(rules, reach.states(node), path);
            }
            for suspicion in next {
                age += 1;
                todo.push(Reverse((path.len(), age, suspicion)));
            }
        }
        Ok(())
    }

    /// The first node at which the calls are stopped as is suspected.
    fn suspected(
        &mut self,
        reach: &Reach,
        Suspicion { rules, stopped }: &Suspicion,
    ) -> Result<Option<usize>, NotAnalysed> {
        'nodes: for node in 0..reach.obedient {
            for (proposal, by) in stopped {
                let is_stopped = match by {
                    None => self.is_refused(reach, node, *proposal, Answer::Asked)?,
                    Some(by) => {
                        let slot = rules.iter().position(|rule| rule == by).unwrap_or(0);
                        self.refuses(reach, node, *proposal, slot)?
                    }
                };
                if !is_stopped {
                    continue 'nodes;
                }
            }
            return Ok(Some(node));
        }
        Ok(None)
    }

    fn report_wedge(
        &mut self,
        rules: &[usize],
        states: &[u32],
        path: Vec<MoveId>,
    ) -> Result<(), NotAnalysed> {
        let about = self.refusers(rules, states)?;
        let names: Vec<_> = about
            .iter()
            .map(|rule| format!("`{}` ({})", self.name(*rule), self.rules[*rule].severity))
            .collect();
        let when = match path.len() {
            0 => "before its first call".to_owned(),
            1 => "after this allowed call".to_owned(),
            _ => "after these allowed calls".to_owned(),
        };
        let verb = if about.len() == 1 {
            "refuses"
        } else {
            "refuse"
        };
        let message = format!(
            "an agent that obeys gets stuck {when}: {} {verb} whatever it calls next",
            and(&names)
        );
        self.report(Lint::Wedge, &about, message, Some(path));
        Ok(())
    }

    /// The rules that must refuse some call in a state, and that the agent cannot override, in the
    /// order of the policy.
    fn refusers(&mut self, rules: &[usize], states: &[u32]) -> Result<Vec<usize>, NotAnalysed> {
        let mut found = Vec::new();
        for (rule, state) in rules.iter().zip(states) {
            let Some(table) = self.rules[*rule].enforcing else {
                continue;
            };
            if !self.rules[*rule].severity.is_blocking() {
                continue;
            }
            for proposal in 0..self.world.alphabet.proposals.len() {
                let letters = &self.world.alphabet.proposals[proposal].letters;
                let letter = self.world.alphabet.letter(letters, table);
                if self
                    .world
                    .tables
                    .step(table, *state, letter, &mut self.budget)?
                    .must_break
                {
                    found.push(*rule);
                    break;
                }
            }
        }
        found.sort_unstable();
        Ok(found)
    }
}
