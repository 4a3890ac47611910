//! What is found of rules together: contradictions.

use super::finding::Lint;
use super::view::MoveId;
use super::{Analyst, NotAnalysed};

/// The look-ups spent on a question about two rules, about several, and about all.
const PAIR: u64 = 20_000;
pub(super) const SOME: u64 = 30_000;
const SOON: u64 = 50_000;
pub(super) const MOST: u64 = 150_000;
const ALL: u64 = 400_000;
/// So many rules are looked at together where all are too many.
pub(super) const FEW: usize = 16;

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

    /// Can what one of them says of finished runs make a difference to the other?
    pub(super) fn interact(&self, one: usize, other: usize) -> bool {
        self.rules[one].minds || self.rules[other].minds || self.share_a_tool(one, other)
    }

    pub(super) fn share_a_tool(&self, one: usize, other: usize) -> bool {
        !self.rules[one].tools.is_disjoint(&self.rules[other].tools)
    }

    /// Is there a run that meets both?
    fn agree(&mut self, one: usize, other: usize) -> Result<bool, NotAnalysed> {
        let both = [(one, true), (other, true)];
        // Often what is known shows it.
        let met = |rule: usize| self.rules[rule].met.clone().unwrap_or_default();
        let (a, b) = (met(one), met(other));
        for path in [[&a[..], &b].concat(), [&b[..], &a].concat(), a, b] {
            if self.shows(&path, &both)? {
                return Ok(true);
            }
        }
        Ok(self.find(&both, true, PAIR)?.is_some())
    }

    /// Reports contradictions; are there any?
    fn contradictions(&mut self, rules: &[usize]) -> Result<bool, NotAnalysed> {
        // Mostly there is none, and a run that shows it is soon found.
        if let Ok(Some(path)) = self.find(&met(rules), true, SOON) {
            self.all_met = Some(path);
            return Ok(false);
        }
        let mut found = false;
        for (i, a) in rules.iter().enumerate() {
            for b in &rules[i + 1..] {
                if self.interact(*a, *b) && !self.agree(*a, *b)? {
                    self.report_contradiction(&[*a, *b])?;
                    found = true;
                }
            }
        }
        if found {
            return Ok(true);
        }
        if let Ok(Some(path)) = self.find(&met(rules), true, ALL) {
            self.all_met = Some(path);
            return Ok(false);
        }
        let Some(mut some) = self.contradicting(rules)? else {
            return Ok(false);
        };
        // Without any one of the rest they can all be met, so none of the rest can be spared.
        let mut i = 0;
        while i < some.len() {
            let mut fewer = some.clone();
            fewer.remove(i);
            if self.find(&met(&fewer), true, SOME)?.is_some() {
                i += 1;
            } else {
                some = fewer;
            }
        }
        some.sort_unstable();
        self.report_contradiction(&some)?;
        Ok(true)
    }

    /// Rules that no run meets together: to a few of them those are added that the runs that meet
    /// these break. `None` if a run is found that meets all.
    fn contradicting(&mut self, rules: &[usize]) -> Result<Option<Vec<usize>>, NotAnalysed> {
        let mut some: Vec<usize> = Vec::new();
        while some.len() <= FEW {
            let Some(path) = self.find(&met(&some), true, SOME)? else {
                return Ok(Some(some));
            };
            match self.broken_by(&path, rules, &some)? {
                Some(rule) => some.push(rule),
                None => {
                    self.all_met = Some(path);
                    return Ok(None);
                }
            }
        }
        Err(NotAnalysed::BUDGET)
    }

    /// One of the rules that the run does not meet, if possible one that has to do with `some`.
    pub(super) fn broken_by(
        &mut self,
        path: &[MoveId],
        rules: &[usize],
        some: &[usize],
    ) -> Result<Option<usize>, NotAnalysed> {
        let mut broken = None;
        for rule in rules {
            if !self.shows_one(path, *rule, true)? {
                if some.iter().any(|other| self.interact(*rule, *other)) {
                    return Ok(Some(*rule));
                }
                broken = broken.or(Some(*rule));
            }
        }
        Ok(broken)
    }

    fn report_contradiction(&mut self, rules: &[usize]) -> Result<(), NotAnalysed> {
        let names: Vec<_> = rules
            .iter()
            .map(|rule| format!("`{}`", self.name(*rule)))
            .collect();
        let mut message = format!(
            "no finished run meets {} together, though each can be met",
            and(&names)
        );
        let goals = rules.iter().filter_map(|rule| self.goal(*rule, true));
        let goals: Vec<_> = goals.collect();
        let lost = self.ask(SOME, |this, budget| this.world.first_lost(&goals, budget))?;
        let path = lost.map(|(path, goal)| {
            let calls = if path.len() == 1 {
                "this call breaks"
            } else {
                "these calls break"
            };
            let name = self.name(rules[goal]);
            message.push_str(&format!("; for example, {calls} `{name}` for good"));
            path
        });
        self.report(Lint::Contradiction, rules, message, path);
        Ok(())
    }
}

pub(super) fn met(rules: &[usize]) -> Vec<(usize, bool)> {
    rules.iter().map(|rule| (*rule, true)).collect()
}

/// Words with commas and an "and".
pub(super) fn and(words: &[String]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
