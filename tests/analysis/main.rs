//! What is proved about formulas and policies, against all short runs and the textbook.
#![allow(clippy::unwrap_used, clippy::panic)]

mod brute;
mod formulas;
mod free;
mod laws;
mod policies;
mod rules;

use agentltl::testing::{FormulaParams, formulas_with};
use agentltl::{Formula, Node, ToolCall, Trace};
use proptest::prelude::*;
use serde_json::json;

fn config(cases: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(cases);
    ProptestConfig {
        max_shrink_iters: 5_000,
        ..ProptestConfig::with_cases(cases)
    }
}

/// Some calls that the random formulas speak of, and one that they do not.
fn some_calls() -> Vec<ToolCall> {
    let mut calls: Vec<_> = ["a", "b", "c", "d"].map(ToolCall::new).into();
    calls.push(ToolCall::new("a").with_argument("x", 1));
    calls.push(ToolCall::new("a").with_result(json!("s")));
    calls.push(
        ToolCall::new("b")
            .with_argument("x", "s")
            .with_result(json!(1)),
    );
    calls
}

/// All runs of these calls, the shorter first.
fn runs(calls: &[ToolCall], longest: usize) -> Vec<Trace> {
    let mut all = vec![Trace::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for i in from..to {
            for call in calls {
                let mut run = all[i].clone();
                run.push(call.clone());
                all.push(run);
            }
        }
        from = to;
    }
    all
}

fn small() -> impl Strategy<Value = Formula> {
    let params = FormulaParams::default().with_size(3, 8);
    formulas_with(&params.with_quantifiers(false).with_odd(false))
}

/// Formulas of which the calls are told apart by their tools alone.
fn plain() -> impl Strategy<Value = Formula> {
    let params = FormulaParams::default().with_size(2, 4);
    formulas_with(&params.with_quantifiers(false).with_odd(false)).prop_filter(
        "it speaks of arguments or results",
        |formula| {
            !formula.nodes().iter().any(|node| {
                matches!(
                    node,
                    Node::CalledWith(..) | Node::CalledWithResult(..) | Node::Matches(_)
                )
            })
        },
    )
}
