//! What is said of the rules of `constraints!` together.

use agentltl_core::{Constraint, Formula};

use super::{Expansion, Policy};
use crate::ast::{Level, Rule, Settings};
use crate::diagnostics::Place;
use crate::lints::{Form, Subject};
use crate::tools::Tools;

impl Policy<'_> {
    /// Does the policy as a whole make sense? Nothing is said of one that has errors.
    pub(super) fn review(
        &self,
        settings: &Settings,
        rules: Vec<(&Rule, Formula)>,
        expansion: &mut Expansion<'_>,
    ) {
        if !expansion.errors.is_empty() {
            return;
        }
        let (rules, formulas): (Vec<&Rule>, Vec<Formula>) = rules.into_iter().unzip();
        let mut open_severities = false;
        let mut named = Vec::new();
        let constraints: Vec<Constraint> = rules
            .iter()
            .zip(formulas)
            .map(|(rule, formula)| {
                named.extend(formula.tools().into_iter().cloned());
                let constraint = Constraint::new(rule.name.as_str(), formula);
                let constraint = match rule.severity.as_ref().unwrap_or(&self.default) {
                    Level::Known(severity, _) => constraint.with_severity(*severity),
                    Level::Code(_) | Level::Wrong => {
                        open_severities = true;
                        constraint
                    }
                };
                if rule.attributes.final_answer {
                    constraint.on_final_answer()
                } else {
                    constraint
                }
            })
            .collect();
        let mut policy = agentltl_core::Policy::builder().constraints(constraints);
        let open_tools = self.tools.as_ref().is_some_and(Tools::is_open);
        if let Some(tools) = &self.tools {
            policy = policy.tools(tools.known());
            // What is not listed by its name is, as rustc will find, by a constant.
            if open_tools {
                policy = policy.tools(named);
            }
        }
        let Ok(policy) = policy.build() else {
            return;
        };
        let subject = Subject {
            policy: &policy,
            strict: self.strict,
            open_severities,
            open_tools,
            levels: &settings.lints,
            own: rules.iter().map(|rule| &rule.attributes.levels).collect(),
            form: Form::Tokens,
        };
        for shown in subject.findings() {
            let Some(rule) = rules.get(shown.rule) else {
                continue;
            };
            let place = Place {
                first: rule.name_span,
                last: Place::of(&rule.formula, rule.name_span).last,
            };
            expansion.found(place, &shown, &shown.message, &rule.attributes.lints);
        }
    }
}
