//! An allowed check allocates nothing, and looks only at the constraints that the call can move.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::HashMap;

use agentltl::monitor::Monitors;
use agentltl::{Constraint, Enforcer, Formula, Policy, Severity, ToolCall};
use allocation_counter::measure;

const FORMULAS: [&str; 16] = [
    r#"G(!now("rm"))"#,
    r#"G(now("a") -> X(G(!now("bx"))))"#,
    r#"before("a", "bx")"#,
    r#"G(now("a") -> F(now("b")))"#,
    r#"called_n("a", <= 1000000)"#,
    r#"within_steps("a", "b", 1000000)"#,
    r#"called_with("a", x=7) | G(!now("rm"))"#,
    r#"called_with_result("a", "no", x=1) -> !called("rm")"#,
    r#"all_before(["a", "b"], "rm")"#,
    r#"G(now("rm") -> O(now("a")))"#,
    r#"G(!matches(["rm", "mv"], path="/"))"#,
    r#"!now("rm") U now("end")"#,
    r#"G(count_before(now("rm"), < 3))"#,
    r#"forall v in args("a", "x"): G(!matches("rm", x=?v))"#,
    r#"forall v in results("a"): called_with("a", x=?v) | !called("rm")"#,
    r#"G(now("rm") -> (exists v in args("a", "x"): called_with("b", x=?v)))"#,
];

fn call(i: u64) -> ToolCall {
    let tool = ["a", "b", "c", "a"][(i % 4) as usize];
    ToolCall::new(tool).with_argument("x", i * 7 % 50)
}

#[test]
fn an_allowed_check_allocates_nothing() {
    for texts in FORMULAS
        .iter()
        .map(std::slice::from_ref)
        .chain([&FORMULAS[..]])
    {
        let formulas: Vec<Formula> = texts.iter().map(|text| text.parse().unwrap()).collect();
        let constraints = (0..).zip(&formulas).map(|(i, formula)| {
            Constraint::new(format!("c{i}"), formula.clone()).with_severity(Severity::Tolerate)
        });
        let mut enforcer = Enforcer::new(Policy::new(constraints).unwrap()).unwrap();
        let mut monitors = Monitors::new(&formulas);
        for i in 0..2_000 {
            let candidate = call(i);
            let mut allowed = false;
            let by_monitors = measure(|| allowed = monitors.check(&candidate).suspects.is_empty());
            assert!(allowed);
            let by_enforcer = measure(|| allowed = enforcer.check(&candidate).allowed());
            assert!(allowed);
            // Until then every kind of step has been taken once.
            if i > 500 {
                assert_eq!(by_monitors.count_total, 0, "call {i} of {texts:?}");
                assert_eq!(by_enforcer.count_total, 0, "call {i} of {texts:?}");
            }
            monitors.record(&candidate.clone().with_result(i % 3));
            enforcer.record(candidate.with_result(i % 3));
        }
    }
}

#[test]
fn memory_does_not_grow_with_the_run() {
    let formulas: Vec<Formula> = FORMULAS.iter().map(|text| text.parse().unwrap()).collect();
    let mut monitors = Monitors::new(&formulas);
    let mut record = |from: u64, to: u64| {
        let info = measure(|| {
            for i in from..to {
                monitors.record(&call(i).with_result(i % 3));
            }
        });
        info.bytes_current
    };
    record(0, 20_000);
    let grown = record(20_000, 120_000);
    assert!(grown < 4_096, "{grown} bytes in 100,000 calls");
}

#[test]
fn a_call_is_compared_with_the_constraints_that_name_its_tool() {
    let shapes = |a: usize, b: usize| {
        [
            format!(r#"G(!now("t{a}") | O(now("t{b}")))"#),
            format!(r#"before("t{b}", "t{a}")"#),
            format!(r#"G(now("t{a}") -> F(now("t{b}")))"#),
            format!(r#"called_n("t{a}", <= 3)"#),
            format!(r#"G(!matches("t{a}", x={b}))"#),
        ]
    };
    let tools = 1_000;
    let formulas: Vec<Formula> = (0..tools)
        .flat_map(|tool| {
            [
                shapes(tool, (tool + 1) % tools),
                shapes(tool, (tool + 7) % tools),
            ]
        })
        .flatten()
        .map(|text| text.parse().unwrap())
        .collect();
    assert_eq!(formulas.len(), 10_000);
    let mut naming: HashMap<String, u64> = HashMap::new();
    for tool in formulas.iter().flat_map(Formula::tools) {
        *naming.entry(tool.as_str().to_owned()).or_default() += 1;
    }
    let mut monitors = Monitors::new(&formulas);
    monitors.record(&ToolCall::new("other"));
    for i in 0..tools {
        let name = format!("t{}", tools - 1 - i);
        let naming = naming[&name];
        let call = ToolCall::new(name);
        let looked_at = monitors.check(&call).looked_at;
        assert!(
            looked_at <= naming,
            "{looked_at} looked at, {naming} name the tool"
        );
        monitors.record(&call);
    }
    // And so it is for the enforcer, which allocates nothing either.
    let constraints = (0..).zip(&formulas).map(|(i, formula)| {
        Constraint::new(format!("c{i}"), formula.clone()).with_severity(Severity::Tolerate)
    });
    let mut enforcer = Enforcer::new(Policy::new(constraints).unwrap()).unwrap();
    for i in (0..tools).rev() {
        enforcer.record(ToolCall::new(format!("t{i}")));
    }
    let calls = (0..tools).map(|i| ToolCall::new(format!("t{i}")).with_argument("x", tools as u64));
    // Each is asked about once before, and the transitions it takes are known then.
    let calls: Vec<ToolCall> = calls
        .filter(|call| enforcer.check(call).notes.is_empty())
        .collect();
    assert!(calls.len() > tools / 2, "{} allowed", calls.len());
    let mut allowed = true;
    let info = measure(|| allowed = calls.iter().all(|call| enforcer.check(call).allowed()));
    assert!(allowed);
    assert_eq!(info.count_total, 0);
}
