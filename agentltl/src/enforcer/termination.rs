//! The agent is about to finish.

use super::Enforcer;
use super::decision::{Action, Decision, Fault, Violation};
use super::feedback::unfinished;
use super::log::ViolationRecord;
use agentltl_core::Constraint;

impl Enforcer {
    /// Is a constraint that applies to the final answer unmet? Then sends the agent back (`block`),
    /// at most [`max_termination_nudges`](super::EnforcerBuilder::max_termination_nudges) times.
    ///
    /// The run is judged as finished, calls in flight included. All unmet constraints are in
    /// [`Decision::violations`]; the feedback and the logs show `nudge_max` of them.
    pub fn check_termination(&mut self) -> Decision {
        if self.run.termination_nudges >= self.settings.max_termination_nudges {
            return Decision::new(Action::Allow);
        }
        let mut decision = Decision::new(Action::Block);
        for constraint in self.policy.constraints() {
            if !constraint.applies_to_final_answer() {
                continue;
            }
            let detail = match self.judges.unmet(constraint.formula(), &self.run.trace) {
                Ok(None) => continue,
                Ok(Some(detail)) => detail,
                Err(error) => {
                    let detail = format!("the rule could not be judged: {error}");
                    decision.faults.push(Fault {
                        what: error.what,
                        message: error.message,
                    });
                    detail
                }
            };
            decision.violations.push(Violation {
                step_number: -1,
                detail,
                ..Violation::unmet(constraint)
            });
        }
        if decision.violations.is_empty() {
            return Decision::new(Action::Allow);
        }
        self.run.termination_nudges = self.run.termination_nudges.saturating_add(1);
        let shown = self.settings.nudge_max;
        for violation in decision.violations.iter().take(shown) {
            self.run
                .nudged_names
                .push(violation.constraint_name.clone());
            self.run.violations.push(ViolationRecord::from(violation));
        }
        decision.feedback = unfinished(&decision.violations, shown);
        decision
    }

    /// Lets the agent be sent back as often as at the start: for a run of several turns, each of
    /// which is a new chance to finish.
    pub fn reset_termination_nudges(&mut self) {
        self.run.termination_nudges = 0;
    }
}

impl Violation {
    /// A violation of the constraint, without what it is about.
    pub(super) fn unmet(constraint: &Constraint) -> Self {
        Violation {
            constraint_name: constraint.name().to_owned(),
            description: constraint.description().to_owned(),
            repair: constraint.repair().to_owned(),
            formula: constraint.formula().to_string(),
            ..Violation::default()
        }
    }
}
