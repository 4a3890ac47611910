//! A named rule.

use agentltl_core::{Formula, Severity, Text};

/// A named rule: what must hold, how much it weighs in the score, and what happens where it breaks.
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

    /// The rule with a severity of its own.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
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
