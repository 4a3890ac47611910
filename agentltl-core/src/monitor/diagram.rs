//! Functions from the verdicts of undecided leaves to a verdict, in a canonical form: ordered
//! decision diagrams with one branch a verdict. Equal functions are equal numbers, which is what
//! keeps the states of a monitor few.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use crate::node::Bound;
use crate::verdict::{Verdict, VerdictSet};

/// A diagram: a terminal below [`FIRST`], else a branch.
pub(super) type Ref = u32;

/// The number of the first branch.
const FIRST: Ref = 1 << 22;
/// Terminals from here on are counts `(least, most)`; those below are verdicts.
const COUNTS: Ref = 8;
/// The largest count a terminal can hold.
pub(super) const MAX_COUNT: u32 = 1000;

/// The diagrams of one monitor have grown over the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

/// A branch on a variable: one diagram a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Branch {
    variable: u32,
    branches: [Ref; 5],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Op {
    Min,
    Max,
    /// Adds a verdict to a count that stays at a limit.
    Count(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Map {
    Not,
    Compare(Bound),
}

/// A hash for small keys; nothing an attacker chooses goes in.
#[derive(Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word) ^ (chunk.len() as u64) << 56);
        }
    }
    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }
    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

pub(super) type MixMap<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// What each variable is to be replaced with; `None` keeps it.
pub(super) type Substitution = [Option<Ref>];

/// The store of all diagrams of a monitor.
#[derive(Clone, Debug)]
pub(super) struct Diagrams {
    /// The verdicts each variable can take.
    domains: Vec<VerdictSet>,
    branches: Vec<Branch>,
    known: MixMap<Branch, Ref>,
    combined: MixMap<(Op, Ref, Ref), Ref>,
    mapped: MixMap<(Map, Ref), Ref>,
    selected: MixMap<(Ref, [Ref; 5]), Ref>,
    budget: usize,
}

impl Diagrams {
    pub(super) fn new(domains: Vec<VerdictSet>, budget: usize) -> Self {
        Diagrams {
            domains,
            branches: Vec::new(),
            known: MixMap::default(),
            combined: MixMap::default(),
            mapped: MixMap::default(),
            selected: MixMap::default(),
            budget,
        }
    }

    /// How many branches and remembered results there are.
    pub(super) fn size(&self) -> usize {
        self.branches.len() + self.combined.len() + self.mapped.len() + self.selected.len()
    }

    fn check(&self) -> Result<(), Full> {
        if self.size() < self.budget {
            Ok(())
        } else {
            Err(Full)
        }
    }

    pub(super) const fn constant(verdict: Verdict) -> Ref {
        verdict as Ref
    }

    /// The verdict of a diagram that does not branch.
    pub(super) fn as_constant(diagram: Ref) -> Option<Verdict> {
        Verdict::ALL.get(diagram as usize).copied()
    }

    /// The count at the first position.
    pub(super) const fn no_count() -> Ref {
        COUNTS
    }

    fn branch_at(&self, diagram: Ref) -> Option<&Branch> {
        self.branches.get(diagram.checked_sub(FIRST)? as usize)
    }

    fn top(&self, diagram: Ref) -> u32 {
        self.branch_at(diagram)
            .map_or(u32::MAX, |branch| branch.variable)
    }

    /// What remains of the diagram where the variable, which is at or above its top, has the verdict.
    fn given(&self, diagram: Ref, variable: u32, verdict: Verdict) -> Ref {
        match self.branch_at(diagram) {
            Some(branch) if branch.variable == variable => branch.branches[verdict as usize],
            _ => diagram,
        }
    }

    pub(super) fn variable(&mut self, variable: usize) -> Result<Ref, Full> {
        self.branch(variable as u32, Verdict::ALL.map(Self::constant))
    }

    fn branch(&mut self, variable: u32, mut branches: [Ref; 5]) -> Result<Ref, Full> {
        let domain = self.domains[variable as usize];
        let Some(first) = domain.iter().next() else {
            return Ok(branches[0]);
        };
        let first = branches[first as usize];
        // Where the variable cannot go the function may be anything: the same for all.
        for verdict in Verdict::ALL {
            if !domain.contains(verdict) {
                branches[verdict as usize] = first;
            }
        }
        if branches.iter().all(|branch| *branch == first) {
            return Ok(first);
        }
        let branch = Branch { variable, branches };
        if let Some(diagram) = self.known.get(&branch) {
            return Ok(*diagram);
        }
        self.check()?;
        let diagram = FIRST + self.branches.len() as Ref;
        self.branches.push(branch);
        self.known.insert(branch, diagram);
        Ok(diagram)
    }

    pub(super) fn min(&mut self, a: Ref, b: Ref) -> Result<Ref, Full> {
        self.combine(Op::Min, a.min(b), a.max(b))
    }

    pub(super) fn max(&mut self, a: Ref, b: Ref) -> Result<Ref, Full> {
        self.combine(Op::Max, a.min(b), a.max(b))
    }

    /// One more verdict counted; counts stay at the limit.
    pub(super) fn count(&mut self, counts: Ref, verdict: Ref, limit: u32) -> Result<Ref, Full> {
        self.combine(Op::Count(limit), counts, verdict)
    }

    // The recursion below is as deep as there are variables, which the plan bounds.
    fn combine(&mut self, op: Op, a: Ref, b: Ref) -> Result<Ref, Full> {
        let (low, high) = match op {
            Op::Min => (0, 4),
            Op::Max => (4, 0),
            Op::Count(limit) => {
                if a < FIRST && b < FIRST {
                    return Ok(counted(a, b, limit));
                }
                (u32::MAX, u32::MAX)
            }
        };
        if low != high {
            if a == low || b == low {
                return Ok(low);
            }
            if a == high {
                return Ok(b);
            }
            if b == high || a == b {
                return Ok(a);
            }
            if a < FIRST && b < FIRST {
                return Ok(if low == 0 { a.min(b) } else { a.max(b) });
            }
        }
        if let Some(known) = self.combined.get(&(op, a, b)) {
            return Ok(*known);
        }
        self.check()?;
        let variable = self.top(a).min(self.top(b));
        let mut branches = [0; 5];
        for verdict in self.domains[variable as usize].iter() {
            let (a, b) = (
                self.given(a, variable, verdict),
                self.given(b, variable, verdict),
            );
            let (a, b) = if low == high {
                (a, b)
            } else {
                (a.min(b), a.max(b))
            };
            branches[verdict as usize] = self.combine(op, a, b)?;
        }
        let diagram = self.branch(variable, branches)?;
        self.combined.insert((op, a, b), diagram);
        Ok(diagram)
    }

    pub(super) fn not(&mut self, diagram: Ref) -> Result<Ref, Full> {
        self.map(Map::Not, diagram)
    }

    /// Whether the comparison holds for every count from `least` to `most`, for none, or for some.
    pub(super) fn compare(&mut self, counts: Ref, bound: Bound) -> Result<Ref, Full> {
        self.map(Map::Compare(bound), counts)
    }

    fn map(&mut self, map: Map, diagram: Ref) -> Result<Ref, Full> {
        let Some(branch) = self.branch_at(diagram).copied() else {
            return Ok(match map {
                Map::Not => 4 - diagram.min(4),
                Map::Compare(bound) => Self::constant(compared(bound, diagram)),
            });
        };
        if let Some(known) = self.mapped.get(&(map, diagram)) {
            return Ok(*known);
        }
        self.check()?;
        let mut branches = [0; 5];
        for verdict in self.domains[branch.variable as usize].iter() {
            branches[verdict as usize] = self.map(map, branch.branches[verdict as usize])?;
        }
        let mapped = self.branch(branch.variable, branches)?;
        self.mapped.insert((map, diagram), mapped);
        Ok(mapped)
    }

    /// The diagram with every variable replaced; `memo` is for one substitution.
    pub(super) fn substitute(
        &mut self,
        diagram: Ref,
        by: &Substitution,
        memo: &mut MixMap<Ref, Ref>,
    ) -> Result<Ref, Full> {
        let Some(branch) = self.branch_at(diagram).copied() else {
            return Ok(diagram);
        };
        if let Some(known) = memo.get(&diagram) {
            return Ok(*known);
        }
        let variable = branch.variable as usize;
        let selector = match by[variable] {
            Some(selector) => selector,
            None => self.variable(variable)?,
        };
        let mut branches = [0; 5];
        if let Some(verdict) = Self::as_constant(selector) {
            let branch = branch.branches[verdict as usize];
            branches = [self.substitute(branch, by, memo)?; 5];
        } else {
            for verdict in Verdict::ALL {
                let branch = branch.branches[verdict as usize];
                branches[verdict as usize] = self.substitute(branch, by, memo)?;
            }
        }
        let replaced = self.select(selector, branches)?;
        memo.insert(diagram, replaced);
        Ok(replaced)
    }

    /// The branch that the selector's verdict names.
    fn select(&mut self, selector: Ref, branches: [Ref; 5]) -> Result<Ref, Full> {
        if let Some(verdict) = Self::as_constant(selector) {
            return Ok(branches[verdict as usize]);
        }
        if branches.iter().all(|branch| *branch == branches[0]) {
            return Ok(branches[0]);
        }
        if let Some(known) = self.selected.get(&(selector, branches)) {
            return Ok(*known);
        }
        self.check()?;
        let variable = branches
            .iter()
            .fold(self.top(selector), |v, b| v.min(self.top(*b)));
        let mut results = [0; 5];
        for verdict in self.domains[variable as usize].iter() {
            let selector = self.given(selector, variable, verdict);
            let branches = branches.map(|branch| self.given(branch, variable, verdict));
            results[verdict as usize] = self.select(selector, branches)?;
        }
        let diagram = self.branch(variable, results)?;
        self.selected.insert((selector, branches), diagram);
        Ok(diagram)
    }

    /// The verdict where the variables have these.
    pub(super) fn evaluate(&self, mut diagram: Ref, at: &[Verdict]) -> Verdict {
        while let Some(branch) = self.branch_at(diagram) {
            diagram = branch.branches[at[branch.variable as usize] as usize];
        }
        Self::as_constant(diagram).unwrap_or(Verdict::Pending)
    }

    /// A copy of a diagram of another store with the same variables.
    pub(super) fn import(
        &mut self,
        diagram: Ref,
        from: &Diagrams,
        memo: &mut MixMap<Ref, Ref>,
    ) -> Result<Ref, Full> {
        let Some(branch) = from.branch_at(diagram).copied() else {
            return Ok(diagram);
        };
        if let Some(known) = memo.get(&diagram) {
            return Ok(*known);
        }
        let mut branches = [0; 5];
        for (to, branch) in branches.iter_mut().zip(branch.branches) {
            *to = self.import(branch, from, memo)?;
        }
        let copy = self.branch(branch.variable, branches)?;
        memo.insert(diagram, copy);
        Ok(copy)
    }
}

fn counted(counts: Ref, verdict: Ref, limit: u32) -> Ref {
    let (least, most) = split(counts);
    let least = (least + u32::from(verdict == Verdict::True as Ref)).min(limit);
    let most = (most + u32::from(verdict != Verdict::False as Ref)).min(limit);
    COUNTS + least * (MAX_COUNT + 2) + most
}

fn split(counts: Ref) -> (u32, u32) {
    let counts = counts.saturating_sub(COUNTS);
    (counts / (MAX_COUNT + 2), counts % (MAX_COUNT + 2))
}

fn compared(bound: Bound, counts: Ref) -> Verdict {
    let (least, most) = split(counts);
    let admitted = (least..=most)
        .filter(|count| bound.admits(u64::from(*count)))
        .count();
    match admitted {
        0 => Verdict::False,
        n if n == (most - least + 1) as usize => Verdict::True,
        _ => Verdict::Pending,
    }
}
