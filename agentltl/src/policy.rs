//! A list of rules.

use agentltl_core::{Seq, Severity};

use crate::constraint::Constraint;

/// A list of rules with distinct names, and the severity of those that name none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    constraints: Seq<Constraint>,
    default_severity: Severity,
}

impl Policy {
    /// What `constraints!` makes of rules that it has checked.
    #[doc(hidden)]
    #[must_use]
    pub const fn __from_static(
        constraints: &'static [Constraint],
        default_severity: Severity,
    ) -> Self {
        Policy {
            constraints: Seq::from_static(constraints),
            default_severity,
        }
    }

    /// The rules, in order.
    #[must_use]
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The severity of rules that name none.
    #[must_use]
    pub fn default_severity(&self) -> Severity {
        self.default_severity
    }

    /// The severity that applies to a rule of this policy.
    #[must_use]
    pub fn severity_of(&self, constraint: &Constraint) -> Severity {
        constraint.severity().unwrap_or(self.default_severity)
    }
}
