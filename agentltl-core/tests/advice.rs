//! What is said of a formula that does not go with its severity.
#![allow(clippy::unwrap_used)]

use agentltl_core::{ClassificationReport, Formula, RuntimeSafety, Severity};

fn report(text: &str, severity: Severity) -> ClassificationReport {
    ClassificationReport::new("rule", &Formula::parse(text).unwrap(), severity, false)
}

/// Each formula, the part that is pointed at, and what would do instead.
#[test]
fn the_part_and_the_way_out() {
    for (text, part, rewrite) in [
        (
            r#"called("a")"#,
            r#"called("a")"#,
            Some(r#"before("a", "the tool that must wait for it")"#),
        ),
        (
            r#"called("a") & before("b", "c")"#,
            r#"called("a")"#,
            Some(r#"before("a", "b") & before("b", "c")"#),
        ),
        (
            r#"F called("a")"#,
            r#"F called("a")"#,
            Some(r#"before("a", "the tool that must wait for it")"#),
        ),
        (
            r#"G(now("a") -> F now("b"))"#,
            r#"F now("b")"#,
            Some(r#"G within_steps("a", "b", 10)"#),
        ),
        (
            r#"called("a") -> called("b")"#,
            r#"called("b")"#,
            Some(r#"within_steps("a", "b", 10)"#),
        ),
        (
            r#"(!called("b")) U called("a")"#,
            r#"called("a")"#,
            Some(r#"(!now("b")) U now("a")"#),
        ),
        (r#"G called("a")"#, r#"called("a")"#, Some(r#"G now("a")"#)),
        (
            r#"after("a", "b") | now("c")"#,
            r#"after("a", "b")"#,
            Some(r#"before("b", "a") | now("c")"#),
        ),
        (
            r#"called_n("a", == 2)"#,
            r#"called_n("a", == 2)"#,
            Some(r#"called_n("a", <= 2)"#),
        ),
        (
            r#"called_n("a", > 2)"#,
            r#"called_n("a", > 2)"#,
            Some(r#"instance_before("a"[3], "the tool that must wait for it"[1])"#),
        ),
        (
            r#"called_with("a", k=1)"#,
            r#"called_with("a", k=1)"#,
            Some(r#"G(now("a") -> matches("a", k=1))"#),
        ),
        (
            r#"in_order(["a", "b", "c"])"#,
            r#"in_order(["a", "b", "c"])"#,
            Some(r#"before("a", "b") & before("b", "c")"#),
        ),
        (
            r#"branch_called("a")"#,
            r#"branch_called("a")"#,
            Some(r#"branch_called("a", "the wrong tool")"#),
        ),
        (
            r#"exists x in args("a", "k"): now("b")"#,
            r#"exists x in args("a", "k"): now("b")"#,
            None,
        ),
        (r#"!called_n("a", <= 2)"#, r#"called_n("a", <= 2)"#, None),
        ("true", "true", None),
    ] {
        for severity in Severity::ALL {
            let report = report(text, severity);
            assert_ne!(report.classification, RuntimeSafety::Safe, "{text}");
            assert_eq!(report.compatible, !severity.is_blocking(), "{text}");
            let Some(message) = &report.message else {
                assert_eq!((report.responsible, severity.is_blocking()), (None, false));
                continue;
            };
            assert!(
                message.contains(report.classification.as_str()),
                "{message}"
            );
            assert!(message.contains(severity.as_str()), "{message}");
            assert!(message.contains("applies_to_final_answer"), "{message}");
            let formula = Formula::parse(text).unwrap();
            let found = formula.tree().subformula(report.responsible.unwrap());
            assert_eq!(found.to_string(), part, "{message}");
            let written = message.split_once(", or write `").map(|(_, rest)| rest);
            let written = written.map(|rest| rest.strip_suffix('`').unwrap());
            assert_eq!(written, rewrite, "{text}");
            // What is recommended compiles.
            if let Some(written) = written {
                let better = Formula::parse(written).unwrap();
                assert_eq!(better.runtime_safety(), RuntimeSafety::Safe, "{written}");
            }
        }
    }
}
