//! What is found of each rule by itself.

use super::finding::{Finding, Lint};
use super::quantified::never_fails;
use super::search::Goal;
use super::view::MoveId;
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
            let refused = self.ask(BUDGET, |this, budget| {
                this.world.tables.machine(table).refused(budget)
            })?;
            (self.rules[rule].may_refuse, self.rules[rule].must_refuse) = refused;
        }
        let Some(finished) = self.rules[rule].finished else {
            return Ok(());
        };
        let met = self.find(&[(rule, true)], false, BUDGET)?;
        let broken = self.find(&[(rule, false)], false, BUDGET)?;
        self.rules[rule].satisfiable = Some(met.is_some());
        self.rules[rule].breakable = Some(broken.is_some());
        let (idle, empty) = (self.world.alphabet.idle[finished], self.rules[rule].empty);
        let ignores = self.ask(BUDGET, |this, budget| {
            this.world
                .tables
                .machine(finished)
                .ignores(idle, empty, budget)
        })?;
        self.rules[rule].minds = !ignores || self.may_refuse_others(rule);
        let name = self.name(rule);
        if met.is_none() {
            self.report_unsatisfiable(rule)?;
        }
        let never_refuses =
            self.rules[rule].enforcing.is_some() && !self.rules[rule].may_refuse.contains(&true);
        let formula = self.policy.constraints()[self.rules[rule].index].formula();
        let never_fails = self.ask(BUDGET, |_, budget| never_fails(formula, budget));
        if (broken.is_none() && never_refuses) || matches!(never_fails, Ok(Some(true))) {
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

    /// May the rule refuse calls of tools that it does not name?
    fn may_refuse_others(&self, rule: usize) -> bool {
        let rule = &self.rules[rule];
        rule.enforcing.is_some_and(|table| {
            let idle = self.world.alphabet.idle[table] as usize;
            rule.may_refuse.get(idle).is_some_and(|refused| *refused)
        })
    }

    /// Says so, with a shortest run to the first call that the rule refuses.
    fn report_unsatisfiable(&mut self, rule: usize) -> Result<(), NotAnalysed> {
        let name = self.name(rule);
        let mut message = format!("`{name}` cannot be met: every finished run breaks it");
        let path = match self.rules[rule].enforcing {
            Some(table) => self.ask(BUDGET, |this, budget| {
                this.world.first_refusal(table, budget)
            })?,
            None => None,
        };
        if let Some(path) = &path {
            message.push_str(match path.len() {
                1 => "; it objects to this call",
                _ => "; it objects to the last of these calls",
            });
        }
        self.report(Lint::Unsatisfiable, &[rule], message, path);
        Ok(())
    }

    pub(super) fn goal(&self, rule: usize, holds: bool) -> Option<Goal> {
        let rule = &self.rules[rule];
        let empty = rule.empty;
        rule.finished.map(|table| Goal {
            table,
            holds,
            empty,
        })
    }

    /// A finished run that meets and breaks the rules as told, the shortest one unless `any` will do;
    /// all can be explored.
    pub(super) fn find(
        &mut self,
        rules: &[(usize, bool)],
        any: bool,
        most: u64,
    ) -> Result<Option<Vec<MoveId>>, NotAnalysed> {
        let goals = rules.iter();
        let goals: Vec<_> = goals
            .filter_map(|(rule, holds)| self.goal(*rule, *holds))
            .collect();
        self.ask(most, |this, budget| this.world.find(&goals, any, budget))
    }

    /// Does the finished run meet and break the rules as told, by some answers of Rust code?
    pub(super) fn shows(
        &mut self,
        path: &[MoveId],
        rules: &[(usize, bool)],
    ) -> Result<bool, NotAnalysed> {
        for (rule, wanted) in rules {
            if !self.shows_one(path, *rule, *wanted)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn shows_one(
        &mut self,
        path: &[MoveId],
        rule: usize,
        wanted: bool,
    ) -> Result<bool, NotAnalysed> {
        let table = match self.rules[rule].finished {
            Some(table) if !path.is_empty() => table,
            _ => {
                let empty = self.rules[rule].empty;
                return Ok(empty.is_none_or(|holds| holds == wanted));
            }
        };
        let last = self
            .world
            .last_step(table, path, self.rules[rule].minds, &mut self.budget)?;
        match last {
            Some(last) => Ok(last.may(wanted)),
            // Nothing happened that it minds.
            None => Ok(self.rules[rule].empty.is_none_or(|holds| holds == wanted)),
        }
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
                if let Some(verdict) = verdict
                    && last.replace(verdict) != Some(verdict)
                {
                    turns.push((self.name(*rule).to_owned(), verdict));
                }
            }
        }
        self.analysis.findings.push(finding);
        let last = self.analysis.findings.len() - 1;
        &mut self.analysis.findings[last]
    }

    /// The running verdicts after each call, as far as the budget goes and they are known.
    fn verdicts(&mut self, table: usize, path: &[MoveId]) -> Vec<Option<Verdict>> {
        let steps = self.world.steps(table, path, &mut self.budget);
        let steps = steps.unwrap_or_default().into_iter();
        steps.map(|step| step.verdict).collect()
    }
}
