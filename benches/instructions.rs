//! A check and a record, many times and nothing else, to count their instructions: a regression shows
//! there on a noisy machine, too. `benches/instructions.sh` does that.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;

use agentltl::Formula;
use agentltl::ToolCall;
use agentltl::monitor::Monitors;

fn main() {
    let rounds: usize = std::env::var("ROUNDS").map_or(1, |rounds| rounds.parse().unwrap());
    let formulas: Vec<Formula> = (0..25)
        .map(|i| {
            let (a, b) = (format!("t{}", i % 10), format!("t{}", (i + 3) % 10));
            let text = match i % 4 {
                0 => format!(r#"G(now("{a}") -> X(G(!now("{b}x"))))"#),
                1 => format!(r#"G(!now("{a}x"))"#),
                2 => format!(r#"before("{a}", "{b}x")"#),
                _ => format!(r#"G(now("{a}") -> F(now("{b}")))"#),
            };
            text.parse().unwrap()
        })
        .collect();
    let calls: Vec<ToolCall> = (0..1000)
        .map(|i| ToolCall::new(format!("t{}", i % 10)))
        .collect();
    let mut monitors = Monitors::new(&formulas);
    for _ in 0..rounds {
        for call in &calls {
            assert!(monitors.check(black_box(call)).suspects.is_empty());
            monitors.record(call);
        }
    }
}
