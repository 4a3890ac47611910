//! `conformance/parse.jsonl`: texts that mean the same, and texts that are refused.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use agentltl::Formula;
use serde_json::Value as Json;

#[test]
fn conformance() {
    let mut failures = Vec::new();
    let lines = support::conformance("parse.jsonl");
    for (number, line) in &lines {
        let text = line["text"].as_str().unwrap();
        let parsed = Formula::parse(text);
        match (line.get("same_as").and_then(Json::as_str), parsed) {
            (Some(other), Ok(formula)) => match Formula::parse(other) {
                Ok(same) if same == formula => {
                    let printed = formula.to_string();
                    if Formula::parse(&printed).as_ref() != Ok(&formula) {
                        failures.push(format!("line {number}: {text} printed as {printed}"));
                    }
                }
                Ok(same) => {
                    failures.push(format!("line {number}: {text} is {formula}, not {same}"))
                }
                Err(error) => failures.push(format!("line {number}: {other}: {error}")),
            },
            (Some(_), Err(error)) => failures.push(format!("line {number}: {text}: {error}")),
            (None, Ok(formula)) => {
                failures.push(format!("line {number}: {text} read as {formula}"))
            }
            (None, Err(error)) => {
                if error.range.end > text.len() || error.message.is_empty() {
                    failures.push(format!("line {number}: {text}: {error:?}"));
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        lines.len(),
        failures.join("\n")
    );
}
