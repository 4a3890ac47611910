//! The default feedback, word for word: it must tell a model the rule, what broke it, how to comply,
//! and what repeating the call would do.

use agentltl::build::*;
use agentltl::{
    Decision, EnforcerBuilder, Match, Severity, SoftBlockMode, ToolCall, matches_pattern,
};

use crate::{builder, call, rule};

fn deploy(severity: Severity) -> EnforcerBuilder {
    builder([rule("test-first", severity, before("test", "deploy"))
        .with_description("Nothing is deployed untested.")
        .with_repair("Call `test` first.")])
}

fn lines(lines: &[&str]) -> String {
    lines.join("\n")
}

/// What the n-th check of the call says.
fn nth(n: usize, builder: EnforcerBuilder) -> String {
    let mut enforcer = builder.build().unwrap();
    let decisions: Vec<Decision> = (0..n).map(|_| enforcer.check(call("deploy"))).collect();
    decisions[n - 1].feedback.clone()
}

#[test]
fn hard_stop() {
    assert_eq!(
        nth(1, deploy(Severity::HardStop)),
        lines(&[
            "[HARD_STOP] The call of `deploy` was not executed.",
            "Rule `test-first`: Nothing is deployed untested.",
            "What breaks it: `deploy` (call #1) came and `test` has not been called yet.",
            "How to comply: Call `test` first.",
            "If you repeat it: it is refused again. The run stops here; do not look for a way around the rule."
        ])
    );
}

#[test]
fn hard_stop_that_latches() {
    let latching = || deploy(Severity::HardStop).latch_stop(true);
    assert_eq!(
        nth(1, latching()),
        lines(&[
            "[HARD_STOP] The call of `deploy` was not executed.",
            "Rule `test-first`: Nothing is deployed untested.",
            "What breaks it: `deploy` (call #1) came and `test` has not been called yet.",
            "How to comply: Call `test` first.",
            "If you repeat it: it is refused, as is every other call until a human resumes the run. Report where you are."
        ])
    );
    assert_eq!(
        nth(2, latching()),
        lines(&[
            "[STOPPED] Not executed: the run was stopped by the rule `test-first` and has not been resumed.",
            "Reason: the call of `deploy` at step 1: `deploy` (call #1) came and `test` has not been called yet.",
            "No tool call runs until a human resumes the run. Make no further calls; report where you are."
        ])
    );
}

#[test]
fn persistent_block() {
    assert_eq!(
        nth(1, deploy(Severity::PersistentBlock)),
        lines(&[
            "[PERSISTENT_BLOCK] The call of `deploy` was not executed.",
            "Rule `test-first`: Nothing is deployed untested.",
            "What breaks it: `deploy` (call #1) came and `test` has not been called yet.",
            "How to comply: Call `test` first.",
            "If you repeat it: it is refused every time, whatever the reason. Do something else."
        ])
    );
}

#[test]
fn ask() {
    assert_eq!(
        nth(1, deploy(Severity::Ask)),
        lines(&[
            "[ASK] The call of `deploy` was not executed.",
            "Rule `test-first`: Nothing is deployed untested.",
            "What breaks it: `deploy` (call #1) came and `test` has not been called yet.",
            "How to comply: Call `test` first.",
            "If you repeat it: it is refused again. A human has been asked to approve it; do not work around the rule meanwhile."
        ])
    );
}

#[test]
fn soft_block() {
    assert_eq!(
        nth(1, deploy(Severity::SoftBlock)),
        lines(&[
            "[SOFT_BLOCK] The call of `deploy` was not executed.",
            "Rule `test-first`: Nothing is deployed untested.",
            "What breaks it: `deploy` (call #1) came and `test` has not been called yet.",
            "How to comply: Call `test` first.",
            "If you repeat it: it is refused again. Refusal 1 of 3 for this rule; at 3 the run stops. Choose a call that complies."
        ])
    );
    let hybrid = deploy(Severity::SoftBlock)
        .soft_block_mode(SoftBlockMode::Hybrid)
        .max_consecutive_soft_attempts(2)
        .escalate_to(Severity::Ask);
    assert_eq!(
        nth(1, hybrid.clone()),
        lines(&[
            "[SOFT_BLOCK] The call of `deploy` was not executed.",
            "Rule `test-first`: Nothing is deployed untested.",
            "What breaks it: `deploy` (call #1) came and `test` has not been called yet.",
            "How to comply: Call `test` first.",
            "If you repeat it: it is refused again. Refusal 1 of 2 in a row for this rule; at 2 a human is asked to decide. Choose a call that complies."
        ])
    );
    assert_eq!(
        nth(2, hybrid),
        lines(&[
            "[SOFT_BLOCK, ESCALATED] The call of `deploy` was not executed.",
            "Rule `test-first`: Nothing is deployed untested.",
            "What breaks it: `deploy` (call #1) came and `test` has not been called yet.",
            "How to comply: Call `test` first.",
            "If you repeat it: it is refused again. This rule has refused too many calls (consecutive 2/2, hybrid mode), so a human has been asked to decide; wait for the answer."
        ])
    );
    assert_eq!(
        nth(3, deploy(Severity::SoftBlock)),
        lines(&[
            "[SOFT_BLOCK, ESCALATED] The call of `deploy` was not executed.",
            "Rule `test-first`: Nothing is deployed untested.",
            "What breaks it: `deploy` (call #1) came and `test` has not been called yet.",
            "How to comply: Call `test` first.",
            "If you repeat it: it is refused again. The run stops here; do not look for a way around the rule. This rule has refused too many calls (total 3/3, cumulative mode)."
        ])
    );
}

#[test]
fn block_and_warn() {
    assert_eq!(
        nth(1, deploy(Severity::BlockAndWarn)),
        lines(&[
            "[BLOCK_AND_WARN] The call of `deploy` was not executed.",
            "Rule `test-first`: Nothing is deployed untested.",
            "What breaks it: `deploy` (call #1) came and `test` has not been called yet.",
            "How to comply: Call `test` first.",
            "If you repeat it: exactly this call, with the same arguments, runs if it is your very next one. Do that only if you are sure it is needed; otherwise comply."
        ])
    );
}

#[test]
fn tolerate_says_nothing() {
    assert_eq!(nth(1, deploy(Severity::Tolerate)), "");
}

#[test]
fn a_rule_without_words_several_at_once_and_a_possible_match() {
    let maybe = |call: &ToolCall| {
        if call.tool_name == "deploy" {
            Match::Maybe
        } else {
            Match::No
        }
    };
    let rules = [
        rule(
            "no-secrets",
            Severity::Ask,
            globally(!matches_pattern("secrets", maybe, true)),
        ),
        rule("never", Severity::Ask, globally(!now("deploy"))),
        rule("test-first", Severity::Ask, before("test", "deploy"))
            .with_repair("Call `test` first."),
    ];
    assert_eq!(
        nth(1, builder(rules).nudge_max(3)),
        lines(&[
            "[ASK] The call of `deploy` was not executed.",
            "Rule `no-secrets`: G !matches(<secrets>)",
            "What breaks it: Call #1 (`deploy`) may match `matches(<secrets>)`, which must not be.",
            "This is a possible match only: what the call touches is known when it runs, so it is refused to be safe.",
            "The call breaks 2 more rules; a change that meets all of them saves another refusal:",
            "  2. `test-first`: Call `test` first.",
            "  3. `never`: Call #1 is `deploy`, which must not be.",
            "If you repeat it: it is refused again. A human has been asked to approve it; do not work around the rule meanwhile."
        ])
    );
}

#[test]
fn termination() {
    let rules = [
        rule("tested", Severity::Tolerate, called("test"))
            .on_final_answer()
            .with_repair("Call `test`."),
        rule("linted", Severity::Tolerate, called("lint")).on_final_answer(),
        rule("signed", Severity::Tolerate, called("sign")).on_final_answer(),
    ];
    let builder = builder(rules).max_termination_nudges(1).nudge_max(2);
    assert_eq!(
        builder.build().unwrap().check_termination().feedback,
        lines(&[
            "Not finished yet. These rules of the task are still unmet:",
            "  - `tested`: Call `test`.",
            "  - `linted`: `lint` was never called.",
            "  - and 1 more",
            "Do what they ask for, then give your final answer. If one cannot apply here, say so and finish."
        ])
    );
}

#[test]
fn long_texts_are_cut() {
    let long = "word ".repeat(1_000);
    let rules = [rule("long", Severity::Ask, globally(!now("deploy"))).with_description(long)];
    let text = nth(1, builder(rules));
    assert!(text.len() < 1_000 && text.contains('…'), "{text}");
}
