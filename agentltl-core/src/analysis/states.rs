//! What is found of the states that agents reach, and tools that are never allowed.

use super::finding::Lint;
use super::reach::{Answer, Part, Reach};
use super::tables::TableId;
use super::together::and;
use super::view::MoveId;
use super::{Analyst, NotAnalysed};
use crate::severity::Severity;

/// The look-ups spent on a question.
pub(super) const BUDGET: u64 = 200_000;

impl Analyst<'_> {
    pub(super) fn look_at_states(&mut self) {
        if self.world.alphabet.proposals.is_empty() {
            return;
        }
        let refusing: Vec<usize> = (0..self.rules.len())
            .filter(|rule| {
                self.rules[*rule].severity < Severity::Tolerate
                    && self.rules[*rule].may_refuse.contains(&true)
            })
            .collect();
        // What such a rule refuses is not known, so no run is known to be allowed.
        let unknown = self
            .rules
            .iter()
            .find(|rule| rule.enforcing.is_none() && rule.severity < Severity::Tolerate)
            .map(|rule| rule.index);
        match unknown {
            Some(rule) => {
                let what = format!(
                    "wedges and dead ends: which calls `{}` refuses is not known",
                    self.name(rule)
                );
                self.gap(what, NotAnalysed::new("its states are not explored"));
            }
            None => {
                self.look_for_wedges(&refusing);
                self.look_for_dead_ends(&refusing);
            }
        }
        self.look_for_unusable_tools(&refusing);
    }

    pub(super) fn parts(&self, rules: &[usize]) -> Vec<(TableId, Part)> {
        rules
            .iter()
            .filter_map(|rule| {
                let rule = &self.rules[*rule];
                Some((rule.enforcing?, Part::of(rule.severity)))
            })
            .collect()
    }

    pub(super) fn reach(
        &mut self,
        parts: &[(TableId, Part)],
        insisting: bool,
        most: u64,
    ) -> Result<Reach, NotAnalysed> {
        self.ask(most, |this, budget| {
            this.world.reach(parts, insisting, budget)
        })
    }

    /// Must the rule, some time, refuse the call; or may it?
    pub(super) fn ever(&self, rule: usize, proposal: usize, must: bool) -> bool {
        let letters = &self.world.alphabet.proposals[proposal].letters;
        let rule = &self.rules[rule];
        let refused = if must {
            &rule.must_refuse
        } else {
            &rule.may_refuse
        };
        rule.enforcing.is_some_and(|table| {
            let letter = self.world.alphabet.letter(letters, table);
            refused.get(letter as usize).is_some_and(|refused| *refused)
        })
    }

    /// The rules among these that must, some time, refuse the call so that the agent cannot insist.
    pub(super) fn stoppers(&self, rules: &[usize], proposal: usize) -> Vec<usize> {
        let stops = |rule: &usize| {
            self.rules[*rule].severity.is_blocking() && self.ever(*rule, proposal, true)
        };
        rules.iter().copied().filter(stops).collect()
    }

    /// The first of the rules that may, or must, refuse a call on the path.
    pub(super) fn refuser(
        &mut self,
        rules: &[usize],
        path: &[MoveId],
        must: bool,
    ) -> Result<Option<usize>, NotAnalysed> {
        for rule in rules {
            let Some(table) = self.rules[*rule].enforcing else {
                continue;
            };
            let mut state = super::table::Table::START;
            for step in path {
                let alphabet = &self.world.alphabet;
                let proposal = alphabet.moves[*step as usize].proposal as usize;
                let proposed = alphabet.letter(&alphabet.proposals[proposal].letters, table);
                let letter = alphabet.letter_of(*step, table);
                let taken = self
                    .world
                    .tables
                    .step(table, state, proposed, &mut self.budget)?;
                let refused = if must {
                    taken.must_break
                } else {
                    taken.may_break
                };
                if refused {
                    return Ok(Some(*rule));
                }
                state = self
                    .world
                    .tables
                    .step(table, state, letter, &mut self.budget)?
                    .next;
            }
        }
        Ok(None)
    }

    /// Must the table in that place of the view refuse the call in a state?
    pub(super) fn refuses(
        &mut self,
        reach: &Reach,
        node: usize,
        proposal: usize,
        slot: usize,
    ) -> Result<bool, NotAnalysed> {
        let table = reach.view.members[slot];
        let letters = &self.world.alphabet.proposals[proposal].letters;
        let letter = self.world.alphabet.letter(letters, table);
        let state = reach.states(node)[slot];
        let step = self
            .world
            .tables
            .step(table, state, letter, &mut self.budget)?;
        Ok(step.must_break)
    }

    /// Is the call refused at least like that in a state, by the rules that were explored?
    pub(super) fn is_refused(
        &mut self,
        reach: &Reach,
        node: usize,
        proposal: usize,
        like: Answer,
    ) -> Result<bool, NotAnalysed> {
        let mut strongest = Part::Watches;
        for slot in 0..reach.view.members.len() {
            if reach.parts[slot] > strongest && self.refuses(reach, node, proposal, slot)? {
                strongest = reach.parts[slot];
            }
        }
        Ok(Answer::from(strongest) >= like)
    }

    fn look_for_unusable_tools(&mut self, refusing: &[usize]) {
        let listed = self.policy.tools();
        // Where a human is asked, what is approved is made, whatever weaker rules say.
        let asks = |rule: &usize| self.rules[*rule].severity == Severity::Ask;
        let weakest = match refusing.iter().any(asks) {
            true => Part::Blocks,
            false => Part::Retries,
        };
        let blocking: Vec<usize> = refusing
            .iter()
            .copied()
            .filter(|rule| {
                let part = Part::of(self.rules[*rule].severity);
                part != Part::Asks && part >= weakest
            })
            .collect();
        for tool in 0..self.world.alphabet.tools.len() {
            let name = self.world.alphabet.tools[tool].clone();
            if !listed.contains(&name) {
                continue;
            }
            let proposals = self.world.alphabet.proposals.iter().enumerate();
            let own: Vec<usize> = proposals
                .filter(|(_, proposal)| proposal.tools.contains(&tool))
                .map(|(id, _)| id)
                .collect();
            if own
                .iter()
                .any(|id| self.stoppers(&blocking, *id).is_empty())
            {
                continue;
            }
            let found = self.within(BUDGET, |this| this.find_unusable(tool, &own, &blocking));
            if let Err(reason) = found {
                self.gap(format!("may {:?} ever be called?", name.as_str()), reason);
            }
        }
    }

    /// Is the tool, with its calls given, never allowed?
    fn find_unusable(
        &mut self,
        tool: usize,
        calls: &[usize],
        blocking: &[usize],
    ) -> Result<(), NotAnalysed> {
        // With fewer rules more is allowed: a tool that some of them rule out is ruled out.
        let mut some: Vec<usize> = Vec::new();
        while let Some(path) = self.way_to(calls, &some)? {
            let others = blocking.iter().copied();
            let others: Vec<_> = others.filter(|rule| !some.contains(rule)).collect();
            match self.refuser(&others, &path, true)? {
                Some(rule) => some.push(rule),
                None => return Ok(()),
            }
        }
        let mut i = 0;
        while i < some.len() {
            let mut fewer = some.clone();
            fewer.remove(i);
            if self.way_to(calls, &fewer)?.is_none() {
                some = fewer;
            } else {
                i += 1;
            }
        }
        some.sort_unstable();
        let names: Vec<_> = some
            .iter()
            .map(|rule| format!("`{}`", self.name(*rule)))
            .collect();
        let name = self.world.alphabet.tools[tool].clone();
        let message = format!(
            "the tool {:?} may never be called, because of {}",
            name.as_str(),
            and(&names)
        );
        self.report(Lint::UnusableTool, &some, message, None).tool = Some(name);
        Ok(())
    }

    /// A run whose last call is one of these and that none of the rules must refuse.
    fn way_to(
        &mut self,
        calls: &[usize],
        rules: &[usize],
    ) -> Result<Option<Vec<MoveId>>, NotAnalysed> {
        let parts = self.parts(rules);
        let reach = self.reach(&parts, true, BUDGET)?;
        for node in 0..reach.nodes.len() {
            for call in calls {
                if !self.is_refused(&reach, node, *call, Answer::Blocked)? {
                    let mut path = reach.path(node);
                    path.push(self.world.alphabet.proposals[*call].moves.start);
                    return Ok(Some(path));
                }
            }
        }
        Ok(None)
    }
}
