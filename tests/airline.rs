//! 140 real conversations of an airline agent, scored and enforced as the reference library does.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use agentltl::{Enforcer, Policy, Proposal, Trace, verify};
use serde_json::{Value as Json, json};

fn read(name: &str) -> Option<String> {
    let text = support::shared(name).map(|path| std::fs::read_to_string(path).unwrap());
    if text.is_none() {
        eprintln!("skipped: there is no shared/{name} beside the workspace");
    }
    text
}

/// The decision for each call, where each is a generation of its own and those that are allowed run.
fn decisions(policy: &Policy, trace: &Trace) -> Json {
    let mut enforcer = Enforcer::new(policy.clone()).unwrap();
    let mut decisions = Vec::new();
    for (number, call) in (0_i64..).zip(trace) {
        let mut proposed = call.clone();
        (proposed.result, proposed.status) = (None, None);
        let decision = enforcer.check(Proposal::new(&proposed).generation(number));
        let constraint = decision
            .violations
            .first()
            .map(|violation| &violation.constraint_name);
        decisions.push(json!([decision.action, constraint]));
        if decision.allowed() {
            enforcer.record(call.clone());
        }
    }
    Json::from(decisions)
}

#[test]
fn as_the_reference() {
    let (Some(policy), Some(conversations), Some(expected)) = (
        read("traces/airline-policy.toml"),
        read("traces/airline-gpt4o.jsonl"),
        read("traces/airline-expected.json"),
    ) else {
        return;
    };
    let policy = Policy::from_toml(&policy).unwrap();
    let expected: Vec<Json> = serde_json::from_str(&expected).unwrap();
    let conversations: Vec<&str> = conversations.lines().collect();
    assert_eq!((conversations.len(), expected.len()), (140, 140));
    let mut calls = 0;
    for (number, (conversation, expected)) in conversations.iter().zip(&expected).enumerate() {
        let trace = Trace::from_openai_text(conversation).unwrap();
        // Every call of these conversations was answered, ids used twice included.
        assert!(
            trace.iter().all(|call| call.result.is_some()),
            "conversation {number}"
        );
        calls += trace.len();
        let report = verify(&policy, &trace);
        let found = json!({
            "score": report.compliance_score,
            "label": report.compliance_label,
            "failed": report.violated().collect::<Vec<_>>(),
            "calls": trace.len(),
            "actions": decisions(&policy, &trace),
        });
        assert_eq!(&found, expected, "conversation {number}");
    }
    assert_eq!(calls, 796);
}
