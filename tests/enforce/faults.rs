//! Code of the user that fails: the call is refused, says which code it was, and the enforcer goes on.

use std::sync::Once;

use agentltl::build::*;
use agentltl::{
    Action, CallPattern, Decision, Domain, Enforcer, Formula, HostError, Match, Severity, ToolCall,
    domain, matches_pattern, predicate, try_domain,
};

use crate::{builder, call, enforcer, rule};

/// Panics are expected here: their messages would hide what fails.
fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let expected = info
                .payload()
                .downcast_ref::<&str>()
                .is_some_and(|m| m.starts_with("on purpose"));
            if !expected {
                hook(info);
            }
        }));
    });
}

fn broken_predicate() -> Formula {
    predicate("p", Some(true), |calls: &[ToolCall], _| {
        assert!(
            calls.last().is_none_or(|call| call.tool_name != "x"),
            "on purpose"
        );
        true
    })
}

struct Broken;

impl CallPattern for Broken {
    fn matches(&self, call: &ToolCall) -> Result<Match, HostError> {
        assert!(call.tool_name != "x", "on purpose");
        Ok(Match::No)
    }
}

fn broken_domain() -> Domain {
    domain("d", |calls| {
        assert!(
            calls.last().is_none_or(|call| call.tool_name != "x"),
            "on purpose"
        );
        Vec::new()
    })
}

/// Unable to answer, without a panic.
fn unless_x(calls: &[ToolCall]) -> Result<(), &'static str> {
    match calls.last() {
        Some(call) if call.tool_name == "x" => Err("no luck, on purpose"),
        _ => Ok(()),
    }
}

fn failing_predicate() -> Formula {
    predicate("q", Some(true), |calls: &[ToolCall], _| {
        unless_x(calls).map(|()| true)
    })
}

fn failing_pattern(call: &ToolCall) -> Result<bool, &'static str> {
    unless_x(std::slice::from_ref(call)).map(|()| false)
}

fn failing_domain() -> Domain {
    try_domain("t", |calls| unless_x(calls).map(|()| Vec::new()))
}

fn refused(enforcer: &mut Enforcer, what: &str) -> Decision {
    let decision = enforcer.check(call("x"));
    assert!(!decision.allowed());
    assert!(
        decision
            .faults
            .iter()
            .any(|fault| fault.what.contains(what)),
        "{decision:?}"
    );
    assert!(decision.feedback.contains(what), "{}", decision.feedback);
    assert!(
        decision.feedback.contains("on purpose"),
        "{}",
        decision.feedback
    );
    assert!(enforcer.check(call("y")).allowed(), "the enforcer goes on");
    assert!(enforcer.trace().is_empty());
    decision
}

#[test]
fn what_cannot_be_judged_is_refused_at_every_severity() {
    quiet();
    let formulas = [
        ("predicate `p`", globally(broken_predicate())),
        ("pattern `b`", globally(!matches_pattern("b", Broken, true))),
        ("domain `d`", forall("v", broken_domain(), called("z"))),
        ("predicate `q`", globally(failing_predicate())),
        (
            "pattern `f`",
            globally(!matches_pattern("f", failing_pattern, true)),
        ),
        ("domain `t`", forall("v", failing_domain(), called("z"))),
    ];
    for (what, formula) in formulas {
        for severity in Severity::ALL {
            let mut e = enforcer([rule("r", severity, formula.clone())]);
            let decision = refused(&mut e, what);
            let expected = if severity.is_blocking() {
                Action::from(severity)
            } else {
                Action::Block
            };
            assert_eq!(decision.action, expected, "{what} {severity}");
            // Not even by insisting.
            e.begin_generation(None);
            let _ = refused(&mut e, what);
        }
    }
}

#[test]
fn a_failing_renderer_refuses_with_the_default_text() {
    quiet();
    let rules = || [rule("r", Severity::Ask, globally(!now("x")))];
    let mut e = builder(rules())
        .render(|_, _| panic!("on purpose"))
        .build()
        .unwrap();
    let decision = refused(&mut e, "render");
    assert!(
        decision
            .feedback
            .starts_with("[ASK] The call of `x` was not executed.")
    );
    let mut e = builder(rules())
        .try_render(|_, _| Err("on purpose".into()))
        .build()
        .unwrap();
    let _ = refused(&mut e, "render");
    let mut e = builder(rules())
        .render(|decision, _| format!("No: {}", decision.constraint_name().unwrap_or_default()))
        .build()
        .unwrap();
    assert_eq!(e.check(call("x")).feedback, "No: r");
}

#[test]
fn a_failing_rank_refuses_in_the_default_order() {
    quiet();
    let rules = ["a", "b", "c"].map(|name| rule(name, Severity::Ask, globally(!now("x"))));
    let mut e = builder(rules)
        .nudge_max(3)
        .rank(|_| panic!("on purpose"))
        .build()
        .unwrap();
    let decision = e.check(call("x"));
    assert_eq!(decision.violations.len(), 3);
    assert_eq!(decision.faults[0].what, "`rank`");
}

#[test]
fn a_final_answer_that_cannot_be_judged_is_sent_back() {
    quiet();
    let formula = predicate("p", Some(true), |_: &[ToolCall], _| -> bool {
        panic!("on purpose")
    });
    let mut e = builder([rule("r", Severity::Tolerate, formula).on_final_answer()])
        .max_termination_nudges(1)
        .build()
        .unwrap();
    let decision = e.check_termination();
    assert_eq!(decision.action, Action::Block);
    assert_eq!(decision.faults[0].what, "predicate `p`");
    assert!(e.check_termination().allowed());
}
