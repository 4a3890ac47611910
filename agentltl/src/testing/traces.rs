//! Random runs.

use std::ops::RangeInclusive;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::values::{json, key, tool};
use crate::call::ToolCall;
use crate::trace::Trace;

/// What runs to make; [`TraceParams::default`] is what [`traces`] takes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TraceParams {
    /// How many calls.
    pub len: RangeInclusive<usize>,
    /// May calls carry the agent step they ran in, some of them in parallel?
    pub steps: bool,
    /// May results be unknown?
    pub unknown_results: bool,
    /// May names and values be strange now and then, beside the usual few?
    pub odd: bool,
}

impl Default for TraceParams {
    fn default() -> Self {
        TraceParams {
            len: 0..=10,
            steps: true,
            unknown_results: true,
            odd: true,
        }
    }
}

impl TraceParams {
    /// The parameters with another number of calls.
    #[must_use]
    pub fn with_len(mut self, len: RangeInclusive<usize>) -> Self {
        self.len = len;
        self
    }

    /// The parameters with or without agent steps.
    #[must_use]
    pub fn with_steps(mut self, steps: bool) -> Self {
        self.steps = steps;
        self
    }

    /// The parameters with or without results that are not known.
    #[must_use]
    pub fn with_unknown_results(mut self, unknown_results: bool) -> Self {
        self.unknown_results = unknown_results;
        self
    }

    /// The parameters with or without strange names and values.
    #[must_use]
    pub fn with_odd(mut self, odd: bool) -> Self {
        self.odd = odd;
        self
    }
}

/// Random runs of up to ten calls.
pub fn traces() -> impl Strategy<Value = Trace> {
    traces_with(&TraceParams::default())
}

/// Random runs of the kind described.
pub fn traces_with(params: &TraceParams) -> impl Strategy<Value = Trace> + use<> {
    let steps = params.steps;
    // How much further a call's step is than the one before; None for a call without a step.
    let advance = prop_oneof![4 => Just(Some(1)), 3 => Just(Some(0)), 1 => Just(None)];
    let calls = prop::collection::vec((calls(params), advance), params.len.clone());
    (calls, any::<bool>()).prop_map(move |(calls, stepped)| {
        let mut step = 0;
        calls
            .into_iter()
            .map(|(call, advance)| match advance {
                Some(further) if steps && stepped => {
                    step += further;
                    call.with_step(step)
                }
                _ => call,
            })
            .collect()
    })
}

/// Random calls without a step, of the kind described.
pub fn calls(params: &TraceParams) -> impl Strategy<Value = ToolCall> + use<> {
    let odd = params.odd;
    let args = prop::collection::vec((key(odd), json(odd)), 0..=2);
    (tool(odd), args, result(params)).prop_map(|(tool, args, result)| {
        let call = args
            .into_iter()
            .fold(ToolCall::new(tool), |call, (key, value)| {
                call.with_argument(key, value)
            });
        match result {
            Some(result) => call.with_result(result),
            None => call,
        }
    })
}

fn result(params: &TraceParams) -> BoxedStrategy<Option<Json>> {
    let known = prop_oneof![
        3 => json(params.odd),
        1 => Just(json!({"x": 1, "y": "no"})),
    ]
    .prop_map(Some);
    if params.unknown_results {
        prop_oneof![3 => known, 1 => Just(None)].boxed()
    } else {
        known.boxed()
    }
}
