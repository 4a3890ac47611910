//! What an analysis finds.

use std::fmt;

use super::SampleRun;
use crate::formula::Formula;
use crate::text::Name;
use crate::verdict::Verdict;

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Lint {
    /// A rule that every finished run breaks.
    Unsatisfiable,
    /// A rule that nothing an agent does can break.
    Vacuous,
    /// Rules of which each can be met, but no finished run meets them all.
    Contradiction,
    /// A state that an obedient agent can reach in which every call is refused, by severities that
    /// the agent cannot override.
    Wedge,
    /// A state that an obedient agent can reach from which a rule about the final answer can no
    /// longer be met.
    DeadEnd,
    /// A listed tool that may never be called.
    UnusableTool,
    /// A rule that forbids nothing that other rules, of at least its severity, do not.
    Redundant,
    /// A part of a rule that could as well be `true` or `false`.
    Constant,
}

impl Lint {
    /// All of them.
    pub const ALL: [Lint; 8] = [
        Lint::Unsatisfiable,
        Lint::Vacuous,
        Lint::Contradiction,
        Lint::Wedge,
        Lint::DeadEnd,
        Lint::UnusableTool,
        Lint::Redundant,
        Lint::Constant,
    ];

    /// The name, as in `#![allow(dead_end)]`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Lint::Unsatisfiable => "unsatisfiable",
            Lint::Vacuous => "vacuous",
            Lint::Contradiction => "contradiction",
            Lint::Wedge => "wedge",
            Lint::DeadEnd => "dead_end",
            Lint::UnusableTool => "unusable_tool",
            Lint::Redundant => "redundant",
            Lint::Constant => "constant",
        }
    }

    /// The lint of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Lint::ALL.into_iter().find(|lint| lint.as_str() == name)
    }

    /// What the author of the policy can do about a finding of this kind.
    ///
    /// ```
    /// use agentltl_core::analysis::Lint;
    /// assert!(Lint::Redundant.way_out().starts_with("remove it"));
    /// ```
    #[must_use]
    pub const fn way_out(self) -> &'static str {
        match self {
            Lint::Unsatisfiable => {
                "change the formula so that some run meets it, or remove the constraint"
            }
            Lint::Vacuous => {
                "change the formula so that some run breaks it, or remove the constraint"
            }
            Lint::Contradiction => "change one of them so that some run meets them all",
            Lint::Wedge => {
                "let some call pass there; under BLOCK_AND_WARN an agent can insist, and TOLERATE lets \
                 calls pass"
            }
            Lint::DeadEnd => {
                "let the call that leads there wait until the constraint on the final answer is \
                 met, or change that constraint"
            }
            Lint::UnusableTool => {
                "take the tool off the list, or let the constraint allow some call of it"
            }
            Lint::Redundant => "remove it, or make it stricter than the others",
            Lint::Constant => "leave that part out, or write what was meant in its place",
        }
    }

    /// Is it an error by itself in a policy with strict runtime safety, rather than a warning?
    #[must_use]
    pub const fn is_error_if_strict(self) -> bool {
        matches!(
            self,
            Lint::Unsatisfiable | Lint::Contradiction | Lint::Wedge
        )
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Something wrong with a policy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// What kind of thing.
    pub lint: Lint,
    /// The names of the rules that it is about: where it is about one because of others, that first.
    pub constraints: Vec<String>,
    /// The tool that it is about, if it is about one.
    pub tool: Option<Name>,
    /// The part of the rule that it is about, if it is about one.
    pub part: Option<Formula>,
    /// What is wrong, in words.
    pub message: String,
    /// A run that shows it, where a run can: the shortest, but for dead ends of large policies.
    pub run: Option<SampleRun>,
    /// For each call of the run the verdicts that turn with it, by the name of the rule.
    pub turns: Vec<Vec<(String, Verdict)>>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.lint, self.message)?;
        for (i, call) in self.run.iter().flat_map(|run| run.iter()).enumerate() {
            write!(f, "\n    {}. {call}", i + 1)?;
            for (k, (name, verdict)) in self.turns.get(i).into_iter().flatten().enumerate() {
                let before = if k == 0 { " -- " } else { ", " };
                write!(f, "{before}{name}: {verdict}")?;
            }
        }
        Ok(())
    }
}
