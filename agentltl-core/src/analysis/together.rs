//! What is found of rules together: contradictions, and rules that others make redundant.

use super::finding::Lint;
use super::{Analyst, NotAnalysed};
use crate::severity::Severity;

/// The look-ups spent on a question about two rules, about several, and about all.
const PAIR: u64 = 20_000;
const SOME: u64 = 30_000;
const ALL: u64 = 200_000;

impl Analyst<'_> {
    pub(super) fn look_together(&mut self) {
        let rules: Vec<usize> = (0..self.rules.len())
            .filter(|rule| {
                let rule = &self.rules[*rule];
                rule.satisfiable == Some(true) && rule.breakable == Some(true)
            })
            .collect();
        match self.contradictions(&rules) {
            Ok(false) => {}
            // What contradicts itself implies everything.
            Ok(true) => return,
            Err(reason) => self.gap("contradictions", reason),
        }
        self.redundant(&rules);
    }

    /// Is there a run that meets and breaks the rules as told?
    fn exists(&mut self, rules: &[(usize, bool)], most: u64) -> Result<bool, NotAnalysed> {
        // Often what is known shows it.
        let broken = rules.iter().find(|(_, holds)| !holds);
        let broken = broken.and_then(|(rule, _)| self.rules[*rule].broken.clone());
        let met = match rules {
            [(rule, true), _] => self.rules[*rule].met.clone(),
            _ => self.all_met.clone(),
        };
        let (broken, met) = (broken.unwrap_or_default(), met.unwrap_or_default());
        let mut paths = vec![
            [broken.as_slice(), &met].concat(),
            [met.as_slice(), &broken].concat(),
            broken,
        ];
        // Or it is what some call was there for.
        for step in &met {
            let rest = met.iter().copied().filter(|other| other != step);
            paths.push(rest.collect());
        }
        // What is to be broken rules most of them out.
        let mut rules = rules.to_vec();
        rules.sort_by_key(|(_, holds)| *holds);
        for path in paths {
            if self.shows(&path, &rules)? {
                return Ok(true);
            }
        }
        Ok(self.find(&rules, true, most)?.is_some())
    }

    /// Reports contradictions; are there any?
    fn contradictions(&mut self, rules: &[usize]) -> Result<bool, NotAnalysed> {
        let met = |rules: &[usize]| -> Vec<_> { rules.iter().map(|rule| (*rule, true)).collect() };
        let all = self.find(&met(rules), true, ALL);
        if let Ok(Some(path)) = all {
            self.all_met = Some(path);
            return Ok(false);
        }
        let mut found = false;
        for (i, a) in rules.iter().enumerate() {
            for b in &rules[i + 1..] {
                if !self.exists(&met(&[*a, *b]), PAIR)? {
                    self.report_contradiction(&[*a, *b]);
                    found = true;
                }
            }
        }
        if found {
            return Ok(true);
        }
        all?;
        // Without any one of the rest they can all be met, so none of the rest can be spared.
        let mut rest = rules.to_vec();
        let mut i = 0;
        while i < rest.len() {
            let mut fewer = rest.clone();
            fewer.remove(i);
            if self.exists(&met(&fewer), ALL)? {
                i += 1;
            } else {
                rest = fewer;
            }
        }
        self.report_contradiction(&rest);
        Ok(true)
    }

    fn report_contradiction(&mut self, rules: &[usize]) {
        let names: Vec<_> = rules
            .iter()
            .map(|rule| format!("`{}`", self.name(*rule)))
            .collect();
        let message = format!(
            "no finished run meets {} together, though each can be met",
            and(&names)
        );
        self.report(Lint::Contradiction, rules, message, None);
    }

    fn redundant(&mut self, rules: &[usize]) {
        let mut redundant: Vec<usize> = Vec::new();
        let mut unknown: Vec<String> = Vec::new();
        for rule in rules.iter().rev() {
            let others: Vec<usize> = rules
                .iter()
                .copied()
                // A rule cannot stand in for one that it is itself made redundant by.
                .filter(|other| other != rule && !redundant.contains(other))
                .filter(|other| self.is_as_strong(*other, *rule))
                .collect();
            let because = match self.reason(*rule, &others) {
                Ok(Some(because)) => because,
                Ok(None) => continue,
                Err(_) => {
                    unknown.push(format!("`{}`", self.name(*rule)));
                    continue;
                }
            };
            redundant.push(*rule);
            let names: Vec<_> = because
                .iter()
                .map(|rule| format!("`{}`", self.name(*rule)))
                .collect();
            let verb = if because.len() == 1 { "does" } else { "do" };
            let message = format!(
                "`{}` forbids nothing that {} {verb} not: it can be left out",
                self.name(*rule),
                and(&names)
            );
            let mut about = vec![*rule];
            about.extend(because);
            self.report(Lint::Redundant, &about, message, None);
        }
        if !unknown.is_empty() {
            unknown.reverse();
            let more = unknown.len().saturating_sub(4);
            if more > 1 {
                unknown.truncate(4);
                unknown.push(format!("{more} others"));
            }
            let verb = if unknown.len() == 1 { "is" } else { "are" };
            let what = format!("whether {} {verb} redundant", and(&unknown));
            self.gap(what, NotAnalysed::BUDGET);
        }
    }

    fn is_as_strong(&self, other: usize, than: usize) -> bool {
        let final_answer = |rule: usize| {
            self.policy.constraints()[self.rules[rule].index].applies_to_final_answer()
        };
        self.rules[other].severity <= self.rules[than].severity
            && final_answer(other) >= final_answer(than)
    }

    /// Of these rules, as few as make the rule redundant.
    fn reason(&mut self, rule: usize, others: &[usize]) -> Result<Option<Vec<usize>>, NotAnalysed> {
        for other in others {
            if self.makes_redundant(&[*other], rule, PAIR)? {
                return Ok(Some(vec![*other]));
            }
        }
        // If they contradicted each other they would imply everything.
        if self.all_met.is_none() {
            return Err(NotAnalysed::BUDGET);
        }
        if !self.makes_redundant(others, rule, SOME)? {
            return Ok(None);
        }
        let mut rest = others.to_vec();
        let mut i = 0;
        while i < rest.len() {
            let mut fewer = rest.clone();
            fewer.remove(i);
            if self.makes_redundant(&fewer, rule, SOME)? {
                rest = fewer;
            } else {
                i += 1;
            }
        }
        Ok(Some(rest))
    }

    /// Does each finished run that breaks the rule break one of the others, and is each call that
    /// it refuses refused by one of them?
    fn makes_redundant(
        &mut self,
        others: &[usize],
        rule: usize,
        most: u64,
    ) -> Result<bool, NotAnalysed> {
        let mut goals: Vec<_> = others.iter().map(|other| (*other, true)).collect();
        goals.push((rule, false));
        if others.is_empty() || self.exists(&goals, most)? {
            return Ok(false);
        }
        let mut parts = Vec::new();
        for other in others {
            let Some(table) = self.rules[*other].enforcing else {
                return Ok(false);
            };
            // Where a rule only notes, the calls it notes are made.
            let refuses = self.rules[*other].severity < Severity::Tolerate;
            parts.push((table, refuses));
        }
        let Some(own) = self.rules[rule].enforcing else {
            return Ok(false);
        };
        self.ask(most, |this, budget| {
            this.world.is_covered(&parts, own, budget)
        })
    }
}

/// Words with commas and an "and".
pub(super) fn and(words: &[String]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
