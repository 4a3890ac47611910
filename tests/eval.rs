//! `conformance/eval.jsonl`: classes, verdicts and refusals of the reference.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::fmt::Write as _;

use agentltl::{Formula, Judgement, Trace, holds, judge, verdict};
use serde_json::Value as Json;

#[test]
fn conformance() {
    let mut failures = String::new();
    let mut compared = 0;
    for (number, line) in support::conformance("eval.jsonl") {
        let text = line["formula"].as_str().unwrap();
        let formula = match Formula::parse(text) {
            Ok(formula) => formula,
            Err(error) => {
                let _ = writeln!(failures, "line {number}: {text}: {error}");
                continue;
            }
        };
        let mut check = |what: &str, ours: String, theirs: String| {
            compared += 1;
            if ours != theirs {
                let _ = writeln!(
                    failures,
                    "line {number}: {text}: {what}: {ours}, not {theirs}"
                );
            }
        };
        check(
            "class",
            formula.runtime_safety().to_string(),
            line["class"].as_str().unwrap().to_owned(),
        );
        let reachable: Vec<&str> = line["reachable"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_str().unwrap())
            .collect();
        check(
            "reachable",
            formula.reachable().to_string(),
            format!("{{{}}}", reachable.join(", ")),
        );
        for case in line["cases"].as_array().unwrap() {
            let trace: Trace = case["trace"]
                .as_array()
                .unwrap()
                .iter()
                .map(support::call)
                .collect();
            let shown = &case["trace"];
            let finished = holds(&formula, &trace).unwrap();
            check(
                &format!("finished on {shown}"),
                finished.to_string(),
                case["strict"].to_string(),
            );
            let running = verdict(&formula, &trace).unwrap();
            let expected = case["partial"].as_str().unwrap().to_owned();
            check(
                &format!("running on {shown}"),
                running.to_string(),
                expected,
            );
            if let Some(refused) = case.get("refuse_last").and_then(Json::as_bool) {
                let mut trace = trace;
                let last = trace.calls_mut().last_mut().unwrap();
                last.result = None;
                last.step = None;
                let judgement = judge(&formula, &trace).unwrap();
                let ours = matches!(judgement, Judgement::Broken(_));
                check(
                    &format!("refusal on {shown}"),
                    ours.to_string(),
                    refused.to_string(),
                );
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} differences\n{failures}",
        failures.lines().count()
    );
    assert!(compared > 0);
}
