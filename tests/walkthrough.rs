//! The walkthrough of the reference library's README, with its numbers and labels.
#![allow(clippy::unwrap_used)]

use agentltl::build::{before, called_n};
use agentltl::{Cmp, ComplianceLabel, ComplianceReport, Constraint, Policy, Trace, Verification};
use agentltl::{predicate, verify};
use serde_json::json;

fn policy() -> Policy {
    Policy::new([
        Constraint::new("fetch_before_process", before("fetch_data", "process_data"))
            .with_weight(2.0),
        Constraint::new(
            "process_before_save",
            before("process_data", "save_results"),
        )
        .with_weight(2.0),
        Constraint::new("save_once", called_n("save_results", Cmp::Eq, 1)),
    ])
    .unwrap()
}

fn passed(report: &ComplianceReport) -> Vec<bool> {
    report
        .constraints
        .iter()
        .map(|result| result.passed)
        .collect()
}

fn outcome(tools: &[&str]) -> (f64, ComplianceLabel, Vec<bool>) {
    let report = verify(&policy(), &Trace::from_names(tools.iter().copied()));
    assert_eq!(report.tool_sequence, tools);
    (
        report.compliance_score,
        report.compliance_label,
        passed(&report),
    )
}

#[test]
fn a_run_that_complies() {
    let metrics = json!({"tool_calls": [
        {"tool_name": "fetch_data", "tool_args": {}, "tool_result": "Fetched: 120 records"},
        {"tool_name": "process_data", "tool_args": {}, "tool_result": "Processed: 120 records normalised"},
        {"tool_name": "save_results", "tool_args": {}, "tool_result": "Saved to s3://bucket/results.parquet"},
    ]});
    let report = verify(&policy(), &Trace::from_metrics(&metrics).unwrap());
    assert_eq!(report.compliance_score, 1.0);
    assert_eq!(report.compliance_label, ComplianceLabel::Full);
    assert_eq!(passed(&report), [true; 3]);
    assert_eq!(
        report.tool_sequence,
        ["fetch_data", "process_data", "save_results"]
    );
}

#[test]
fn a_run_that_breaks_everything() {
    assert_eq!(
        outcome(&["process_data"]),
        (0.0, ComplianceLabel::Violation, vec![false; 3])
    );
}

#[test]
fn a_run_that_breaks_the_lightest_rule() {
    assert_eq!(
        outcome(&["fetch_data", "process_data", "save_results", "save_results"]),
        (0.8, ComplianceLabel::Partial, vec![true, true, false])
    );
}

#[test]
fn the_report_for_people() {
    let report = verify(&policy(), &Trace::from_names(["process_data"]));
    let lines: Vec<String> = report.to_string().lines().map(str::to_owned).collect();
    assert_eq!(lines[0], "calls     : process_data");
    assert_eq!(lines[1], "compliance: VIOLATION (0.00)");
    assert!(
        lines[3].starts_with("  [FAIL] fetch_before_process (weight 2): "),
        "{}",
        lines[3]
    );
    assert!(
        lines[5].starts_with("  [FAIL] save_once            (weight 1): "),
        "{}",
        lines[5]
    );
    assert_eq!(
        report.details,
        "Violated: fetch_before_process, process_before_save, save_once. \
         Never called: fetch_data, save_results."
    );
}

#[test]
fn the_report_as_json() {
    let policy = Policy::new([Constraint::new("order", before("a", "b"))
        .with_description("why")
        .with_repair("how")])
    .unwrap();
    let report = verify(&policy, &Trace::from_names(["a", "b"]));
    let json = serde_json::to_value(&report).unwrap();
    let detail = report.constraints[0].detail.clone();
    assert!(!detail.is_empty());
    assert_eq!(
        json,
        json!({
            "compliance_score": 1.0,
            "compliance_label": "FULL",
            "details": "Every constraint holds.",
            "tool_sequence": ["a", "b"],
            "constraints": [{
                "name": "order", "weight": 1.0, "passed": true, "detail": detail,
                "description": "why", "repair": "how",
            }],
        })
    );
    assert_eq!(
        serde_json::from_value::<ComplianceReport>(json).unwrap(),
        report
    );
}

#[test]
fn nothing_of_weight_is_violated() {
    let empty = verify(&Policy::default(), &[]);
    assert_eq!(empty.compliance_score, 1.0);
    assert_eq!(empty.compliance_label, ComplianceLabel::Full);
    let rule = Constraint::new("free", called_n("a", Cmp::Ge, 1)).with_weight(0.0);
    let free = verify(&Policy::new([rule]).unwrap(), &[]);
    assert_eq!(passed(&free), [false]);
    assert_eq!(free.compliance_label, ComplianceLabel::Full);
    assert_eq!(free.details, "Violated: free.");
}

#[test]
fn weights_of_ones_own() {
    let policy = policy();
    let calls = Trace::from_names(["fetch_data", "process_data", "save_results", "save_results"]);
    let score = |weights: &[(&str, f64)]| {
        let verification = Verification::new(&policy).with_weights(weights.iter().copied());
        verification.unwrap().run(&calls).compliance_score
    };
    assert_eq!(score(&[]), 0.8);
    assert_eq!(score(&[("save_once", 8.0)]), 0.333333);
    assert_eq!(score(&[("save_once", 0.0)]), 1.0);
    // the sum of these weights has no f64
    assert_eq!(
        score(&[
            ("save_once", f64::MAX),
            ("fetch_before_process", f64::MAX),
            ("process_before_save", 0.0)
        ]),
        0.5
    );
    for (name, weight, message) in [
        (
            "save_onse",
            1.0,
            "the policy has no constraint `save_onse`; did you mean `save_once`?",
        ),
        (
            "save_once",
            -1.0,
            "constraint `save_once`: the weight -1 is negative or not finite",
        ),
        (
            "save_once",
            f64::NAN,
            "constraint `save_once`: the weight NaN is negative or not finite",
        ),
        (
            "save_once",
            f64::INFINITY,
            "constraint `save_once`: the weight inf is negative or not finite",
        ),
    ] {
        let error = Verification::new(&policy)
            .with_weight(name, weight)
            .unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
#[allow(clippy::panic)]
fn code_that_panics_violates_its_rule() {
    let broken = |calls: &[agentltl::ToolCall], _: usize| -> bool {
        if calls.is_empty() {
            panic!("no calls")
        } else {
            true
        }
    };
    let rules = [
        Constraint::new("ours", predicate("ours", Some(true), broken)),
        Constraint::new("theirs", called_n("a", Cmp::Eq, 0)),
    ];
    let report = verify(&Policy::new(rules).unwrap(), &[]);
    assert_eq!(passed(&report), [false, true]);
    assert_eq!(report.compliance_score, 0.5);
    let detail = &report.constraints[0].detail;
    assert!(
        detail.contains("ours") && detail.contains("no calls"),
        "{detail}"
    );
}
