//! For tests of policies: what a policy does to a list of calls ([`Transcript`]), expectations that
//! say what they saw ([`expect`]), and, with the feature `proptest`, random formulas and runs.
//!
//! The random ones draw on the same few tools, arguments and values, so that a formula has something
//! to say of a run: the tools are `a`, `b` and `c`, the arguments `x` and `y`.
#![cfg_attr(
    feature = "proptest",
    doc = r"
```
use agentltl::testing::{formulas, traces};
use proptest::prelude::*;

proptest!(|(formula in formulas(), trace in traces())| {
    // What is settled stays so.
    let early = agentltl::verdict(&formula, &trace[..trace.len() / 2]).unwrap();
    if early.is_final() {
        prop_assert_eq!(agentltl::verdict(&formula, &trace).unwrap(), early);
    }
});
```"
)]

mod assertions;
#[cfg(any(test, feature = "proptest"))]
mod formulas;
#[cfg(any(test, feature = "proptest"))]
mod shape;
#[cfg(any(test, feature = "proptest"))]
mod traces;
mod transcript;
#[cfg(any(test, feature = "proptest"))]
mod values;

pub use assertions::{Expectation, ExpectationError, expect};
#[cfg(any(test, feature = "proptest"))]
pub use formulas::{FormulaParams, formulas, formulas_with};
#[cfg(any(test, feature = "proptest"))]
pub use traces::{TraceParams, calls, traces, traces_with};
pub use transcript::{Step, Transcript};
