//! What serialises, and as what.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used)]

use agentltl_core::{
    ClassificationReport, Formula, RuntimeSafety, Severity, Verdict, VerdictSet, build::*,
};
use serde_json::{from_str, json, to_value};

#[test]
fn everything_is_its_string() {
    let formula = before("a", "b") & !now("c");
    assert_eq!(to_value(&formula).unwrap(), json!(formula.to_string()));
    assert_eq!(to_value(Verdict::PFalse).unwrap(), json!("PFALSE"));
    assert_eq!(to_value(Severity::HardStop).unwrap(), json!("HARD_STOP"));
    assert_eq!(to_value(RuntimeSafety::Inert).unwrap(), json!("INERT"));
    assert_eq!(
        to_value(formula.reachable()).unwrap(),
        json!(["FALSE", "PENDING", "TRUE"])
    );
}

#[test]
fn reads_back() {
    let text = r#""before(\"a\", \"b\") & !now(\"c\")""#;
    assert_eq!(
        from_str::<Formula>(text).unwrap(),
        before("a", "b") & !now("c")
    );
    assert_eq!(from_str::<Severity>("\"ASK\"").unwrap(), Severity::Ask);
    assert_eq!(from_str::<Verdict>("\"TRUE\"").unwrap(), Verdict::True);
    assert_eq!(
        from_str::<RuntimeSafety>("\"SAFE\"").unwrap(),
        RuntimeSafety::Safe
    );
    assert_eq!(
        from_str::<VerdictSet>("[\"TRUE\", \"FALSE\"]").unwrap(),
        VerdictSet::of(&[Verdict::False, Verdict::True])
    );
}

#[test]
fn errors_name_the_place() {
    let error = from_str::<Formula>(r#""calld(\"a\")""#)
        .unwrap_err()
        .to_string();
    assert!(error.contains("1 | calld(\"a\")\n  | ^^^^^"), "{error}");
    assert!(error.contains("did you mean `called`?"), "{error}");
    let error = from_str::<Formula>("3").unwrap_err().to_string();
    assert!(error.contains("a formula as a string"), "{error}");
    let error = from_str::<Severity>("\"HARDSTOP\"")
        .unwrap_err()
        .to_string();
    assert!(error.contains("`HARD_STOP`"), "{error}");
    let error = from_str::<Verdict>("\"TRU\"").unwrap_err().to_string();
    assert!(error.contains("did you mean `TRUE`?"), "{error}");
}

#[test]
fn a_report_is_an_object() {
    let report = ClassificationReport::new("finish", &called("a"), Severity::Tolerate, false);
    assert_eq!(
        to_value(&report).unwrap(),
        json!({
            "constraint_name": "finish",
            "formula": "called(\"a\")",
            "classification": "UNSAFE",
            "reachable": ["PFALSE", "TRUE"],
            "assigned_severity": "TOLERATE",
            "applies_to_final_answer": false,
            "compatible": true,
            "message": null,
        })
    );
}
