//! What is found of the states that agents reach: wedges, dead ends, tools that are never allowed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::finding::Lint;
use super::reach::{Answer, Part, Reach};
use super::tables::TableId;
use super::together::and;
use super::view::MoveId;
use super::{Analyst, NotAnalysed};
use crate::severity::Severity;

/// The look-ups spent on a question, and on one about all rules at once.
const BUDGET: u64 = 200_000;
const ALL: u64 = 10_000;

/// Where a wedge may be: how some calls are stopped there, by one of these rules or by any.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Suspicion {
    rules: Vec<usize>,
    stopped: Vec<(usize, Option<usize>)>,
}

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

    fn reach(
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
    fn ever(&self, rule: usize, proposal: usize, must: bool) -> bool {
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
    fn stoppers(&self, rules: &[usize], proposal: usize) -> Vec<usize> {
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
                let taken = self.world.step(table, state, proposed, &mut self.budget)?;
                if if must {
                    taken.must_break
                } else {
                    taken.may_break
                } {
                    return Ok(Some(*rule));
                }
                state = self
                    .world
                    .step(table, state, letter, &mut self.budget)?
                    .next;
            }
        }
        Ok(None)
    }

    fn look_for_wedges(&mut self, refusing: &[usize]) {
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
        if let Err(reason) = self.find_wedge(refusing, &stoppers) {
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

    /// Must the table in that place of the view refuse the call in a state?
    fn refuses(
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
        let step = self.world.step(table, state, letter, &mut self.budget)?;
        Ok(step.must_break)
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

    /// Is the call refused at least like that in a state, by the rules that were explored?
    fn is_refused(
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

    fn look_for_dead_ends(&mut self, refusing: &[usize]) {
        for rule in 0..self.rules.len() {
            let constraint = &self.policy.constraints()[self.rules[rule].index];
            // One that cannot be met at all is another finding.
            if !constraint.applies_to_final_answer() || self.rules[rule].satisfiable != Some(true) {
                continue;
            }
            if let Err(reason) = self.find_dead_end(rule, refusing) {
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
            if let Err(reason) = self.find_unusable(tool, &own, &blocking) {
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
