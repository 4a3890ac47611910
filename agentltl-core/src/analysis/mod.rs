//! What can be proved about a policy before anything runs.
//!
//! The machines of the [monitors](crate::monitor) are explored over the calls that the formulas can
//! tell apart: alone, and side by side. A finding is always real: its run, if it has one, shows it.
//! What cannot be explored is not guessed at but named, see [`Analysis::gaps`].
//!
//! Runs are calls that come one at a time, whose results are known before the next call or never.
//! Predicates, patterns in Rust and quantifiers are free: they may answer anything, see
//! [`Analysis::free`]. A finding is real whatever they answer, as long as they do answer: code that
//! fails refuses the call, whatever the rule says. Of a rule `forall x in args(..)` it is found, too, if
//! no value can break it. The parts of a rule that asks code are not looked at by themselves.

mod alphabet;
mod climb;
mod constant;
mod cover;
mod dead_end;
mod finding;
mod formula;
mod free;
mod quantified;
mod raw;
mod reach;
mod redundant;
mod sample;
mod search;
mod shape;
mod single;
mod states;
mod survey;
mod table;
mod tables;
mod together;
mod view;
mod wedge;

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use crate::formula::Formula;
use crate::monitor::{OverBudget, Unsupported};
use crate::policy::Policy;
use crate::severity::Severity;
use crate::text::Name;

use alphabet::Alphabet;
use table::Budget;
use tables::{Kind, TableId, Tables};
use view::{MoveId, World};

pub use finding::{Finding, Lint};
pub use free::FreePart;
pub use sample::{SampleCall, SampleRun};

/// Why something was not analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnalysed {
    reason: &'static str,
}

impl NotAnalysed {
    const BUDGET: NotAnalysed = NotAnalysed {
        reason: "it has more states than the analysis may explore",
    };

    const fn new(reason: &'static str) -> Self {
        NotAnalysed { reason }
    }
}

impl fmt::Display for NotAnalysed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not analysed: {}", self.reason)
    }
}

impl std::error::Error for NotAnalysed {}

impl From<OverBudget> for NotAnalysed {
    fn from(_: OverBudget) -> Self {
        NotAnalysed::BUDGET
    }
}

impl From<Unsupported> for NotAnalysed {
    fn from(unsupported: Unsupported) -> Self {
        NotAnalysed::new(unsupported.reason())
    }
}

/// Something that was not analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// What it is: ``constraint `x` ``, or what was looked for.
    pub what: String,
    /// Why.
    pub reason: String,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: not analysed: {}", self.what, self.reason)
    }
}

/// What was proved about a policy; see [`Policy::analyze`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Analysis {
    /// What is wrong with it.
    pub findings: Vec<Finding>,
    /// What was not analysed. Where this is empty, the findings are all there are.
    pub gaps: Vec<Gap>,
    /// What the analysis takes as free: predicates, patterns and quantifiers, of which it supposes
    /// nothing. Each finding is real whatever they answer; there may be more to find by who knows.
    pub free: Vec<FreePart>,
}

impl Analysis {
    /// The findings of one kind.
    pub fn of(&self, lint: Lint) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(move |finding| finding.lint == lint)
    }
}

/// Findings and gaps, for people.
impl fmt::Display for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        for gap in &self.gaps {
            writeln!(f, "{gap}")?;
        }
        if self.findings.is_empty() && self.gaps.is_empty() {
            writeln!(f, "nothing found")?;
        }
        Ok(())
    }
}

impl Policy {
    /// Does the policy make sense? Tells which rules can never be broken or met, which cannot be met
    /// together, where an obedient agent gets stuck, and more: see [`Lint`].
    ///
    /// Which tools there are is known where the policy [lists](Policy::tools) them; otherwise one
    /// that no rule names stands for all others.
    ///
    /// ```
    /// use agentltl_core::{analysis::Lint, build::*, Constraint, Policy};
    /// let policy = Policy::new([
    ///     Constraint::new("one", before("fetch", "save")),
    ///     Constraint::new("other", before("save", "fetch")),
    /// ])?;
    /// let analysis = policy.analyze();
    /// let finding = analysis.of(Lint::Contradiction).next().expect("they contradict each other");
    /// assert_eq!(finding.constraints, ["one", "other"]);
    /// assert!(analysis.gaps.is_empty());
    /// # Ok::<(), agentltl_core::PolicyError>(())
    /// ```
    #[must_use]
    pub fn analyze(&self) -> Analysis {
        let mut analyst = Analyst::new(self);
        analyst.look_at_each();
        analyst.look_at_states();
        analyst.look_together();
        analyst.analysis
    }
}

/// The look-ups an analysis may spend in all.
const BUDGET: u64 = 1_500_000;

/// A rule, as far as it can be explored.
struct Rule<'p> {
    /// Its place in the policy.
    index: usize,
    severity: Severity,
    /// The machine that judges calls.
    enforcing: Option<TableId>,
    /// The machine that judges finished runs, and what it says of the one without calls.
    finished: Option<TableId>,
    empty: Option<bool>,
    /// For each letter of the judging machine: may it be refused in some state, and must it?
    may_refuse: Vec<bool>,
    must_refuse: Vec<bool>,
    /// Does it make a difference to a finished run that other tools are called than the rule names?
    minds: bool,
    /// Does some finished run meet the rule, and does some not? `None` is not known.
    satisfiable: Option<bool>,
    breakable: Option<bool>,
    /// The shortest such runs.
    met: Option<Vec<MoveId>>,
    broken: Option<Vec<MoveId>>,
    /// The tools that it names.
    tools: BTreeSet<&'p Name>,
}

struct Analyst<'p> {
    policy: &'p Policy,
    rules: Vec<Rule<'p>>,
    world: World,
    budget: Budget,
    /// A finished run that meets all rules that can be met.
    all_met: Option<Vec<MoveId>>,
    /// The parts found constant, so that formulas of one shape are looked at once.
    constants: HashMap<constant::Key, Option<constant::Constant>>,
    analysis: Analysis,
}

impl<'p> Analyst<'p> {
    fn new(policy: &'p Policy) -> Self {
        let mut analysis = Analysis::default();
        let mut tables = Tables::default();
        let mut rules = Vec::new();
        for (index, constraint) in policy.constraints().iter().enumerate() {
            let formula = constraint.formula();
            let finished = tables.add(formula, Kind::Finished);
            let enforcing = tables.add(formula, Kind::Enforcing);
            if let Err(reason) = finished.and(enforcing) {
                analysis.gaps.push(Gap {
                    what: format!("constraint `{}`", constraint.name()),
                    reason: reason.reason.to_owned(),
                });
            } else {
                let free = FreePart::all_of(constraint.name(), formula);
                analysis.free.extend(free);
            }
            rules.push(Rule {
                index,
                severity: policy.severity_of(constraint),
                enforcing: enforcing.ok(),
                finished: finished.ok(),
                empty: table::holds_empty(formula),
                may_refuse: Vec::new(),
                must_refuse: Vec::new(),
                minds: true,
                satisfiable: None,
                breakable: None,
                met: None,
                broken: None,
                tools: formula.tools(),
            });
        }
        let mut tools: Vec<Name> = Vec::new();
        let mut closed = !policy.tools().is_empty();
        let named = policy.constraints().iter().map(|rule| rule.formula());
        let named = named.flat_map(Formula::tools);
        for tool in policy.tools().iter().chain(named) {
            // A constant whose value is not known here may be any tool.
            closed &= !tool.is_path();
            if !tool.is_path() && !tools.contains(tool) {
                tools.push(tool.clone());
            }
        }
        let alphabet = Alphabet::new(&mut tables, tools, closed).unwrap_or_else(|reason| {
            analysis.gaps.push(Gap {
                what: "the policy".to_owned(),
                reason: reason.reason.to_owned(),
            });
            // Without calls there is nothing to say of any rule.
            for rule in &mut rules {
                (rule.enforcing, rule.finished) = (None, None);
            }
            Alphabet::default()
        });
        Analyst {
            policy,
            rules,
            world: World { tables, alphabet },
            budget: Budget::new(BUDGET),
            all_met: None,
            constants: HashMap::new(),
            analysis,
        }
    }

    fn name(&self, rule: usize) -> &'p str {
        self.policy.constraints()[rule].name()
    }

    fn gap(&mut self, what: impl Into<String>, reason: NotAnalysed) {
        self.analysis.gaps.push(Gap {
            what: what.into(),
            reason: reason.reason.to_owned(),
        });
    }

    /// Does something with a part of the budget.
    fn within<T>(
        &mut self,
        most: u64,
        task: impl FnOnce(&mut Self) -> Result<T, NotAnalysed>,
    ) -> Result<T, NotAnalysed> {
        let all = self.budget;
        let part = all.part(most);
        self.budget = part;
        let done = task(self);
        let spent = self.budget.spent_of(part);
        self.budget = all;
        self.budget.spend(spent)?;
        done
    }

    /// Asks a question with a part of the budget.
    fn ask<T>(
        &mut self,
        most: u64,
        question: impl FnOnce(&mut Self, &mut Budget) -> Result<T, NotAnalysed>,
    ) -> Result<T, NotAnalysed> {
        let whole = self.budget.part(most);
        let mut left = whole;
        let answer = question(self, &mut left);
        self.budget.spend(left.spent_of(whole))?;
        answer
    }
}
