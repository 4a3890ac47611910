//! The laws of DESIGN section 3, over random formulas and runs, and the evaluators against the plain
//! reading of its table.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use agentltl::testing::{FormulaParams, TraceParams, formulas, formulas_with, traces, traces_with};
use agentltl::{
    Formula, Judgement, Node, Run, RuntimeSafety, Segment, ToolCall, Trace, Verdict, build::*,
    holds, verdict,
};
use proptest::prelude::*;
use support::naive;

/// `PROPTEST_CASES` asks for another number of cases.
fn config() -> ProptestConfig {
    ProptestConfig {
        max_shrink_iters: 20_000,
        ..ProptestConfig::with_cases(cases())
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(10_000)
}

/// The runs on the way to this one: each call proposed, then known with its result.
fn growth(trace: &Trace) -> Vec<Trace> {
    let mut stages = vec![Trace::new()];
    let mut so_far = Trace::new();
    for call in trace.iter() {
        let mut proposed = call.clone();
        proposed.result = None;
        so_far.push(proposed);
        stages.push(so_far.clone());
        *so_far.calls_mut().last_mut().unwrap() = call.clone();
        stages.push(so_far.clone());
    }
    stages
}

/// Formulas that the plain reading, whose cost doubles with each operator, gets through.
fn small() -> impl Strategy<Value = Formula> {
    formulas_with(&FormulaParams::default().with_size(3, 10))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_evaluators_read_the_table(formula in small(), trace in traces_with(&TraceParams::default().with_len(0..=6))) {
        for len in 0..=trace.len() {
            let calls = &trace[..len];
            prop_assert_eq!(verdict(&formula, calls).unwrap(), naive::verdict(&formula, calls), "{}", formula);
            prop_assert_eq!(holds(&formula, calls).unwrap(), naive::holds(&formula, calls), "{}", formula);
        }
    }

    #[test]
    fn final_verdicts_stay_and_finished_runs_agree(formula in formulas(), trace in traces()) {
        let mut settled: Option<Verdict> = None;
        for stage in growth(&trace) {
            let run = Run::new(&stage);
            let now = run.verdict(&formula).unwrap();
            if let Some(settled) = settled {
                prop_assert_eq!(now, settled, "{} changed on {:?}", formula, stage);
            }
            if now.is_final() {
                settled = Some(now);
                prop_assert_eq!(run.holds(&formula).unwrap(), now == Verdict::True, "{}", formula);
            }
        }
    }

    #[test]
    fn every_verdict_is_reachable(formula in formulas(), trace in traces()) {
        let reachable = formula.reachable();
        for stage in growth(&trace) {
            let now = verdict(&formula, &stage).unwrap();
            prop_assert!(reachable.contains(now), "{} is {}, not in {}", formula, now, reachable);
            if formula.runtime_safety() == RuntimeSafety::Safe {
                prop_assert_ne!(now, Verdict::PFalse);
            }
        }
    }

    #[test]
    fn in_order_is_its_temporal_reading(trace in traces(), a in "[abc]", b in "[abc]") {
        let calls: Vec<ToolCall> = trace.iter().cloned().map(|mut call| { call.step = None; call }).collect();
        let order = in_order([a.as_str(), b.as_str()]);
        let reading = eventually(now(a.as_str()) & next(eventually(now(b.as_str()))));
        prop_assert_eq!(verdict(&order, &calls).unwrap(), verdict(&reading, &calls).unwrap());
        prop_assert_eq!(holds(&order, &calls).unwrap(), holds(&reading, &calls).unwrap());
    }

    #[test]
    fn a_failed_instance_stays_failed(formula in formulas(), trace in traces(), more in 1_usize..4) {
        let mut run = trace.clone();
        let before = failed(&formula, &run);
        for _ in 0..more {
            run.push(ToolCall::new("a tool that no formula names"));
        }
        let after = failed(&formula, &run);
        for instance in before {
            prop_assert!(after.contains(&instance), "{} lost {:?}", formula, instance);
        }
    }

    #[test]
    fn a_call_is_refused_for_what_it_newly_breaks(formula in formulas(), mut trace in traces_with(&TraceParams::default().with_len(1..=10))) {
        let last = trace.calls_mut().last_mut().unwrap();
        (last.result, last.step) = (None, None);
        let earlier = &trace[..trace.len() - 1];
        // Before the first call nothing has failed.
        let before = if earlier.is_empty() { Vec::new() } else { failed(&formula, earlier) };
        let newest = Segment::Position(Some(earlier.len()));
        let (mut new, mut old) = (0, 0);
        for witness in Run::new(&trace).failing(&formula).unwrap() {
            // Where the whole is `G` of past, only the newest call's instance is looked at.
            if is_globally_past(&formula) {
                let own = [&newest, &Segment::Position(None)].map(Some);
                new += usize::from(own.contains(&witness.path.first()));
                continue;
            }
            let known = before.contains(&(format!("{:?}", witness.path), witness.counts.clone()));
            if witness.verdict == Verdict::PFalse || !known { new += 1 } else { old += 1 }
        }
        match Run::new(&trace).judge(&formula).unwrap() {
            Judgement::Allowed => prop_assert_eq!((new, old), (0, 0), "{}", formula),
            Judgement::AlreadyBroken => prop_assert!(new == 0 && old > 0, "{}", formula),
            Judgement::Broken(breach) => {
                prop_assert!(new > 0, "{}", formula);
                prop_assert_eq!(breach.witnesses.len(), new + old, "{}", formula);
                prop_assert!(!breach.detail.is_empty() && !breach.uncertain);
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }
}

/// Is the formula `G f` where f is settled by the calls up to its position?
fn is_globally_past(formula: &Formula) -> bool {
    let (root, operand) = formula.nodes().split_last().unwrap();
    *root == Node::Globally && operand.iter().all(Node::is_past)
}

/// The instances that have failed for good, in a form that can be compared.
fn failed(formula: &Formula, calls: &[ToolCall]) -> Vec<(String, Vec<u64>)> {
    let witnesses = Run::new(calls).failing(formula).unwrap();
    witnesses
        .into_iter()
        .filter(|witness| witness.verdict == Verdict::False)
        .map(|witness| (format!("{:?}", witness.path), witness.counts))
        .collect()
}
