//! The enforcer: decisions, state, calls in flight, sharing and the file store.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod behaviour;
mod conformance;
mod faults;
mod feedback;
mod flight;
mod model;
mod shared;
mod state;
mod store;
mod warnings;

use agentltl::{Constraint, Enforcer, EnforcerBuilder, Formula, Policy, Severity, ToolCall};

/// A constraint with a severity.
fn rule(name: &'static str, severity: Severity, formula: Formula) -> Constraint {
    Constraint::new(name, formula).with_severity(severity)
}

fn policy(constraints: impl IntoIterator<Item = Constraint>) -> Policy {
    Policy::new(constraints).unwrap()
}

fn builder(constraints: impl IntoIterator<Item = Constraint>) -> EnforcerBuilder {
    Enforcer::builder(policy(constraints))
}

fn enforcer(constraints: impl IntoIterator<Item = Constraint>) -> Enforcer {
    builder(constraints).build().unwrap()
}

fn call(tool: &str) -> ToolCall {
    ToolCall::new(tool)
}
