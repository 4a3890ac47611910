//! What each setting does.

use agentltl::build::*;
use agentltl::{
    Action, Chain, Cmp, Enforcer, EnforcerError, Generation, Match, Policy, Proposal, Severity,
    SoftBlockMode, ToolCall, ViolationType, matches_pattern,
};
use serde_json::json;

use crate::{builder, call, enforcer, policy, rule};

fn never(tool: &'static str) -> agentltl::Formula {
    globally(!now(tool))
}

/// A call in a generation of its own.
fn check(enforcer: &mut Enforcer, call: &ToolCall, generation: i64) -> agentltl::Decision {
    enforcer.check(Proposal::new(call).generation(generation))
}

#[test]
fn the_strongest_severity_decides_whatever_the_order() {
    let strongest_first = Severity::ALL;
    for skipped in 0..Severity::ALL.len() {
        for reversed in [false, true] {
            let mut rules: Vec<_> = strongest_first[skipped..]
                .iter()
                .map(|severity| rule(severity.as_str(), *severity, never("x")))
                .collect();
            if reversed {
                rules.reverse();
            }
            let decision = enforcer(rules).check(call("x"));
            assert_eq!(decision.action, Action::from(strongest_first[skipped]));
            if skipped < 5 {
                assert_eq!(
                    decision.constraint_name(),
                    Some(strongest_first[skipped].as_str())
                );
                assert_eq!(decision.notes.len(), 1);
            } else {
                assert!(decision.allowed() && decision.violations.is_empty());
                assert_eq!(decision.notes[0].constraint_name, "TOLERATE");
            }
        }
    }
}

#[test]
fn a_severity_set_by_name_replaces_the_policys() {
    let rules = || [rule("r", Severity::HardStop, never("x"))];
    let mut enforcer = builder(rules())
        .severity("r", Severity::Ask)
        .build()
        .unwrap();
    assert_eq!(enforcer.check(call("x")).action, Action::Ask);
    let error = builder(rules())
        .severity("rr", Severity::Ask)
        .build()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "a severity is set for `rr`, which is no constraint of the policy; did you mean `r`?"
    );
}

#[test]
fn soft_blocks_escalate_by_mode() {
    // (mode, total limit, limit in a row, calls: x refused, y allowed) -> the action of each x
    let cases = [
        (
            SoftBlockMode::Cumulative,
            3,
            1,
            "xxyx",
            vec!["retry", "retry", "stop"],
        ),
        (
            SoftBlockMode::Consecutive,
            1,
            2,
            "xyxyxx",
            vec!["retry", "retry", "retry", "stop"],
        ),
        (
            SoftBlockMode::Hybrid,
            3,
            2,
            "xyxyx",
            vec!["retry", "retry", "stop"],
        ),
        (
            SoftBlockMode::Hybrid,
            9,
            2,
            "xyxx",
            vec!["retry", "retry", "stop"],
        ),
        (SoftBlockMode::Cumulative, 0, 0, "x", vec!["stop"]),
    ];
    for (mode, total, in_a_row, calls, expected) in cases {
        let mut enforcer = builder([rule("r", Severity::SoftBlock, never("x"))])
            .soft_block_mode(mode)
            .max_soft_attempts(total)
            .max_consecutive_soft_attempts(in_a_row)
            .build()
            .unwrap();
        let actions: Vec<_> = calls
            .chars()
            .map(|tool| enforcer.check(call(&tool.to_string())))
            .filter(|decision| !decision.allowed())
            .map(|decision| decision.action.as_str())
            .collect();
        assert_eq!(actions, expected, "{mode} {total} {in_a_row} {calls}");
    }
}

#[test]
fn escalation_to_ask_starts_the_count_again() {
    let mut enforcer = builder([rule("r", Severity::SoftBlock, never("x"))])
        .max_soft_attempts(2)
        .escalate_to(Severity::Ask)
        .build()
        .unwrap();
    let actions: Vec<_> = (0..5)
        .map(|_| enforcer.check(call("x")))
        .map(|d| (d.action.as_str(), d.attempts))
        .collect();
    assert_eq!(
        actions,
        [
            ("retry", 1),
            ("ask", 2),
            ("retry", 1),
            ("ask", 2),
            ("retry", 1)
        ]
    );
    let error = builder([])
        .escalate_to(Severity::SoftBlock)
        .build()
        .unwrap_err();
    assert_eq!(error, EnforcerError::EscalateTo(Severity::SoftBlock));
}

#[test]
fn a_latched_stop_holds_until_resumed() {
    let rules = [rule("r", Severity::HardStop, never("x"))];
    let mut enforcer = builder(rules).latch_stop(true).build().unwrap();
    assert!(!enforcer.check(call("x")).latched);
    assert_eq!(enforcer.stopped(), Some("r"));
    let decision = enforcer.check(call("y"));
    assert!(decision.latched && decision.action == Action::Stop);
    assert_eq!(enforcer.status().stopped_by.as_deref(), Some("r"));
    enforcer.resume();
    assert!(enforcer.check(call("y")).allowed());
    assert_eq!(enforcer.status().stopped_by, None);
}

#[test]
fn insisting_needs_the_identical_call_next_and_in_a_later_generation() {
    let rules = || [rule("r", Severity::BlockAndWarn, never("x"))];
    let x = call("x")
        .with_argument("n", 1)
        .with_argument("o", json!({"a": 1, "b": [2]}));
    // The same call to the letter: numbers by value, keys in any order.
    let same = call("x")
        .with_argument("o", json!({"b": [2.0], "a": 1}))
        .with_argument("n", 1.0);

    let mut e = enforcer(rules());
    assert_eq!(check(&mut e, &x, 1).action, Action::Warn);
    assert_eq!(
        check(&mut e, &x, 1).action,
        Action::Warn,
        "the same generation"
    );
    assert_eq!(check(&mut e, &same, 2).overridden.as_deref(), Some("r"));
    assert_eq!(
        check(&mut e, &x, 3).action,
        Action::Warn,
        "an override is used up"
    );

    for other in [
        call("x"),
        call("x").with_argument("n", true),
        call("x").with_argument("n", 1),
    ] {
        let mut e = enforcer(rules());
        let _ = check(&mut e, &x, 1);
        assert_eq!(
            check(&mut e, &other, 2).action,
            Action::Warn,
            "other arguments"
        );
    }

    let mut e = enforcer(rules());
    let _ = check(&mut e, &x, 1);
    assert!(check(&mut e, &call("y"), 2).allowed());
    assert_eq!(
        check(&mut e, &x, 3).action,
        Action::Warn,
        "not the next call"
    );

    let mut e = enforcer(rules());
    e.begin_generation(None);
    assert_eq!(e.check(&x).action, Action::Warn);
    e.begin_generation(Some(Generation::from("g")));
    assert!(
        e.check(x.clone().with_generation("g")).allowed(),
        "an explicit generation"
    );
}

#[test]
fn insisting_lifts_a_warning_and_nothing_stronger() {
    let mut e = enforcer([
        rule("warned", Severity::BlockAndWarn, never("x")),
        rule("once", Severity::HardStop, called_n("x", Cmp::Le, 1)),
    ]);
    assert_eq!(check(&mut e, &call("x"), 1).action, Action::Warn);
    // Meanwhile another part of the program runs the call.
    e.record(call("x"));
    let decision = check(&mut e, &call("x"), 2);
    assert_eq!(decision.action, Action::Stop);
    assert_eq!(decision.constraint_name(), Some("once"));
}

#[test]
fn insisting_alone_on_a_call_refused_in_a_chain_is_another_matter() {
    // In the chain the test comes first; alone, the deployment is untested.
    let rules = || {
        [
            rule("warned", Severity::BlockAndWarn, never("deploy")),
            rule("tested", Severity::HardStop, before("test", "deploy")),
        ]
    };
    let chain = [call("test"), call("deploy")];
    let mut e = enforcer(rules());
    let _ = e.check_chain(Chain::new(&chain).generation(1));
    let decision = check(&mut e, &call("deploy"), 2);
    assert_eq!(decision.action, Action::Stop);
    assert_eq!(decision.constraint_name(), Some("tested"));
    // Nor does a key make another chain the same.
    let mut e = enforcer(rules());
    let _ = e.check_chain(Chain::new(&chain).key("k").generation(1));
    let other = [call("lint"), call("deploy")];
    let decision = e.check_chain(Chain::new(&other).key("k").generation(2));
    assert_eq!(decision.action, Action::Stop);
    let mut e = enforcer(rules());
    let _ = e.check_chain(Chain::new(&chain).key("k").generation(1));
    let same = Chain::new(&chain).key("k").generation(2);
    assert_eq!(e.check_chain(same).overridden.as_deref(), Some("warned"));
}

#[test]
fn further_violations_are_ranked_and_bounded() {
    let rules = || {
        [
            rule("first", Severity::Ask, never("x")),
            rule("bare", Severity::Ask, never("x")),
            rule("advised", Severity::Ask, never("x")).with_repair("Do y."),
            rule("stronger", Severity::PersistentBlock, never("y")),
        ]
    };
    let names = |enforcer: &mut Enforcer| -> Vec<String> {
        let decision = enforcer.check(call("x"));
        decision
            .violations
            .into_iter()
            .map(|violation| violation.constraint_name)
            .collect()
    };
    assert_eq!(names(&mut enforcer(rules())), ["first"]);
    let mut two = builder(rules()).nudge_max(2).build().unwrap();
    assert_eq!(names(&mut two), ["first", "advised"]);
    let mut all = builder(rules()).nudge_max(9).build().unwrap();
    assert_eq!(names(&mut all), ["first", "advised", "bare"]);
    let mut ranked = builder(rules())
        .nudge_max(9)
        .rank(|violation| i64::from(violation.constraint_name != "bare"))
        .build()
        .unwrap();
    assert_eq!(names(&mut ranked), ["first", "bare", "advised"]);
}

#[test]
fn a_chain_is_all_or_nothing() {
    let mut e = enforcer([
        rule("once", Severity::PersistentBlock, called_n("x", Cmp::Le, 1)),
        rule("noted", Severity::Tolerate, never("y")),
    ]);
    let decision = e.check_chain(&[call("y"), call("x"), call("x")]);
    assert_eq!((decision.action, decision.index), (Action::Block, Some(2)));
    assert_eq!(decision.notes.len(), 1);
    assert!(e.trace().is_empty());
    assert!(e.check_chain(&[call("y"), call("x")]).allowed());
    assert!(e.trace().is_empty(), "the caller records what ran");
    assert!(e.check_chain(&[]).allowed());
}

#[test]
fn insisting_on_a_chain_means_issuing_it_again() {
    let chain = [call("y"), call("x"), call("z")];
    let rules = || [rule("r", Severity::BlockAndWarn, never("x"))];
    let mut e = enforcer(rules());
    let decision = e.check_chain(Chain::new(&chain).generation(1));
    assert_eq!((decision.action, decision.index), (Action::Warn, Some(1)));
    let decision = e.check_chain(Chain::new(&chain).generation(2));
    assert_eq!(decision.overridden.as_deref(), Some("r"));

    let mut e = enforcer(rules());
    let _ = e.check_chain(Chain::new(&chain).key("y; x; z").generation(1));
    let other = Chain::new(&chain).key("y && x && z").generation(2);
    assert_eq!(e.check_chain(other).action, Action::Warn);
}

#[test]
fn termination_nudges_are_bounded_and_reset() {
    let rules = [
        rule("t", Severity::Tolerate, called("pytest"))
            .on_final_answer()
            .with_repair("Run pytest."),
        rule("u", Severity::Tolerate, called("lint")).on_final_answer(),
        rule("v", Severity::Tolerate, called("else")),
    ];
    let mut e = builder(rules).max_termination_nudges(2).build().unwrap();
    let decision = e.check_termination();
    assert_eq!(decision.action, Action::Block);
    assert_eq!(decision.violations.len(), 2, "all that are unmet");
    assert_eq!(
        e.status().termination_nudged_names,
        ["t"],
        "nudge_max of them are shown"
    );
    let error = decision.into_result().unwrap_err();
    assert_eq!(error.violation_type, ViolationType::TerminationNudge);
    assert!(!e.check_termination().allowed());
    assert!(e.check_termination().allowed(), "sent back often enough");
    e.reset_termination_nudges();
    assert!(!e.check_termination().allowed());
    e.record(call("pytest"));
    e.record(call("lint"));
    e.reset_termination_nudges();
    assert!(e.check_termination().allowed());
}

#[test]
fn a_mismatch_is_an_error_where_that_is_asked_for() {
    let rules = || {
        [
            rule("inert", Severity::HardStop, eventually(called("a"))),
            rule("final", Severity::HardStop, called("a")).on_final_answer(),
            rule("fine", Severity::HardStop, before("a", "b")),
        ]
    };
    assert!(builder(rules()).build().is_ok());
    let error = builder(rules())
        .strict_runtime_safety(true)
        .build()
        .unwrap_err();
    let EnforcerError::RuntimeSafety(reports) = &error else {
        panic!("{error}")
    };
    assert_eq!(reports.len(), 1);
    assert!(error.to_string().contains("`inert`"), "{error}");
    // A severity set by name is what counts.
    let softened = builder(rules()).severity("inert", Severity::Tolerate);
    let mut e = softened.strict_runtime_safety(true).build().unwrap();
    let unsafe_policy = policy([rule("open", Severity::HardStop, called("a"))]);
    assert!(e.set_policy(unsafe_policy).is_err());
    assert_eq!(
        e.policy().constraints().len(),
        3,
        "the old constraints stay"
    );
}

#[test]
fn constraints_are_replaced_and_the_trace_stays() {
    let mut e = enforcer([rule("r", Severity::Ask, before("a", "b"))]);
    e.record(call("a"));
    e.set_policy(policy([rule("s", Severity::Ask, before("b", "c"))]))
        .unwrap();
    assert!(e.check(call("b")).allowed());
    assert_eq!(e.check(call("c")).constraint_name(), Some("s"));
    e.set_policy(policy([rule("t", Severity::Ask, before("a", "c"))]))
        .unwrap();
    assert!(
        e.check(call("c")).allowed(),
        "the call before the replacement counts"
    );
    e.reset();
    assert_eq!(e.check(call("c")).constraint_name(), Some("t"));
}

#[test]
fn a_possible_match_is_marked() {
    let unknown = |call: &ToolCall| {
        if call.tool_name == "rm" {
            Match::Maybe
        } else {
            Match::No
        }
    };
    let forbidden = globally(!matches_pattern("secrets", unknown, true));
    let mut e = enforcer([rule("r", Severity::Ask, forbidden)]);
    let decision = e.check(call("rm"));
    assert!(decision.violation().unwrap().uncertain);
    assert!(
        decision.feedback.contains("possible match"),
        "{}",
        decision.feedback
    );
}

#[test]
fn a_refusal_becomes_an_error_that_serialises() {
    let mut e = builder([rule("r", Severity::SoftBlock, never("x"))])
        .soft_block_mode(SoftBlockMode::Hybrid)
        .max_soft_attempts(9)
        .max_consecutive_soft_attempts(2)
        .build()
        .unwrap();
    let first = e.check(call("x")).into_result().unwrap_err();
    assert_eq!(first.violation_type, ViolationType::SoftBlock);
    let x = call("x").with_argument("n", 1);
    let decision = e.check(&x);
    let feedback = decision.feedback.clone();
    let error = decision.into_result().unwrap_err();
    assert_eq!(error.to_string(), feedback);
    assert_eq!(
        serde_json::to_value(&error).unwrap(),
        json!({
            "type": "ConstraintViolationError",
            "violation_type": "SOFT_BLOCK_ESCALATION",
            "constraint_name": "r",
            "tool_name": "x",
            "detail": &*error.detail,
            "soft_block_mode": "hybrid",
            "threshold_str": "consecutive 2/2",
            "message": feedback,
        })
    );
    assert!(e.check(call("y")).into_result().is_ok());
}

#[test]
fn a_call_repeated_100_000_times_costs_bounded_memory() {
    let rules = [rule("w", Severity::BlockAndWarn, never("x"))];
    let mut e = enforcer(rules);
    let x = call("x").with_argument("n", 1);
    for _ in 0..100_000 {
        assert_eq!(e.check(&x).action, Action::Warn);
    }
    let status = e.status();
    assert_eq!(status.block_and_warn_counts["w"], 100_000);
    assert_eq!(
        (status.violations.len(), status.dropped.violations),
        (1_000, 99_000)
    );
    assert_eq!(
        (
            status.soft_blocked_calls.len(),
            status.dropped.soft_blocked_calls
        ),
        (1_000, 99_000)
    );
    assert!(e.to_state().to_string().len() < 1_000_000);
    let json = serde_json::to_value(status).unwrap();
    assert_eq!(json["dropped"]["violations"], 99_000);
}

#[test]
fn logs_can_be_off() {
    let mut e = builder([rule("w", Severity::BlockAndWarn, never("x"))])
        .log_limit(0)
        .build()
        .unwrap();
    let _ = check(&mut e, &call("x"), 1);
    assert!(check(&mut e, &call("x"), 2).allowed());
    let status = e.status();
    assert!(status.violations.is_empty() && status.block_and_warn_overrides.is_empty());
    assert_eq!(status.block_and_warn_override_count, 1);
}

#[test]
fn an_empty_policy_allows_everything() {
    let mut e = Enforcer::new(Policy::default()).unwrap();
    assert!(e.check(call("x")).allowed() && e.check_termination().allowed());
    assert_eq!(e.status().constraint_checks, 0);
}
