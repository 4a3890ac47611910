//! Calls in flight.

use agentltl::build::*;
use agentltl::{Args, Cmp, Domain, Severity};
use serde_json::json;

use crate::{call, enforcer, rule};

#[test]
fn a_started_call_counts_at_once() {
    let mut e = enforcer([rule("once", Severity::Ask, called_n("x", Cmp::Le, 1))]);
    let (decision, id) = e.check_and_start(call("x"));
    assert!(decision.allowed());
    let (decision, none) = e.check_and_start(call("x"));
    assert!(!decision.allowed() && none.is_none());
    assert_eq!(e.trace().len(), 1);
    // It never ran, so another may.
    let withdrawn = e.withdraw(id.unwrap()).unwrap();
    assert_eq!(withdrawn.tool_name, "x");
    assert!(e.trace().is_empty());
    assert!(e.check(call("x")).allowed());
    assert_eq!(
        e.withdraw(id.unwrap()).unwrap_err().to_string(),
        "call 0 is not in flight"
    );
}

#[test]
fn results_arrive_in_any_order() {
    // b only where every a that is out has passed
    let passed = called_with_result("a", "ok", Args::default());
    let mut e = enforcer([rule("passed", Severity::Ask, globally(now("b") >> passed))]);
    let first = e.start(call("a"));
    let second = e.start(call("c"));
    let third = e.start(call("a"));
    e.complete(third, "no", Some(1)).unwrap();
    e.complete(second, json!(null), None).unwrap();
    assert!(e.check(call("b")).allowed(), "the first a may still pass");
    assert_eq!(e.in_flight().map(|(id, _)| id).collect::<Vec<_>>(), [first]);
    e.complete(first, "no", None).unwrap();
    assert!(!e.check(call("b")).allowed(), "none has passed");
    let tools: Vec<_> = e
        .trace()
        .iter()
        .map(|call| call.tool_name.as_str())
        .collect();
    assert_eq!(tools, ["a", "c", "a"], "the order of the starts");
    assert_eq!(e.trace()[1].result, Some(json!(null)));
    assert_eq!(e.trace()[2].status, Some(1));
    assert!(e.complete(first, "ok", None).is_err());
}

#[test]
fn a_result_can_be_waited_for() {
    // b only after some a has completed
    let any_result = exists("r", Domain::Results("a".into(), None), truth(true));
    let mut e = enforcer([rule(
        "completed",
        Severity::Ask,
        globally(now("b") >> any_result),
    )]);
    let id = e.start(call("a"));
    assert!(!e.check(call("b")).allowed());
    e.complete(id, json!(null), None).unwrap();
    assert!(e.check(call("b")).allowed());
}

#[test]
fn an_abandoned_call_stays_with_its_result_unknown() {
    let mut e = enforcer([rule("once", Severity::Ask, called_n("x", Cmp::Le, 1))]);
    let id = e.start(call("x").with_result("not yet"));
    assert_eq!(e.trace()[0].result, None);
    e.abandon(id).unwrap();
    assert!(!e.check(call("x")).allowed());
    assert!(e.complete(id, 1, None).is_err());
}

#[test]
fn an_id_never_means_another_call() {
    let mut e = enforcer([]);
    let old = e.start(call("x"));
    let state = e.to_state();
    e.reset();
    let new = e.start(call("y"));
    assert_ne!(old, new);
    assert!(e.complete(old, 1, None).is_err());
    e.restore(&state).unwrap();
    assert!(e.complete(new, 1, None).is_err());
    assert!(e.complete(old, 1, None).is_ok());
}

#[test]
fn the_step_of_a_call_counts_once_it_has_started() {
    let mut e = enforcer([rule("ordered", Severity::Ask, before("a", "b"))]);
    e.record(call("a").with_step(1));
    // The call being checked has no step yet, nor a result.
    let b = call("b").with_step(1).with_result("r");
    assert!(e.check(&b).allowed());
    let _ = e.start(b);
    assert_eq!(
        (e.trace()[1].step, e.trace()[1].result.as_ref()),
        (Some(1), None)
    );
}
