//! Is a check as fast at the millionth call as at the hundredth? For each operator, and for a mixed
//! policy of 25: the time of a check and of a check with its record, after 10^2 and after 10^6 calls.
//!
//! `cargo bench --bench flat`
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::hint::black_box;
use std::time::Instant;

use agentltl::monitor::Monitors;
use agentltl::{Formula, ToolCall};

/// A formula of each operator.
const OPERATORS: [(&str, &str); 35] = [
    ("called", r#"called("a")"#),
    ("now", r#"G(!now("d"))"#),
    ("before", r#"before("a", "d")"#),
    ("after", r#"after("d", "a")"#),
    ("all_before", r#"all_before(["a", "b", "c"], "d")"#),
    ("in_order", r#"in_order(["a", "b", "c", "d"])"#),
    ("branch_called", r#"branch_called("a", "d")"#),
    ("called_n", r#"called_n("d", <= 1)"#),
    ("called_n, large", r#"called_n("a", <= 100000000)"#),
    ("called_with", r#"called_with("a", x=77)"#),
    (
        "called_with_result",
        r#"called_with_result("a", "no", x=1)"#,
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
    ("|", r#"G(now("a") | !now("d"))"#),
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
        r#"exists v in args("a", "x"): called_with("b", x=?v)"#,
    ),
    (
        "quantifier inside",
        r#"G(now("d") -> (exists v in args("a", "x"): called_with("b", x=?v)))"#,
    ),
];

fn main() {
    println!(
        "{:<20} {:>10} {:>10} {:>6}   {:>12} {:>12} {:>6}",
        "", "check 10^2", "check 10^6", "ratio", "+record 10^2", "+record 10^6", "ratio"
    );
    let mut worst: f64 = 0.0;
    for (name, text) in OPERATORS {
        let formula: Formula = text.parse().unwrap();
        worst = worst.max(row(name, &[formula]));
    }
    let mixed: Vec<Formula> = OPERATORS
        .iter()
        .take(25)
        .map(|(_, text)| text.parse().unwrap())
        .collect();
    worst = worst.max(row("mixed policy of 25", &mixed));
    println!("worst ratio {worst:.2}");
}

/// A call of the run; arguments and results have 100 values.
fn call(i: u64) -> ToolCall {
    let tool = ["a", "b", "c", "a"][(i % 4) as usize];
    let number = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57;
    ToolCall::new(tool)
        .with_argument("x", number % 50)
        .with_result(number % 50)
}

fn row(name: &str, formulas: &[Formula]) -> f64 {
    let mut monitors = Monitors::new(formulas);
    let mut position = 0;
    let mut times = Vec::new();
    for goal in [100, 1_000_000] {
        while position < goal {
            monitors.record(&call(position));
            position += 1;
        }
        let candidates: Vec<ToolCall> = (0..64)
            .map(|i| {
                let mut call = call(position + i);
                call.result = None;
                call
            })
            .collect();
        let recorded: Vec<ToolCall> = (0..64).map(|i| call(position + i)).collect();
        let check = best(|| {
            for candidate in &candidates {
                black_box(monitors.check(black_box(candidate)).suspects.len());
            }
        });
        let both = best(|| {
            for (candidate, call) in candidates.iter().zip(&recorded) {
                black_box(monitors.check(black_box(candidate)).suspects.len());
                monitors.record(call);
            }
        });
        times.push((check / 64.0, both / 64.0));
    }
    let ratios = (times[1].0 / times[0].0, times[1].1 / times[0].1);
    println!(
        "{name:<20} {:>7.1} ns {:>7.1} ns {:>6.2}   {:>9.1} ns {:>9.1} ns {:>6.2}",
        times[0].0, times[1].0, ratios.0, times[0].1, times[1].1, ratios.1
    );
    ratios.0
}

/// The shortest of many runs in nanoseconds: what disturbs can only make it longer.
fn best(mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..400 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    best
}
