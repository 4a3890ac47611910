//! Rules that others make redundant.

use super::cover::Cover;
use super::finding::Lint;
use super::tables::TableId;
use super::together::{FEW, MOST, SOME, and, met};
use super::view::MoveId;
use super::{Analyst, NotAnalysed};
use crate::severity::Severity;

/// A run that may break a rule while it meets others, and the calls in which it differs from one that
/// meets all.
struct Candidate {
    path: Vec<MoveId>,
    changed: Vec<MoveId>,
}

impl Analyst<'_> {
    pub(super) fn redundant(&mut self, rules: &[usize]) {
        let mut redundant: Vec<usize> = Vec::new();
        // Of most it is soon known that they are not; what takes long comes last.
        let mut open = Vec::new();
        for rule in rules.iter().rev() {
            let others = self.stand_ins(*rule, rules, &[]);
            if !matches!(self.is_nearly_met(*rule, &others), Ok(true)) {
                open.push(*rule);
            }
        }
        for most in [0, MOST] {
            for rule in std::mem::take(&mut open) {
                // A rule cannot stand in for one that it is itself made redundant by.
                let others = self.stand_ins(rule, rules, &redundant);
                match self.reason(rule, &others, most) {
                    Ok(Some(because)) => {
                        redundant.push(rule);
                        self.report_redundant(rule, &because);
                    }
                    Ok(None) => {}
                    Err(_) => open.push(rule),
                }
            }
        }
        let names = open.iter().map(|rule| format!("`{}`", self.name(*rule)));
        let mut unknown: Vec<String> = names.collect();
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

    fn report_redundant(&mut self, rule: usize, because: &[usize]) {
        let names: Vec<_> = because
            .iter()
            .map(|rule| format!("`{}`", self.name(*rule)))
            .collect();
        let verb = if because.len() == 1 { "does" } else { "do" };
        let message = format!(
            "`{}` forbids nothing that {} {verb} not: it can be left out",
            self.name(rule),
            and(&names)
        );
        let mut about = vec![rule];
        about.extend(because);
        // A call that it refuses, with another; where there is none it is about finished runs alone.
        let path = match self.parts_of(because, rule) {
            Some((parts, own)) => {
                let both = Cover::Both;
                let path = self.ask(SOME, |this, budget| {
                    this.world.cover(&parts, own, both, budget)
                });
                path.unwrap_or(None)
            }
            None => None,
        };
        let message = match path.as_deref() {
            None => message,
            Some(path) => {
                let who = match because {
                    [_] => "both object",
                    _ => "others object, too,",
                };
                let what = match path {
                    [_] => "this call",
                    _ => "the last of these calls",
                };
                format!("{message}; for example, {who} to {what}")
            }
        };
        self.report(Lint::Redundant, &about, message, path);
    }

    fn is_as_strong(&self, other: usize, than: usize) -> bool {
        let final_answer = |rule: usize| {
            self.policy.constraints()[self.rules[rule].index].applies_to_final_answer()
        };
        self.rules[other].severity <= self.rules[than].severity
            && final_answer(other) >= final_answer(than)
    }

    /// The rules, but those, that can make the rule redundant, those first that have to do with the
    /// same tools.
    fn stand_ins(&self, rule: usize, rules: &[usize], but: &[usize]) -> Vec<usize> {
        let mut others = rules.to_vec();
        others.retain(|other| {
            *other != rule
                && !but.contains(other)
                && self.rules[*other].enforcing.is_some()
                && self.is_as_strong(*other, rule)
        });
        others.sort_by_key(|other| !self.share_a_tool(rule, *other));
        others
    }

    /// Of these rules, as few as make the rule redundant. The last question about all of them may
    /// cost the `most`.
    fn reason(
        &mut self,
        rule: usize,
        others: &[usize],
        most: u64,
    ) -> Result<Option<Vec<usize>>, NotAnalysed> {
        if others.is_empty() || self.rules[rule].enforcing.is_none() {
            return Ok(None);
        }
        let Some(mut some) = self.implying(rule, others, most)? else {
            return Ok(None);
        };
        // If they contradicted each other they would imply everything.
        if self.all_met.is_none() && self.find(&met(&some), true, SOME)?.is_none() {
            return Ok(None);
        }
        while let Some(path) = self.uncovered(&some, rule)? {
            let more = self.objector(&path, others, &some)?;
            let Some(other) = more else { return Ok(None) };
            some.push(other);
        }
        let mut i = 0;
        while some.len() > 1 && i < some.len() {
            let mut fewer = some.clone();
            fewer.remove(i);
            if self.find(&but(&fewer, rule), true, SOME)?.is_none()
                && self.uncovered(&fewer, rule)?.is_none()
            {
                some = fewer;
            } else {
                i += 1;
            }
        }
        some.sort_unstable();
        Ok(Some(some))
    }

    /// Does a run that differs little from the one that meets all break this rule only?
    fn is_nearly_met(&mut self, rule: usize, others: &[usize]) -> Result<bool, NotAnalysed> {
        let Some(all_met) = self.all_met.clone() else {
            return Ok(false);
        };
        let broken = self.rules[rule].broken.clone().unwrap_or_default();
        for candidate in self.candidates(rule, &all_met, &broken) {
            if self.breaks_only(rule, &candidate, others)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs that differ from the one that meets all in what the rule can tell from other calls.
    fn candidates(&self, rule: usize, all_met: &[MoveId], broken: &[MoveId]) -> Vec<Candidate> {
        let table = self.rules[rule].finished.into_iter().collect::<Vec<_>>();
        let view = self.world.view(&table);
        let moves = view.proposals.iter().flat_map(|proposal| &proposal.moves);
        let moves: Vec<MoveId> = moves.map(|step| step.id).collect();
        let own = |step: &MoveId| {
            let table = self.rules[rule].finished;
            let alphabet = &self.world.alphabet;
            table.is_some_and(|table| alphabet.letter_of(*step, table) != alphabet.idle[table])
        };
        let mut calls: Vec<MoveId> = all_met.iter().copied().filter(&own).collect();
        calls.sort_unstable();
        calls.dedup();
        let mut candidates = vec![
            Candidate {
                path: [broken, all_met].concat(),
                changed: broken.to_vec(),
            },
            Candidate {
                path: [all_met, broken].concat(),
                changed: broken.to_vec(),
            },
        ];
        // A call left out, or made at other places.
        for call in &calls {
            let without: Vec<_> = all_met
                .iter()
                .copied()
                .filter(|step| step != call)
                .collect();
            let mut places: Vec<usize> =
                (0..without.len()).filter(|at| own(&without[*at])).collect();
            places.insert(0, 0);
            places.push(without.len());
            for place in places {
                let mut path = without.clone();
                path.insert(place, *call);
                candidates.push(Candidate {
                    path,
                    changed: vec![*call],
                });
            }
            candidates.push(Candidate {
                path: without,
                changed: vec![*call],
            });
            // Another call in its place.
            for other in moves.iter().filter(|other| *other != call) {
                let path = all_met.iter();
                let path = path.map(|step| if step == call { *other } else { *step });
                candidates.push(Candidate {
                    path: path.collect(),
                    changed: vec![*call, *other],
                });
            }
        }
        candidates
    }

    /// Is the rule broken by the run, and are all others met? Those are that have nothing to do with
    /// what was changed.
    fn breaks_only(
        &mut self,
        rule: usize,
        Candidate { path, changed }: &Candidate,
        others: &[usize],
    ) -> Result<bool, NotAnalysed> {
        if !self.shows_one(path, rule, false)? {
            return Ok(false);
        }
        self.budget.spend(path.len() as u64)?;
        let told = self.world.told(path);
        for other in others {
            let Some(table) = self.rules[*other].finished else {
                continue;
            };
            let alphabet = &self.world.alphabet;
            let sees = |step: &MoveId| alphabet.letter_of(*step, table) != alphabet.idle[table];
            if !self.rules[*other].minds && !changed.iter().any(sees) {
                continue;
            }
            let (told, length) = (&told[table], path.len());
            let last = self.world.last_of(table, told, length, &mut self.budget)?;
            let empty = self.rules[*other].empty.unwrap_or(true);
            if !last.map_or(empty, |step| step.may_hold) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Some of the others of which each finished run that meets them meets the rule; `None` if there
    /// is a run that meets all of them and not the rule.
    fn implying(
        &mut self,
        rule: usize,
        others: &[usize],
        most: u64,
    ) -> Result<Option<Vec<usize>>, NotAnalysed> {
        let mut some: Vec<usize> = Vec::new();
        while some.len() <= FEW {
            let Some(path) = self.find(&but(&some, rule), true, SOME)? else {
                return Ok(Some(some));
            };
            if let Some(all_met) = self.all_met.clone() {
                let candidate = Candidate {
                    path: [&path[..], &all_met].concat(),
                    changed: path.clone(),
                };
                if self.breaks_only(rule, &candidate, others)? {
                    return Ok(None);
                }
            }
            let near = [&some[..], &[rule]].concat();
            match self.broken_by(&path, others, &near)? {
                Some(other) => some.push(other),
                None => return Ok(None),
            }
        }
        match self.find(&but(others, rule), true, most)? {
            Some(_) => Ok(None),
            None => Err(NotAnalysed::BUDGET),
        }
    }

    /// The run to a call that the rule refuses and none of the others does.
    fn uncovered(
        &mut self,
        others: &[usize],
        rule: usize,
    ) -> Result<Option<Vec<MoveId>>, NotAnalysed> {
        let Some((parts, own)) = self.parts_of(others, rule) else {
            return Ok(None);
        };
        self.ask(SOME, |this, budget| {
            this.world.cover(&parts, own, Cover::None, budget)
        })
    }

    /// The machines that judge calls, with whether what they break is refused, and that of the rule.
    fn parts_of(&self, others: &[usize], rule: usize) -> Option<(Vec<(TableId, bool)>, TableId)> {
        let mut parts = Vec::new();
        for other in others {
            // Where a rule only notes, the calls it notes are made.
            let refuses = self.rules[*other].severity < Severity::Tolerate;
            parts.push((self.rules[*other].enforcing?, refuses));
        }
        Some((parts, self.rules[rule].enforcing?))
    }

    /// One of the rules, but not of those, that refuses a call on the path.
    fn objector(
        &mut self,
        path: &[MoveId],
        rules: &[usize],
        but: &[usize],
    ) -> Result<Option<usize>, NotAnalysed> {
        let (refusing, noting): (Vec<usize>, Vec<usize>) = rules
            .iter()
            .filter(|rule| !but.contains(rule))
            .partition(|rule| self.rules[**rule].severity < Severity::Tolerate);
        if let Some(rule) = self.refuser(&refusing, path, true)? {
            return Ok(Some(rule));
        }
        // What only notes, notes the last call.
        for rule in noting {
            let Some(table) = self.rules[rule].enforcing else {
                continue;
            };
            let steps = self.world.steps(table, path, &mut self.budget)?;
            if steps.last().is_some_and(|step| step.must_break) {
                return Ok(Some(rule));
            }
        }
        Ok(None)
    }
}

/// That these are met, and not the rule.
fn but(some: &[usize], rule: usize) -> Vec<(usize, bool)> {
    // What is to be broken rules most of the runs out.
    let mut all = vec![(rule, false)];
    all.extend(met(some));
    all
}
