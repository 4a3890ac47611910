//! Is a check as fast at the millionth call as at the hundredth? For each operator, and for a mixed
//! policy of 25: the time of a check and of a check with its record, after 10^2 and after 10^6 calls.
//!
//! `cargo bench --bench flat`
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::hint::black_box;
use std::time::Instant;

#[path = "support/workload.rs"]
mod workload;

use agentltl::monitor::Monitors;
use agentltl::{Formula, ToolCall};
use workload::{OPERATORS, varied, varied_candidates};

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

fn row(name: &str, formulas: &[Formula]) -> f64 {
    let candidates = varied_candidates();
    let recorded: Vec<ToolCall> = (0..candidates.len() as u64).map(varied).collect();
    let count = candidates.len() as f64;
    let mut monitors = Monitors::new(formulas);
    let mut position = 0;
    let mut times = Vec::new();
    for goal in [100, 1_000_000] {
        while position < goal {
            monitors.record(&recorded[position % recorded.len()]);
            position += 1;
        }
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
        times.push((check / count, both / count));
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
