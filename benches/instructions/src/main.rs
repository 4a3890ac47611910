//! Checks to be counted: callgrind collects only within `counted_..`, and writes down what it has
//! after each, in the order of the names that this prints. `benches/instructions/run` does that.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../../support/workload.rs"]
mod workload;

use std::hint::black_box;

use agentltl::monitor::Monitors;
use agentltl::{Enforcer, Formula, ToolCall};
use workload::{OPERATORS, PERIOD, calls, candidates, formulas, policy, varied, varied_candidates};

#[inline(never)]
fn counted_check(monitors: &mut Monitors, candidates: &[ToolCall]) -> usize {
    let mut suspects = 0;
    for candidate in candidates {
        suspects += monitors.check(black_box(candidate)).suspects.len();
    }
    suspects
}

#[inline(never)]
fn counted_record(monitors: &mut Monitors, calls: &[ToolCall]) {
    for call in calls {
        monitors.record(black_box(call));
    }
}

#[inline(never)]
fn counted_enforcer_check(enforcer: &mut Enforcer, candidates: &[ToolCall]) -> bool {
    let mut allowed = true;
    for candidate in candidates {
        allowed &= enforcer.check(black_box(candidate)).allowed();
    }
    allowed
}

#[inline(never)]
fn counted_enforcer_record(enforcer: &mut Enforcer, calls: Vec<ToolCall>) {
    for call in calls {
        enforcer.record(call);
    }
}

/// How many calls there are before a count, the second time.
const MANY: usize = 100_000;

fn main() {
    let formulas = formulas();
    let (run, proposed) = (calls(50), candidates(50));
    let mut monitors = Monitors::new(&formulas);
    monitors.replay(&run, 0);
    let _ = black_box(counted_check(&mut monitors, &proposed));
    println!("warm");
    let _ = black_box(counted_check(&mut monitors, &proposed));
    println!("check");
    counted_record(&mut monitors, &run);
    println!("record");
    let mut enforcer = Enforcer::new(policy(&formulas)).unwrap();
    for _ in 0..4 {
        for call in &run {
            enforcer.record(call.clone());
        }
    }
    assert!(counted_enforcer_check(&mut enforcer, &proposed));
    println!("warm");
    assert!(counted_enforcer_check(&mut enforcer, &proposed));
    println!("Enforcer::check");
    counted_enforcer_record(&mut enforcer, run);
    println!("Enforcer::record");

    let proposed = varied_candidates();
    let run: Vec<ToolCall> = (0..PERIOD).map(varied).collect();
    for (name, text) in OPERATORS {
        let formula: Formula = text.parse().unwrap();
        let mut monitors = Monitors::new([&formula]);
        let mut position = 0;
        for (goal, when) in [(100, "early"), (MANY, "late")] {
            while position < goal {
                monitors.record(&run[position % run.len()]);
                position += 1;
            }
            // The transitions that the candidates take are taken once before they are counted.
            assert_eq!(counted_check(&mut monitors, &proposed), 0, "{text}");
            println!("warm");
            let _ = counted_check(&mut monitors, &proposed);
            println!("{when} {name}");
        }
    }
}
