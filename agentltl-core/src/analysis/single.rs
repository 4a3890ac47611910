//! What is found of each rule by itself.

use super::finding::{Finding, Lint};
use super::world::{Goal, MoveId};
use super::{Analyst, NotAnalysed};
use crate::verdict::Verdict;

/// The look-ups spent on a rule.
const BUDGET: u64 = 100_000;

impl Analyst<'_> {
    pub(super) fn look_at_each(&mut self) {
        for rule in 0..self.rules.len() {
            if let Err(reason) = self.look_at(rule) {
                self.gap(format!("constraint `{}`", self.name(rule)), reason);
                // What is known of it is not whole.
                self.rules[rule].enforcing = None;
            }
        }
    }

    fn look_at(&mut self, rule: usize) -> Result<(), NotAnalysed> {
        if let Some(table) = self.rules[rule].enforcing {
            self.rules[rule].refused = self.ask(BUDGET, |this, budget| {
                this.world.refused_letters(table, budget)
            })?;
        }
        if self.rules[rule].finished.is_none() {
            return Ok(());
        }
        let met = self.find(&[(rule, true)], false, BUDGET)?;
        let broken = self.find(&[(rule, false)], false, BUDGET)?;
        self.rules[rule].satisfiable = Some(met.is_some());
        self.rules[rule].breakable = Some(broken.is_some());
        let name = self.name(rule);
        if met.is_none() {
            self.report(
                Lint::Unsatisfiable,
                &[rule],
                format!("`{name}` cannot be met: every finished run breaks it"),
                None,
            );
        }
        let never_refuses =
            self.rules[rule].enforcing.is_some() && !self.rules[rule].refused.contains(&true);
        if broken.is_none() && never_refuses {
            self.report(
                Lint::Vacuous,
                &[rule],
                format!("`{name}` cannot be broken: it allows every call and every finished run"),
                None,
            );
        }
        let is_both = met.is_some() && broken.is_some();
        (self.rules[rule].met, self.rules[rule].broken) = (met, broken);
        if is_both && let Err(reason) = self.look_for_constant(rule) {
            let name = self.name(rule);
            self.gap(format!("constant parts of `{name}`"), reason);
        }
        Ok(())
    }

    /// A finished run that meets and breaks the rules as told, the shortest one unless `any` will do;
    /// all can be explored.
    pub(super) fn find(
        &mut self,
        rules: &[(usize, bool)],
        any: bool,
        most: u64,
    ) -> Result<Option<Vec<MoveId>>, NotAnalysed> {
        let mut goals = Vec::new();
        let mut empty = Vec::new();
        for (rule, holds) in rules {
            let rule = &self.rules[*rule];
            if let Some(table) = rule.finished {
                goals.push(Goal {
                    table,
                    holds: *holds,
                });
                empty.push(rule.empty);
            }
        }
        self.ask(most, |this, budget| {
            this.world.find(&goals, &empty, any, budget)
        })
    }

    /// Does the finished run meet and break the rules as told?
    pub(super) fn shows(
        &mut self,
        path: &[MoveId],
        rules: &[(usize, bool)],
    ) -> Result<bool, NotAnalysed> {
        for (rule, wanted) in rules {
            let holds = match self.rules[*rule].finished {
                Some(table) if !path.is_empty() => {
                    self.world.holds(table, path, &mut self.budget)?
                }
                _ => self.rules[*rule].empty,
            };
            if holds != *wanted {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds a finding, with the verdicts that turn along its run.
    pub(super) fn report(
        &mut self,
        lint: Lint,
        rules: &[usize],
        message: String,
        path: Option<Vec<MoveId>>,
    ) -> &mut Finding {
        let turns = path.iter().flatten().map(|_| Vec::new()).collect();
        let mut finding = Finding {
            lint,
            constraints: rules
                .iter()
                .map(|rule| self.name(*rule).to_owned())
                .collect(),
            tool: None,
            part: None,
            message,
            run: path.as_ref().map(|path| self.world.sample(path)),
            turns,
        };
        for rule in rules {
            let Some(table) = self.rules[*rule].enforcing else {
                continue;
            };
            let verdicts = self.verdicts(table, path.as_deref().unwrap_or_default());
            let mut last = None;
            for (turns, verdict) in finding.turns.iter_mut().zip(verdicts) {
                if last.replace(verdict) != Some(verdict) {
                    turns.push((self.name(*rule).to_owned(), verdict));
                }
            }
        }
        self.analysis.findings.push(finding);
        let last = self.analysis.findings.len() - 1;
        &mut self.analysis.findings[last]
    }

    /// The running verdicts after each call, as far as the budget goes.
    fn verdicts(&mut self, table: usize, path: &[MoveId]) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        let mut state = super::Table::START;
        for step in path {
            let letter = self.world.alphabet.moves[*step as usize].letters[table];
            let taken = self.world.tables[table].step(state, letter, &mut self.budget);
            let Ok(taken) = taken else { break };
            state = taken.next;
            verdicts.push(taken.verdict);
        }
        verdicts
    }
}
