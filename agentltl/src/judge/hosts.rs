//! Asking the Rust code in a formula, which may panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use agentltl_core::Host;
use serde_json::Value as Json;

use super::EvaluationError;
use crate::call::ToolCall;
use crate::host::{Answer, DomainFn, Match, PatternFn, PredicateFn};

pub(crate) fn predicate(
    host: &Host,
    calls: &[ToolCall],
    position: usize,
) -> Result<Answer, EvaluationError> {
    ask("predicate", host, |predicate: &PredicateFn| {
        let mut answer = predicate.ask(calls, position);
        answer.error.take().map_or(Ok(answer), Err)
    })
}

pub(crate) fn pattern(host: &Host, call: &ToolCall) -> Result<Match, EvaluationError> {
    ask("pattern", host, |pattern: &PatternFn| {
        pattern.ask(call).map_err(|error| error.to_string())
    })
}

pub(crate) fn entities(host: &Host, calls: &[ToolCall]) -> Result<Vec<Json>, EvaluationError> {
    ask("domain", host, |domain: &DomainFn| {
        domain.entities(calls).map_err(|error| error.to_string())
    })
}

fn ask<T: 'static, R>(
    kind: &str,
    host: &Host,
    question: impl FnOnce(&T) -> Result<R, String>,
) -> Result<R, EvaluationError> {
    let failed = |message| EvaluationError {
        what: format!("{kind} `{}`", host.name()),
        message,
    };
    let Some(item) = host.get::<T>() else {
        return Err(failed(format!("it was not given as a {kind}")));
    };
    // The item is shared and immutable; what it may hold behind a lock is its own concern.
    match catch_unwind(AssertUnwindSafe(|| question(item))) {
        Ok(answer) => answer.map_err(failed),
        Err(panic) => Err(failed(format!("it panicked: {}", panic_message(&*panic)))),
    }
}

/// What a panic said.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
