//! Random formulas and runs for property tests, with [`proptest`] (feature `proptest`).
//!
//! Both draw on the same few tools, arguments and values, so that a formula has something to say of
//! a run: the tools are `a`, `b` and `c`, the arguments `x` and `y`.
//!
//! ```
//! use agentltl::testing::{formulas, traces};
//! use proptest::prelude::*;
//!
//! proptest!(|(formula in formulas(), trace in traces())| {
//!     // What is settled stays so.
//!     let early = agentltl::verdict(&formula, &trace[..trace.len() / 2]).unwrap();
//!     if early.is_final() {
//!         prop_assert_eq!(agentltl::verdict(&formula, &trace).unwrap(), early);
//!     }
//! });
//! ```

mod formulas;
mod shape;
mod traces;
mod values;

pub use formulas::{FormulaParams, formulas, formulas_with};
pub use traces::{TraceParams, calls, traces, traces_with};
