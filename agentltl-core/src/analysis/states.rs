//! What is found of the states that agents reach: wedges, dead ends, tools that are never allowed.

use super::finding::Lint;
use super::together::and;
use super::world::{Answer, Part, Reach, TableId};
use super::{Analyst, NotAnalysed};
use crate::severity::Severity;

/// The look-ups spent on a product.
const BUDGET: u64 = 200_000;

impl Analyst<'_> {
    pub(super) fn look_at_states(&mut self) {
        if self.world.alphabet.proposals.is_empty() {
            return;
        }
        let refusing: Vec<usize> = (0..self.rules.len())
            .filter(|rule| {
                self.rules[*rule].severity < Severity::Tolerate
                    && self.rules[*rule].refused.contains(&true)
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

    fn parts(&self, rules: &[usize]) -> Vec<(TableId, Part)> {
        rules
            .iter()
            .filter_map(|rule| {
                let rule = &self.rules[*rule];
                Some((rule.enforcing?, Part::of(rule.severity)))
            })
            .collect()
    }

    fn reach(&mut self, parts: &[(TableId, Part)]) -> Result<Reach, NotAnalysed> {
        self.ask(BUDGET, |this, budget| this.world.reach(parts, budget))
    }

    /// May some rule of these, ever, refuse the call so that the agent cannot insist?
    fn ever(&self, rules: &[usize], proposal: usize) -> bool {
        let letters = &self.world.alphabet.proposals[proposal].letters;
        rules.iter().any(|rule| {
            let rule = &self.rules[*rule];
            let refused = rule
                .enforcing
                .is_some_and(|table| rule.refused[letters[table] as usize]);
            refused && rule.severity.is_blocking()
        })
    }

    fn look_for_wedges(&mut self, refusing: &[usize]) {
        // Most policies leave some call alone.
        let proposals = self.world.alphabet.proposals.len();
        if !(0..proposals).all(|proposal| self.ever(refusing, proposal)) {
            return;
        }
        if let Err(reason) = self.find_wedge(refusing) {
            self.gap("wedges", reason);
        }
    }

    fn find_wedge(&mut self, refusing: &[usize]) -> Result<(), NotAnalysed> {
        let parts = self.parts(refusing);
        let reach = self.reach(&parts)?;
        for node in 0..reach.obedient {
            let states = &reach.nodes[node].states;
            if !self.all_refused(&parts, states, None, Answer::Asked)? {
                continue;
            }
            let about = self.refusers(refusing, states)?;
            let path = reach.path(node);
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
            break;
        }
        Ok(())
    }

    /// Is each call, of the tool if one is named, refused at least like that?
    fn all_refused(
        &mut self,
        parts: &[(TableId, Part)],
        states: &[u32],
        tool: Option<usize>,
        like: Answer,
    ) -> Result<bool, NotAnalysed> {
        for proposal in 0..self.world.alphabet.proposals.len() {
            let tools = &self.world.alphabet.proposals[proposal].tools;
            if tool.is_some_and(|tool| !tools.contains(&tool)) {
                continue;
            }
            let answer = self.ask(BUDGET, |this, budget| {
                this.world.answer(parts, states, proposal as u32, budget)
            })?;
            if answer < like {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The rules that refuse some call in a state, and that the agent cannot override.
    fn refusers(&mut self, rules: &[usize], states: &[u32]) -> Result<Vec<usize>, NotAnalysed> {
        let mut found = Vec::new();
        for (rule, state) in rules.iter().zip(states) {
            let Some(table) = self.rules[*rule].enforcing else {
                continue;
            };
            if !self.rules[*rule].severity.is_blocking() {
                continue;
            }
            for letter in 0..self.world.tables[table].letters() {
                if self.world.tables[table]
                    .step(*state, letter, &mut self.budget)?
                    .breaks
                {
                    found.push(*rule);
                    break;
                }
            }
        }
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

    fn find_dead_end(&mut self, rule: usize, refusing: &[usize]) -> Result<(), NotAnalysed> {
        let Some(finished) = self.rules[rule].finished else {
            return Ok(());
        };
        let mut parts = self.parts(refusing);
        parts.push((finished, Part::Watches));
        let reach = self.reach(&parts)?;
        let mut good = vec![false; reach.nodes.len()];
        good[0] = self.rules[rule].empty;
        for (node, good) in good.iter_mut().enumerate().skip(1) {
            let (state, step) = reach.entered(node);
            let letter = self.world.alphabet.moves[step as usize].letters[finished];
            let table = &mut self.world.tables[finished];
            *good = table.step(state, letter, &mut self.budget)?.verdict.holds();
        }
        let lost = reach.cannot_reach(&good);
        let Some(node) = (0..reach.obedient).find(|node| lost[*node]) else {
            return Ok(());
        };
        let path = reach.path(node);
        let name = self.name(rule);
        let message = match path.len() {
            0 => format!("`{name}` must hold at the end, but the calls it needs are never allowed"),
            _ => format!(
                "`{name}` must hold at the end, but after these allowed calls no run can meet it any more"
            ),
        };
        self.report(Lint::DeadEnd, &[rule], message, Some(path));
        Ok(())
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
        let mut suspects = Vec::new();
        for tool in 0..self.world.alphabet.tools.len() {
            if !listed.contains(&self.world.alphabet.tools[tool]) {
                continue;
            }
            let proposals = self.world.alphabet.proposals.iter().enumerate();
            let sometimes = proposals
                .filter(|(_, proposal)| proposal.tools.contains(&tool))
                .all(|(id, _)| self.ever(&blocking, id));
            if sometimes {
                suspects.push(tool);
            }
        }
        if suspects.is_empty() {
            return;
        }
        // Fewer rules allow more: a tool that some of them rule out is ruled out.
        for tool in suspects {
            if let Err(reason) = self.find_unusable(tool, &blocking) {
                let name = self.world.alphabet.tools[tool].clone();
                self.gap(format!("may {:?} ever be called?", name.as_str()), reason);
            }
        }
    }

    fn find_unusable(&mut self, tool: usize, blocking: &[usize]) -> Result<(), NotAnalysed> {
        // The rules that ever refuse the tool, alone and together; then all.
        let own: Vec<usize> = blocking
            .iter()
            .copied()
            .filter(|rule| {
                let proposals = self.world.alphabet.proposals.iter().enumerate();
                proposals
                    .filter(|(_, proposal)| proposal.tools.contains(&tool))
                    .any(|(id, _)| self.ever(&[*rule], id))
            })
            .collect();
        let mut sets: Vec<Vec<usize>> = own.iter().map(|rule| vec![*rule]).collect();
        sets.push(own);
        sets.push(blocking.to_vec());
        sets.dedup();
        for rules in sets {
            let parts = self.parts(&rules);
            let reach = self.reach(&parts)?;
            let mut allowed = false;
            for node in &reach.nodes {
                if !self.all_refused(&parts, &node.states, Some(tool), Answer::Blocked)? {
                    allowed = true;
                    break;
                }
            }
            if allowed {
                continue;
            }
            let names: Vec<_> = rules
                .iter()
                .map(|rule| format!("`{}`", self.name(*rule)))
                .collect();
            let name = self.world.alphabet.tools[tool].clone();
            let message = format!(
                "the tool {:?} may never be called, because of {}",
                name.as_str(),
                and(&names)
            );
            self.report(Lint::UnusableTool, &rules, message, None).tool = Some(name);
            break;
        }
        Ok(())
    }
}
