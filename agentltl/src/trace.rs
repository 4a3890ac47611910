//! The calls of a run, in order.

use std::ops::Deref;

use crate::call::ToolCall;

/// The calls of a run, in order. Dereferences to the slice of calls, which is what evaluators,
/// predicates and domains take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    calls: Vec<ToolCall>,
}

impl Trace {
    /// A run in which nothing has been called.
    #[must_use]
    pub fn new() -> Self {
        Trace::default()
    }

    /// A run of calls without arguments, for tests.
    pub fn from_names<T: Into<String>>(names: impl IntoIterator<Item = T>) -> Self {
        names.into_iter().map(ToolCall::new).collect()
    }

    /// Appends a call.
    pub fn push(&mut self, call: ToolCall) {
        self.calls.push(call);
    }

    /// The calls, for changing or removing some.
    pub fn calls_mut(&mut self) -> &mut Vec<ToolCall> {
        &mut self.calls
    }
}

impl Deref for Trace {
    type Target = [ToolCall];
    fn deref(&self) -> &[ToolCall] {
        &self.calls
    }
}

impl FromIterator<ToolCall> for Trace {
    fn from_iter<I: IntoIterator<Item = ToolCall>>(calls: I) -> Self {
        Trace {
            calls: calls.into_iter().collect(),
        }
    }
}
