//! State as JSON: what is refused, what is ignored, limits.

use agentltl::build::*;
use agentltl::{Enforcer, Policy, Severity, StateLimits, parse_state};
use serde_json::{Value as Json, json};

use crate::{builder, call, enforcer, rule};

fn with(changes: Json) -> Json {
    let mut state = Enforcer::new(Policy::default()).unwrap().to_state();
    for (key, value) in changes.as_object().unwrap() {
        state[key] = value.clone();
    }
    state
}

#[test]
fn a_wrong_shape_is_refused_with_its_path() {
    let one_call = json!([{"tool_name": "x", "arguments": {}}]);
    let cases = [
        (json!([]), ".", "expected an object"),
        (json!(null), ".", "expected an object"),
        (json!({}), "version", "it is missing"),
        (with(json!({"version": 2})), "version", "version 2 is not 1"),
        (
            with(json!({"version": "1"})),
            "version",
            "version \"1\" is not 1",
        ),
        (
            with(json!({"completed_tool_calls": 3})),
            "completed_tool_calls",
            "invalid type",
        ),
        (
            with(json!({"completed_tool_calls": [{"tool_name": "x"}, {"arguments": {}}]})),
            "completed_tool_calls[1]",
            "tool_name",
        ),
        (
            with(json!({"completed_tool_calls": [{"tool_name": "x", "arguments": [1]}]})),
            "completed_tool_calls[0].arguments",
            "object",
        ),
        (
            with(json!({"soft_block_counts": {"r": -1}})),
            "soft_block_counts.r",
            "invalid value",
        ),
        (
            with(json!({"constraint_checks": 1.5})),
            "constraint_checks",
            "invalid type",
        ),
        (
            with(json!({"constraint_checks": 1e30})),
            "constraint_checks",
            "invalid type",
        ),
        (
            with(json!({"run_status": "gone"})),
            "run_status",
            "unknown variant",
        ),
        (
            with(json!({"constraint_violations": [{"constraint_name": "r"}]})),
            "constraint_violations[0]",
            "missing field `severity`",
        ),
        (
            with(json!({"last_blocked_call": {}})),
            "last_blocked_call",
            "missing field",
        ),
        (
            with(json!({"generation_key": [1]})),
            "generation_key",
            "expected a string",
        ),
        (
            with(
                json!({"latched": {"constraint_name": "r", "severity": "HARDSTOP", "step_number": 1}}),
            ),
            "latched.severity",
            "did you mean `HARD_STOP`",
        ),
        (
            with(json!({"in_flight": [{"id": 0, "position": 0}]})),
            "in_flight[0].id",
            "next_call_id",
        ),
        (
            with(json!({"next_call_id": u64::MAX})),
            "next_call_id",
            "out of range",
        ),
        (
            with(json!({"in_flight": [{"id": 0, "position": 0}], "next_call_id": 1})),
            "in_flight[0].position",
            "no call is there",
        ),
        (
            with(json!({
                "in_flight": [{"id": 0, "position": 0}, {"id": 1, "position": 0}],
                "next_call_id": 2,
                "completed_tool_calls": one_call,
            })),
            "in_flight[1].position",
            "ascend",
        ),
        (
            with(json!({
                "in_flight": [{"id": 0, "position": 0}],
                "next_call_id": 1,
                "completed_tool_calls": [{"tool_name": "x", "result": 1}],
            })),
            "in_flight[0].position",
            "has its result",
        ),
    ];
    for (state, path, message) in cases {
        let mut e = enforcer([]);
        e.record(call("kept"));
        let error = e.restore(&state).unwrap_err();
        assert_eq!(error.path, path, "{error}");
        assert!(error.message.contains(message), "{error}");
        assert_eq!(e.trace().len(), 1, "the run stays as it was");
    }
}

#[test]
fn unknown_fields_are_ignored_and_absent_ones_are_empty() {
    let state = json!({"version": 1, "latched": null, "completed_tool_calls": null, "new": [1]});
    let e = Enforcer::from_state(Policy::default(), &state).unwrap();
    assert!(e.trace().is_empty());
}

#[test]
fn nothing_is_lost() {
    let mut e = builder([
        rule("w", Severity::BlockAndWarn, globally(!now("w"))),
        rule("s", Severity::SoftBlock, globally(!now("s"))),
        rule("h", Severity::HardStop, globally(!now("h"))),
        rule("t", Severity::Tolerate, globally(!now("t"))),
        rule("f", Severity::Tolerate, called("f")).on_final_answer(),
    ])
    .latch_stop(true)
    .max_termination_nudges(5)
    .build()
    .unwrap();
    e.record(
        call("a")
            .with_step(4)
            .with_argument("n", 1.5)
            .with_result(json!(null)),
    );
    let _ = e.start(call("b"));
    let (_, id) = e.check_and_start(call("t"));
    e.complete(id.unwrap(), json!({"deep": [1, null]}), Some(3))
        .unwrap();
    let _ = e.check(call("s"));
    let _ = e.check_termination();
    e.begin_generation(Some(7.into()));
    let _ = e.check(call("w"));
    let _ = e.check_chain(&[call("a"), call("w")]);
    let _ = e.check(call("h"));
    let text = e.to_state().to_string();
    let mut restored = builder([]).latch_stop(true).build().unwrap();
    restored
        .restore(&serde_json::from_str(&text).unwrap())
        .unwrap();
    assert_eq!(restored.to_state().to_string(), text);
    assert_eq!(restored.status(), e.status());
    assert_eq!(restored.stopped(), Some("h"));
    let state = e.to_state();
    let mut empty: Vec<_> = state
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, value)| **value == json!(null) || **value == json!([]) || **value == json!({}))
        .map(|(key, _)| key.as_str())
        .collect();
    // Another crate may have switched on serde_json's `preserve_order`.
    empty.sort_unstable();
    assert_eq!(
        empty,
        ["block_and_warn_overrides", "persistent_block_counts"],
        "a field untested"
    );
}

#[test]
fn limits_keep_the_newest_and_the_calls_in_flight() {
    let mut e = enforcer([rule("t", Severity::Tolerate, globally(!now("t")))]);
    let first = e.start(call("first"));
    for _ in 0..10 {
        assert!(e.check(call("t")).allowed());
        e.record(call("t"));
    }
    e.record(call("last"));
    let state = e.to_state_with(StateLimits::new().max_trace(2).max_log(3));
    let mut restored = enforcer([]);
    restored.restore(&state).unwrap();
    let tools: Vec<_> = restored
        .trace()
        .iter()
        .map(|call| call.tool_name.as_str())
        .collect();
    assert_eq!(tools, ["first", "t", "last"]);
    let status = restored.status();
    assert_eq!((status.violations.len(), status.dropped.violations), (3, 7));
    restored.complete(first, "done", None).unwrap();
    assert_eq!(restored.trace()[0].result, Some(json!("done")));
    assert_eq!(
        e.to_state_with(StateLimits::new().max_trace(0))["completed_tool_calls"],
        json!([{"tool_name": "first", "arguments": {}}])
    );
}

#[test]
fn arguments_of_any_depth_that_an_agent_can_send_load_again() {
    // As deep as a parser lets an agent's message be.
    let text = format!("{{\"a\": {}1{}}}", "[".repeat(126), "]".repeat(126));
    let arguments: Json = serde_json::from_str(&text).unwrap();
    let mut x = call("x");
    x.arguments = arguments.as_object().unwrap().clone();
    let mut e = enforcer([rule("w", Severity::BlockAndWarn, globally(!now("x")))]);
    assert!(!e.check_chain(&[x.clone()]).allowed());
    e.record(x);
    let text = e.to_state().to_string();
    assert!(
        serde_json::from_str::<Json>(&text).is_err(),
        "the usual bound is in the way"
    );
    let mut restored = enforcer([]);
    restored.restore(&parse_state(&text).unwrap()).unwrap();
    assert_eq!(restored.to_state(), e.to_state());

    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(
        parse_state(&deep)
            .unwrap_err()
            .to_string()
            .contains("256 levels")
    );
    let brackets = format!("{{\"version\": 1, \"new\": \"\\\"{}\"}}", "[".repeat(1_000));
    assert!(
        parse_state(&brackets).is_ok(),
        "brackets in a string nest nothing"
    );
    assert!(parse_state("{} {}").is_err());
}

#[test]
fn a_call_without_a_name_loads_again() {
    let mut e = enforcer([]);
    let id = e.start(call(""));
    let mut restored = enforcer([]);
    restored.restore(&e.to_state()).unwrap();
    assert_eq!(restored.trace()[0].tool_name, "");
    restored.complete(id, "no such tool", None).unwrap();
}

#[test]
fn counters_do_not_wrap() {
    let full = json!({
        "block_and_warn_counts": {"w": u64::MAX},
        "constraint_checks": u64::MAX - 1,
        "current_generation": u64::MAX,
        "dropped": {"violations": u64::MAX},
    });
    let mut e = builder([
        rule("w", Severity::BlockAndWarn, globally(!now("x"))),
        rule("v", Severity::BlockAndWarn, globally(!now("x"))),
    ])
    .log_limit(0)
    .build()
    .unwrap();
    e.restore(&with(full)).unwrap();
    e.begin_generation(None);
    assert!(!e.check(call("x")).allowed());
    let status = e.status();
    assert_eq!(status.block_and_warn_counts["w"], u64::MAX);
    assert_eq!(status.constraint_checks, u64::MAX);
    assert_eq!(status.dropped.violations, u64::MAX);
}
