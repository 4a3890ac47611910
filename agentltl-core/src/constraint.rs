//! A named rule.

use crate::formula::Formula;
use crate::severity::Severity;
use crate::text::Text;

/// A named rule: what must hold, how much it weighs in the score, and what happens where it breaks.
///
/// Nothing is checked here: a [`Policy`](crate::Policy) checks its rules when it is made.
///
/// ```
/// use agentltl_core::{build::*, Constraint, Severity};
/// let rule = Constraint::new("fetch_first", before("fetch_data", "process_data"))
///     .with_severity(Severity::SoftBlock)
///     .with_weight(2.0)
///     .with_description("Raw data is fetched before it is processed.")
///     .with_repair("Call fetch_data first.");
/// assert_eq!(rule.weight(), 2.0);
/// assert_eq!(rule.severity(), Some(Severity::SoftBlock));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    name: Text,
    formula: Formula,
    severity: Option<Severity>,
    weight: f64,
    description: Text,
    repair: Text,
    applies_to_final_answer: bool,
}

impl Constraint {
    /// A rule of weight 1 with the policy's default severity.
    pub fn new(name: impl Into<Text>, formula: Formula) -> Self {
        Constraint {
            name: name.into(),
            formula,
            severity: None,
            weight: 1.0,
            description: Text::default(),
            repair: Text::default(),
            applies_to_final_answer: false,
        }
    }

    /// What `constraints!` makes of a rule that it has checked.
    #[doc(hidden)]
    #[must_use]
    pub const fn __from_static(
        name: &'static str,
        formula: Formula,
        severity: Option<Severity>,
        weight: f64,
        description: &'static str,
        repair: &'static str,
        applies_to_final_answer: bool,
    ) -> Self {
        Constraint {
            name: Text::from_static(name),
            formula,
            severity,
            weight,
            description: Text::from_static(description),
            repair: Text::from_static(repair),
            applies_to_final_answer,
        }
    }

    /// The rule under another name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<Text>) -> Self {
        self.name = name.into();
        self
    }

    /// The rule with another formula.
    #[must_use]
    pub fn with_formula(mut self, formula: Formula) -> Self {
        self.formula = formula;
        self
    }

    /// The rule with a severity of its own.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// The rule with another weight in the score than 1: 0 or more, finite.
    #[must_use]
    pub fn with_weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// The rule with an instruction for the agent that breaks it.
    #[must_use]
    pub fn with_repair(mut self, repair: impl Into<Text>) -> Self {
        self.repair = repair.into();
        self
    }

    /// The rule with the reason why it exists.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<Text>) -> Self {
        self.description = description.into();
        self
    }

    /// The rule as one that is also judged when the agent is about to finish.
    #[must_use]
    pub fn on_final_answer(mut self) -> Self {
        self.applies_to_final_answer = true;
        self
    }

    /// The name: unique within a policy.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What must hold.
    #[must_use]
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// The severity of its own, if it has one; otherwise the policy's default applies.
    #[must_use]
    pub fn severity(&self) -> Option<Severity> {
        self.severity
    }

    /// How much it weighs in the compliance score.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Why the rule exists; may be empty.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// What the agent should do about a violation; may be empty.
    #[must_use]
    pub fn repair(&self) -> &str {
        &self.repair
    }

    /// Is it also judged when the agent is about to finish?
    #[must_use]
    pub fn applies_to_final_answer(&self) -> bool {
        self.applies_to_final_answer
    }
}
