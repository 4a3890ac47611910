//! The monitors beside the evaluator: for tests and for the fuzzer.
#![allow(dead_code, clippy::unwrap_used)]

use agentltl::monitor::{Monitors, Suspect};
use agentltl::{Formula, Judgement, ToolCall, judge, verdict};

/// What the monitors say of each call, compared with the evaluator; how many steps were watched.
pub fn compare(formulas: &[Formula], calls: &[ToolCall]) -> Result<usize, String> {
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
        let check = monitors.check_in(&run);
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
        monitors.record_in(&run);
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

pub fn show(formulas: &[Formula], calls: &[ToolCall]) -> String {
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
