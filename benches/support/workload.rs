//! What is measured, for all benches alike.
#![allow(dead_code, clippy::unwrap_used, unreachable_pub)]

use agentltl::{Constraint, Formula, Policy, Severity, ToolCall};

/// 25 constraints over ten tools; the tools that end in x are never called.
pub fn texts() -> Vec<String> {
    (0..25)
        .map(|i| {
            let (a, b) = (format!("t{}", i % 10), format!("t{}", (i + 3) % 10));
            match i % 4 {
                0 => format!(r#"G(now("{a}") -> X(G(!now("{b}x"))))"#),
                1 => format!(r#"G(!now("{a}x"))"#),
                2 => format!(r#"before("{a}", "{b}x")"#),
                _ => format!(r#"G(now("{a}") -> F(now("{b}")))"#),
            }
        })
        .collect()
}

/// The constraints of [`texts`].
pub fn formulas() -> Vec<Formula> {
    texts().iter().map(|text| text.parse().unwrap()).collect()
}

/// 25 rules of the kind "never this tool".
pub fn never() -> Vec<String> {
    (0..25).map(|i| format!(r#"G(!now("never{i}"))"#)).collect()
}

/// A policy that only notes what breaks it.
pub fn policy(formulas: &[Formula]) -> Policy {
    let constraints = formulas.iter().enumerate().map(|(i, formula)| {
        Constraint::new(format!("c{i}"), formula.clone()).with_severity(Severity::Tolerate)
    });
    Policy::new(constraints).unwrap()
}

/// A run that keeps all of [`texts`].
pub fn calls(count: usize) -> Vec<ToolCall> {
    (0..count).map(call).collect()
}

/// The call at a position of it.
pub fn call(position: usize) -> ToolCall {
    candidate(position).with_result("ok")
}

/// That call before it is made.
pub fn candidate(position: usize) -> ToolCall {
    const TOOLS: [&str; 10] = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"];
    ToolCall::new(TOOLS[position % 10])
}

/// The same calls before they are made.
pub fn candidates(count: usize) -> Vec<ToolCall> {
    (0..count).map(candidate).collect()
}

/// A formula of each operator, which the calls of [`varied`] keep.
pub const OPERATORS: [(&str, &str); 36] = [
    ("called", r#"called("a")"#),
    ("now", r#"G(!now("d"))"#),
    ("before", r#"before("a", "d")"#),
    ("after", r#"!after("d", "a")"#),
    ("all_before", r#"all_before(["a", "b", "c"], "d")"#),
    ("in_order", r#"in_order(["a", "b", "c", "d"])"#),
    ("branch_called", r#"branch_called("a", "d")"#),
    ("called_n", r#"called_n("d", <= 1)"#),
    ("called_n, large", r#"called_n("a", <= 100000000)"#),
    ("called_with", r#"!called_with("a", x=77)"#),
    (
        "called_with_result",
        r#"!called_with_result("a", "no", x=1)"#,
    ),
    ("within_steps", r#"within_steps("d", "a", 3)"#),
    (
        "within_steps, large",
        r#"within_steps("a", "d", 100000000)"#,
    ),
    ("instance_before", r#"instance_before("d"[2], "e"[1])"#),
    ("count_before", r#"G(count_before(now("d"), < 3))"#),
    ("matches", r#"G(!matches(["a", "b"], x=77))"#),
    ("!", r#"!called("d")"#),
    ("&", r#"G(!now("d") & !now("e"))"#),
    ("|", r#"G(!now("a") | !now("d"))"#),
    ("->", r#"called("d") -> called("a")"#),
    ("X", r#"G(now("a") -> X(!now("d")))"#),
    ("@", r#"@3(now("a")) | called("a")"#),
    ("G", r#"G(now("d") -> X(G(!now("e"))))"#),
    ("F", r#"G(now("a") -> F(now("b")))"#),
    ("U", r#"!now("d") U now("e")"#),
    ("W", r#"!now("d") W now("e")"#),
    ("R", r#"now("e") R !now("d")"#),
    ("Y", r#"G(now("d") -> Y(now("a")))"#),
    ("O", r#"G(now("d") -> O(now("a")))"#),
    ("H", r#"G(now("d") -> H(!now("e")))"#),
    ("S", r#"G(now("d") -> (!now("b") S now("a")))"#),
    (
        "forall args",
        r#"forall v in args("a", "x"): G(!matches("d", x=?v))"#,
    ),
    (
        "forall results",
        r#"forall v in results("a"): called_with("a", x=?v) | !called("d")"#,
    ),
    (
        "exists",
        r#"exists v in args("a", "x"): called_with("b", x=?v) | !called("d")"#,
    ),
    (
        "quantifier inside",
        r#"G(now("d") -> (exists v in args("a", "x"): called_with("b", x=?v)))"#,
    ),
    (
        "quantifier over the run",
        r#"forall v in args("a", "x"): G(matches("a", x=?v) -> F(matches("b", x=?v)))"#,
    ),
];

/// How many calls of [`varied`] are distinct.
pub const PERIOD: u64 = 50;

/// A call with arguments and a result, which have 25 values.
pub fn varied(i: u64) -> ToolCall {
    let i = i % PERIOD;
    let tool = ["a", "b", "c", "a"][(i % 4) as usize];
    ToolCall::new(tool)
        .with_argument("x", i / 2)
        .with_result(i / 2)
}

/// The same calls before they are made.
pub fn varied_candidates() -> Vec<ToolCall> {
    (0..PERIOD)
        .map(|i| {
            let mut call = varied(i);
            call.result = None;
            call
        })
        .collect()
}
