//! The atoms that speak of the whole run.

use agentltl_core::{Bound, Cmp, Name, Node, Verdict};

use super::run::Prefix;
use crate::call::ToolCall;
use crate::matching::Bindings;

use Verdict::{False, PFalse, PTrue, Pending, True};

/// What an atom says of the whole run: the verdict, and the number of calls it counts, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) verdict: Verdict,
    pub(crate) count: Option<u64>,
}

impl From<Verdict> for Fact {
    fn from(verdict: Verdict) -> Self {
        Fact {
            verdict,
            count: None,
        }
    }
}

/// The fact an atom states, or `None` for a node that is not an atom about the whole run.
pub(crate) fn fact(node: &Node, run: Prefix<'_, '_>, bindings: Bindings<'_>) -> Option<Fact> {
    let found = |count: usize| Fact {
        verdict: if count > 0 { True } else { PFalse },
        count: Some(count as u64),
    };
    Some(match node {
        Node::True => True.into(),
        Node::False => False.into(),
        Node::Called(tool) => found(run.positions(tool.as_str()).len()),
        Node::CalledWith(tool, args) => found(run.matching(tool.as_str(), args, bindings).len()),
        Node::CalledWithResult(tool, expected, args) => {
            let candidates = run.matching(tool.as_str(), args, bindings);
            let results = || {
                let calls = candidates
                    .iter()
                    .map(|position| &run.calls()[*position as usize]);
                calls.filter_map(|call| call.result.as_ref())
            };
            let known = results().count();
            let verdict = if results().any(|result| bindings.result_matches(expected, result)) {
                True
            } else if known < candidates.len() {
                Pending
            } else {
                PFalse
            };
            Fact {
                verdict,
                count: (verdict != Pending).then_some(known as u64),
            }
        }
        Node::CalledN(tool, bound) => {
            let count = run.positions(tool.as_str()).len() as u64;
            Fact {
                verdict: counted(*bound, count),
                count: Some(count),
            }
        }
        Node::Before(a, b) => {
            let (a, b) = (run.first(a.as_str()), run.first(b.as_str()));
            ordered(run.calls(), a, b).into()
        }
        Node::InstanceBefore(a, n, b, m) => {
            let (a, b) = (run.nth(a.as_str(), *n), run.nth(b.as_str(), *m));
            ordered(run.calls(), a, b).into()
        }
        Node::After(a, b) => match (run.first(a.as_str()), run.first(b.as_str())) {
            (Some(a), Some(b)) if a > b => True,
            (Some(_), _) => False,
            (None, _) => PFalse,
        }
        .into(),
        Node::AllBefore(tools, gate) => match run.first(gate.as_str()) {
            None => Pending,
            Some(gate) => {
                let came = |tool: &Name| run.first(tool.as_str()).is_some_and(|first| first < gate);
                if tools.iter().all(came) { True } else { False }
            }
        }
        .into(),
        Node::InOrder(tools) => if in_order(run.calls(), tools) == tools.len() {
            True
        } else {
            Pending
        }
        .into(),
        Node::BranchCalled { correct, wrong, .. } => {
            let came = |tool: &Name| run.first(tool.as_str()).is_some();
            match wrong {
                Some(wrong) if came(wrong) => False,
                Some(_) if came(correct) => PTrue,
                None if came(correct) => True,
                _ => Pending,
            }
            .into()
        }
        Node::WithinSteps(a, b, steps) => within_steps(run, a, b, *steps).into(),
        _ => return None,
    })
}

fn counted(bound: Bound, count: u64) -> Verdict {
    let admitted = bound.admits(count);
    match bound.cmp {
        // More calls can only break it.
        Cmp::Le | Cmp::Lt => {
            if admitted {
                PTrue
            } else {
                False
            }
        }
        // More calls can only meet it.
        Cmp::Ge | Cmp::Gt => {
            if admitted {
                True
            } else {
                PFalse
            }
        }
        Cmp::Eq if admitted => PTrue,
        Cmp::Eq if i128::from(count) > i128::from(bound.number) => False,
        Cmp::Eq => PFalse,
    }
}

/// Undecided until b; then whether a came first, and in an earlier step where both have one.
fn ordered(calls: &[ToolCall], a: Option<usize>, b: Option<usize>) -> Verdict {
    match (a, b) {
        (_, None) => Pending,
        (Some(a), Some(b)) if a < b && in_earlier_step(calls[a].step, calls[b].step) => True,
        _ => False,
    }
}

fn in_earlier_step(a: Option<i64>, b: Option<i64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a < b,
        _ => true,
    }
}

/// How many of the tools are matched, greedily, as a subsequence of the calls.
pub(super) fn in_order(calls: &[ToolCall], tools: &[Name]) -> usize {
    let mut matched = 0;
    let mut last = None;
    for call in calls {
        let Some(tool) = tools.get(matched) else {
            break;
        };
        if call.tool_name == tool.as_str() && in_earlier_step(last, call.step) {
            matched += 1;
            last = call.step;
        }
    }
    matched
}

fn within_steps(run: Prefix<'_, '_>, a: &Name, b: &Name, steps: i64) -> Verdict {
    let Some(start) = run.first(a.as_str()) else {
        return Pending;
    };
    let positions = run.positions(b.as_str());
    let next = positions.partition_point(|position| (*position as usize) < start);
    // Positions fit an i64: a trace has fewer than 2^32 calls.
    let within = |distance: usize| distance as i64 <= steps;
    match positions.get(next) {
        Some(end) if within(*end as usize - start) => True,
        Some(_) => False,
        None if within(run.len() - start) => Pending,
        None => False,
    }
}
