//! The shortest run that violates or satisfies a formula, by trying all, shortest first.

use std::collections::BTreeSet;

use agentltl::{
    Args, Domain, Formula, Name, Node, Pattern, ToolCall, Trace, Verdict, holds, value_to_json,
    verdict,
};
use serde_json::{Map, Value as Json};

/// How many runs are tried at most: a second or two of work.
const BUDGET: usize = 40_000;
/// How long a run may be.
const LENGTH: usize = 12;
/// How many different calls are tried at a place.
const CALLS: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Violated,
    Satisfied,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Example {
    /// The shortest run.
    Run(Trace),
    /// There is none of up to this many calls.
    None {
        /// How many.
        length: usize,
    },
    /// The question was not asked.
    Unasked(&'static str),
}

/// The shortest finished run on which the formula fails or holds.
pub(super) fn shortest(formula: &Formula, wanted: Wanted) -> Example {
    let is_rust = |node: &Node| {
        matches!(
            node,
            Node::Predicate { .. }
                | Node::Matches(Pattern::Host { .. })
                | Node::Forall(_, Domain::Host(_))
                | Node::Exists(_, Domain::Host(_))
        )
    };
    if formula.nodes().iter().any(is_rust) {
        return Example::Unasked("the formula asks Rust code");
    }
    let calls = calls(formula);
    if calls.len() > CALLS {
        return Example::Unasked("the formula speaks of too many different calls");
    }
    let want = wanted == Wanted::Satisfied;
    // The runs of one length; those whose verdict is final have no longer ones worth trying.
    let mut open: Vec<Vec<usize>> = vec![Vec::new()];
    let mut budget = BUDGET;
    for length in 0..=LENGTH {
        let mut longer = Vec::new();
        for run in &open {
            let trace: Trace = run.iter().map(|call| calls[*call].clone()).collect();
            match holds(formula, &trace) {
                Ok(holds) if holds == want => return Example::Run(trace),
                Ok(_) => {}
                Err(_) => return Example::Unasked("the formula cannot be judged"),
            }
            let is_final = verdict(formula, &trace).is_ok_and(Verdict::is_final);
            if !is_final {
                longer.extend((0..calls.len()).map(|call| {
                    let mut run = run.clone();
                    run.push(call);
                    run
                }));
            }
        }
        if longer.is_empty() {
            // Every run has one of those tried as its beginning, and its verdict.
            return Example::None { length: LENGTH };
        }
        budget = budget.saturating_sub(longer.len());
        if budget == 0 {
            return Example::None { length };
        }
        open = longer;
    }
    Example::None { length: LENGTH }
}

/// The calls the formula can tell apart, as far as its own tools, arguments and values go, and a call
/// of another tool.
fn calls(formula: &Formula) -> Vec<ToolCall> {
    let mut found = Alphabet::default();
    for node in formula.nodes() {
        found.node(node);
    }
    let mut calls = Vec::new();
    for tool in formula.tools() {
        let shapes = found.shapes(tool);
        calls.extend(shapes);
    }
    let is_free = |name: &&str| formula.tools().iter().all(|tool| tool.as_str() != *name);
    let other = ["other", "another_tool", "some_other_tool"]
        .into_iter()
        .find(is_free);
    calls.extend(other.map(ToolCall::new));
    calls
}

/// A tool's arguments and results in the formula.
#[derive(Default)]
struct Alphabet {
    arguments: Vec<(Name, Map<String, Json>)>,
    results: Vec<(Name, Json)>,
    /// Arguments whose value a quantifier asks for.
    asked: BTreeSet<(Name, String)>,
    /// Values quantifiers range over.
    values: Vec<Json>,
}

impl Alphabet {
    fn node(&mut self, node: &Node) {
        match node {
            Node::CalledWith(tool, args) => self.args(tool, args),
            Node::Matches(Pattern::Tools(tools, args)) => {
                for tool in tools.iter() {
                    self.args(tool, args);
                }
            }
            Node::CalledWithResult(tool, value, args) => {
                self.args(tool, args);
                match value_to_json(value) {
                    Some(json) => self.results.push((tool.clone(), json)),
                    None => self.results.push((tool.clone(), "v1".into())),
                }
            }
            Node::Forall(_, domain) | Node::Exists(_, domain) => match domain {
                Domain::Args(tool, key) => {
                    self.asked.insert((tool.clone(), key.as_str().to_owned()));
                }
                Domain::Results(tool, None) => self.results.push((tool.clone(), "v1".into())),
                Domain::Results(tool, Some(field)) => {
                    let object = Map::from_iter([(field.as_str().to_owned(), "v1".into())]);
                    self.results.push((tool.clone(), object.into()));
                }
                Domain::Values(values) => {
                    self.values.extend(values.iter().filter_map(value_to_json))
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn args(&mut self, tool: &Name, args: &Args) {
        let mut fixed = Map::new();
        for (key, value) in args.iter() {
            match value_to_json(value) {
                Some(json) => {
                    fixed.insert(key.as_str().to_owned(), json);
                }
                None => {
                    self.asked.insert((tool.clone(), key.as_str().to_owned()));
                }
            }
        }
        self.arguments.push((tool.clone(), fixed));
    }

    /// The calls of a tool that are tried.
    fn shapes(&self, tool: &Name) -> Vec<ToolCall> {
        let mut shapes = vec![ToolCall::new(tool.as_str())];
        let mut add = |call: ToolCall| {
            if !shapes.contains(&call) {
                shapes.push(call);
            }
        };
        let own = self.arguments.iter().filter(|(other, _)| other == tool);
        let bases: Vec<Map<String, Json>> = std::iter::once(Map::new())
            .chain(own.map(|(_, arguments)| arguments.clone()))
            .collect();
        let keys: Vec<&String> = self
            .asked
            .iter()
            .filter(|(other, _)| other == tool)
            .map(|(_, key)| key)
            .collect();
        let values: Vec<Json> = if self.values.is_empty() {
            vec!["v1".into(), "v2".into()]
        } else {
            self.values.clone()
        };
        for base in bases {
            let call = ToolCall::new(tool.as_str()).with_arguments(base.clone());
            add(call);
            if !keys.is_empty() {
                for value in &values {
                    let mut arguments = base.clone();
                    for key in &keys {
                        arguments.insert((*key).clone(), value.clone());
                    }
                    add(ToolCall::new(tool.as_str()).with_arguments(arguments));
                }
            }
        }
        let results: Vec<&Json> = self
            .results
            .iter()
            .filter(|(other, _)| other == tool)
            .map(|(_, result)| result)
            .collect();
        let plain = shapes.clone();
        for result in results {
            for call in &plain {
                let call = call.clone().with_result(result.clone());
                if !shapes.contains(&call) {
                    shapes.push(call);
                }
            }
        }
        shapes
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    fn run(formula: &str, wanted: Wanted) -> Vec<String> {
        match shortest(&Formula::parse(formula).unwrap(), wanted) {
            Example::Run(trace) => trace.tool_names().map(str::to_owned).collect(),
            other => panic!("{formula}: {other:?}"),
        }
    }

    #[test]
    fn shortest_runs() {
        use Wanted::{Satisfied, Violated};
        let none: [&str; 0] = [];
        assert_eq!(run(r#"called("a")"#, Violated), none);
        assert_eq!(run(r#"called("a")"#, Satisfied), ["a"]);
        assert_eq!(run(r#"before("a", "b")"#, Satisfied), ["a", "b"]);
        assert_eq!(run(r#"called_n("a", <= 2)"#, Violated), ["a"; 3]);
        assert_eq!(run(r#"G(now("a") -> X(now("b")))"#, Violated), ["a"],);
        assert_eq!(
            run(
                r#"forall r in args("c", "id"): called_with("g", id=?r)"#,
                Violated
            ),
            ["c"],
        );
        assert_eq!(
            run(
                r#"exists r in args("c", "id"): called_with("g", id=?r)"#,
                Satisfied
            ),
            ["c", "g"],
        );
        assert_eq!(
            run(r#"called_with_result("a", {"ok": true})"#, Satisfied),
            ["a"],
        );
        assert_eq!(
            run(r#"called_n("other", >= 1) & called("a")"#, Satisfied).len(),
            2
        );
    }

    #[test]
    fn what_has_no_such_run() {
        let formula = Formula::parse(r#"called("a") | !called("a")"#).unwrap();
        assert_eq!(
            shortest(&formula, Wanted::Violated),
            Example::None { length: 12 }
        );
        let formula = Formula::parse(
            r#"in_order(["a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "a"])"#,
        )
        .unwrap();
        let Example::None { length } = shortest(&formula, Wanted::Satisfied) else {
            panic!("thirteen calls are beyond the bound");
        };
        assert!(length < 13);
    }
}
