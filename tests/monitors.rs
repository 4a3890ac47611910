//! The monitors say what the evaluator says, at every step.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "support/cases.rs"]
mod cases;

use agentltl::monitor::{Monitors, Suspect};
use agentltl::{Formula, Judgement, ToolCall, judge, verdict};
use cases::{Bytes, Language};

/// What the monitors say of each call, compared with the evaluator; how many steps were watched.
fn compare(formulas: &[Formula], calls: &[ToolCall]) -> Result<usize, String> {
    let mut monitors = Monitors::new(formulas);
    let mut watched = 0;
    let mut run: Vec<ToolCall> = Vec::new();
    for (position, call) in calls.iter().enumerate() {
        let mut candidate = call.clone();
        (candidate.result, candidate.step) = (None, None);
        run.push(candidate.clone());
        let mut suspects = Vec::new();
        let mut already_broken = 0;
        for (constraint, formula) in formulas.iter().enumerate() {
            match judge(formula, &run).map_err(|error| error.to_string())? {
                Judgement::Broken(_) => suspects.push(constraint),
                Judgement::AlreadyBroken => already_broken += 1,
                _ => {}
            }
        }
        let check = monitors.check(&candidate);
        let said: Vec<Suspect> = check.suspects.to_vec();
        let told = check.already_broken;
        let mut known_broken = Vec::new();
        let mut asked = 0;
        for suspect in said {
            match suspect.breaks {
                true => known_broken.push(suspect.constraint),
                false => {
                    asked += 1;
                    let judgement = judge(&formulas[suspect.constraint], &run).unwrap();
                    match judgement {
                        Judgement::Broken(_) => known_broken.push(suspect.constraint),
                        Judgement::AlreadyBroken => already_broken -= 1,
                        _ => {}
                    }
                }
            }
        }
        known_broken.sort_unstable();
        watched += formulas.len() - asked;
        if known_broken != suspects || told != already_broken {
            return Err(format!(
                "call {position}: broken {known_broken:?}, not {suspects:?}; {told} already broken, not {already_broken}"
            ));
        }
        run.pop();
        run.push(call.clone());
        monitors.record(call);
        for (constraint, formula) in formulas.iter().enumerate() {
            let right = verdict(formula, &run).map_err(|error| error.to_string())?;
            if let Some(verdict) = monitors.verdict(constraint)
                && verdict != right
            {
                return Err(format!("after call {position}: {verdict}, not {right}"));
            }
        }
    }
    Ok(watched)
}

fn show(formulas: &[Formula], calls: &[ToolCall]) -> String {
    let mut text = String::new();
    for formula in formulas {
        text += &format!("{:?}\n", formula.nodes());
    }
    for call in calls {
        text += &format!(
            "  {} {:?} {:?} {:?}\n",
            call.tool_name, call.arguments, call.result, call.step
        );
    }
    text
}

fn check_case(formulas: &[Formula], calls: &[ToolCall]) -> usize {
    match compare(formulas, calls) {
        Ok(watched) => watched,
        Err(error) => {
            let (formulas, calls) = shrink(formulas, calls);
            let error = compare(&formulas, &calls).err().unwrap_or(error);
            panic!("{error}\n{}", show(&formulas, &calls));
        }
    }
}

/// Fewer calls and simpler formulas that still differ.
fn shrink(formulas: &[Formula], calls: &[ToolCall]) -> (Vec<Formula>, Vec<ToolCall>) {
    let (mut formulas, mut calls) = (formulas.to_vec(), calls.to_vec());
    loop {
        let mut smaller = None;
        let fails = |formulas: &[Formula], calls: &[ToolCall]| compare(formulas, calls).is_err();
        for i in 0..calls.len() {
            let mut fewer = calls.clone();
            fewer.remove(i);
            if fails(&formulas, &fewer) {
                smaller = Some((formulas.clone(), fewer));
                break;
            }
        }
        for i in 0..calls.len() {
            let mut simpler = calls.clone();
            simpler[i] = ToolCall::new(calls[i].tool_name.as_str());
            if smaller.is_none() && simpler[i] != calls[i] && fails(&formulas, &simpler) {
                smaller = Some((formulas.clone(), simpler));
            }
        }
        if smaller.is_none() {
            'formula: for (i, formula) in formulas.iter().enumerate() {
                let tree = formula.tree();
                for id in 0..tree.len() {
                    let extent = tree.extent(id);
                    for by in tree.children(id).iter().copied() {
                        // The node replaced by one of its operands.
                        let mut nodes = formula.nodes()[..extent.start].to_vec();
                        nodes.extend_from_slice(&formula.nodes()[tree.extent(by)]);
                        nodes.extend_from_slice(&formula.nodes()[extent.end..]);
                        let shorter = Formula::from_static(Box::leak(nodes.into_boxed_slice()));
                        let mut other = formulas.clone();
                        other[i] = shorter;
                        if other[i].unbound_variable().is_none() && fails(&other, &calls) {
                            smaller = Some((other, calls.clone()));
                            break 'formula;
                        }
                    }
                }
            }
        }
        match smaller {
            Some(case) => (formulas, calls) = case,
            None => return (formulas, calls),
        }
    }
}

fn many(name: &str, language: Language, depth: usize, cases: u64, calls: usize) {
    let cases = std::env::var("MONITOR_CASES").map_or(cases, |cases| cases.parse().unwrap());
    let first: u64 = std::env::var("MONITOR_SEED").map_or(0, |seed| seed.parse().unwrap());
    let (mut watched, mut steps) = (0, 0);
    for seed in first..first + cases {
        let bytes = cases::random(seed, 2000);
        let bytes = &mut Bytes(&bytes);
        let depth = 1 + bytes.below(depth);
        let formula = cases::formula(bytes, language, depth);
        let calls = cases::calls(bytes, calls, true);
        steps += calls.len();
        watched += check_case(&[formula], &calls);
    }
    println!("{name}: {watched} of {steps} steps watched");
    assert!(
        watched * 2 > steps,
        "{name}: only {watched} of {steps} steps were watched"
    );
}

#[test]
fn propositional_formulas() {
    many(
        "propositional",
        Language {
            quantifiers: false,
            rust: false,
        },
        6,
        2_000,
        14,
    );
}

#[test]
fn the_whole_language() {
    many(
        "whole",
        Language {
            quantifiers: true,
            rust: true,
        },
        6,
        2_000,
        14,
    );
}

#[test]
fn long_runs() {
    many(
        "long",
        Language {
            quantifiers: true,
            rust: false,
        },
        4,
        500,
        40,
    );
}
