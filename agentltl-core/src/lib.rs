//! The formula language of AgentLTL: what the compiler and the program both need.
//!
//! A [`Formula`] says something about the tool calls of an LLM agent. This crate reads it from text,
//! prints it, and [classifies](RuntimeSafety) it; the macros of `agentltl-macros` run this code inside
//! the compiler, the crate `agentltl` runs it in the program and adds traces, evaluation and
//! enforcement. Depend on `agentltl`, which exports all of this.
//!
//! In the order data flows: [`Text`], [`Value`] and [`Host`] are what atoms hold, a [`Node`] is an atom
//! or operator, a [`Formula`] a list of nodes, made by the parser or by [`build`]; [`Verdict`] is what a
//! formula says of a run, and [`ClassificationReport`] what can be known of that beforehand. A
//! [`Constraint`] is a formula with a name and a severity, a [`Policy`] a checked list of them.

mod advice;
pub mod analysis;
pub mod build;
mod classify;
mod constraint;
mod formula;
mod host;
pub mod monitor;
mod nearest;
mod node;
#[doc(hidden)] // the macros write it, the program reads it
pub mod packed;
mod policy;
#[cfg(feature = "serde")]
mod serial;
mod severity;
mod syntax;
mod text;
mod value;
mod verdict;

pub use classify::{ClassificationReport, Reach, RuntimeSafety};
pub use constraint::Constraint;
pub use formula::{Formula, MAX_DEPTH, MAX_QUANTIFIERS, NodeId, Tree};
pub use host::Host;
pub use nearest::nearest;
pub use node::{Bound, Cmp, Domain, Node, Pattern};
pub use policy::{
    Policy, PolicyBuilder, PolicyError, PolicyProblem, Position, Problem, classify_constraints,
};
pub use severity::{Severity, UnknownSeverity};
pub use syntax::{MAX_NODES, NoHost, ParseError, Parsed, Resolve, parse_with};
pub use text::{Name, Seq, Text};
pub use value::{Args, Number, Value};
pub use verdict::{Verdict, VerdictSet};

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
