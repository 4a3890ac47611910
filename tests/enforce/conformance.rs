//! `conformance/enforce.jsonl`: each decision, and the status at the end.

use agentltl::{
    Chain, Constraint, Decision, Enforcer, EnforcerBuilder, Formula, Generation, Policy, Proposal,
    ToolCall, Violation,
};
use serde_json::{Value as Json, json};

use crate::support;

#[test]
fn decisions_and_status_are_the_expected_ones() {
    run_all(&support::conformance("enforce.jsonl"));
}

/// The reference had made the first steps of these lines when it saved the state they hold.
#[test]
fn a_run_that_the_reference_saved_goes_on() {
    let path = support::root().join("tests/fixtures/reference-states.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<_> = (1..).zip(lines).collect();
    assert_eq!(lines.len(), 64);
    run_all(&lines);
}

fn run_all(lines: &[(usize, Json)]) {
    let mut failures = Vec::new();
    for (number, line) in lines {
        if let Err(message) = run(line) {
            failures.push(format!("line {number}: {message}"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} fail\n{}",
        failures.len(),
        lines.len(),
        failures[..failures.len().min(10)].join("\n")
    );
}

fn run(line: &Json) -> Result<(), String> {
    let mut enforcer = builder(line).build().unwrap();
    if let Some(state) = line.get("state") {
        enforcer.restore(state).map_err(|error| error.to_string())?;
    }
    for (index, step) in line["steps"].as_array().unwrap().iter().enumerate() {
        let decision = match step["op"].as_str().unwrap() {
            "check" => {
                let call = call(&step["tool"], &step["args"]);
                let mut proposal = Proposal::new(&call);
                if let Some(key) = generation(step) {
                    proposal = proposal.generation(key);
                }
                let decision = enforcer.check(proposal);
                record(&mut enforcer, step, &decision, [call]);
                Some(decision)
            }
            "check_chain" => {
                let calls: Vec<_> = step["calls"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|pair| call(&pair[0], &pair[1]))
                    .collect();
                let mut chain = Chain::new(&calls);
                if let Some(key) = generation(step) {
                    chain = chain.generation(key);
                }
                let decision = enforcer.check_chain(chain);
                record(&mut enforcer, step, &decision, calls);
                Some(decision)
            }
            "check_termination" => Some(enforcer.check_termination()),
            "save_and_load" => {
                let text = enforcer.to_state().to_string();
                enforcer = builder(line).build().unwrap();
                enforcer
                    .restore(&serde_json::from_str(&text).unwrap())
                    .unwrap();
                None
            }
            "reset_termination_nudges" => {
                enforcer.reset_termination_nudges();
                None
            }
            "resume" => {
                enforcer.resume();
                None
            }
            other => panic!("unknown operation {other}"),
        };
        if let Some(decision) = decision {
            same(&format!("step {index}"), &facts(&decision), &step["expect"])?;
        }
    }
    same("status", &status(&enforcer), &line["status"])
}

fn builder(line: &Json) -> EnforcerBuilder {
    let constraints = line["constraints"].as_array().unwrap().iter().map(|json| {
        let text = |key: &str| json[key].as_str().unwrap();
        let mut constraint =
            Constraint::new(text("name"), Formula::parse(text("formula")).unwrap())
                .with_severity(text("severity").parse().unwrap())
                .with_repair(text("repair"));
        if json["applies_to_final_answer"] == true {
            constraint = constraint.on_final_answer();
        }
        constraint
    });
    let settings = &line["settings"];
    let number = |key: &str| settings[key].as_u64();
    let mut builder = Enforcer::builder(Policy::new(constraints).unwrap())
        .max_soft_attempts(number("max_soft_attempts").unwrap())
        .soft_block_mode(
            settings["soft_block_mode"]
                .as_str()
                .unwrap()
                .parse()
                .unwrap(),
        )
        .escalate_to(settings["escalate_to"].as_str().unwrap().parse().unwrap())
        .latch_stop(settings["latch_stop"].as_bool().unwrap())
        .nudge_max(usize::try_from(number("nudge_max").unwrap()).unwrap())
        .max_termination_nudges(number("max_termination_nudges").unwrap());
    if let Some(attempts) = number("max_consecutive_soft_attempts") {
        builder = builder.max_consecutive_soft_attempts(attempts);
    }
    builder
}

fn call(tool: &Json, args: &Json) -> ToolCall {
    let mut call = ToolCall::new(tool.as_str().unwrap());
    call.arguments = args.as_object().unwrap().clone();
    call
}

fn generation(step: &Json) -> Option<Generation> {
    match step.get("generation")? {
        Json::Null => None,
        Json::String(key) => Some(key.as_str().into()),
        key => Some(key.as_i64().unwrap().into()),
    }
}

/// After an allowed check the calls ran.
fn record(
    enforcer: &mut Enforcer,
    step: &Json,
    decision: &Decision,
    calls: impl IntoIterator<Item = ToolCall>,
) {
    if decision.allowed() {
        for call in calls {
            enforcer.record_completed(call, step["result"].clone(), step["status"].as_i64());
        }
    }
}

fn facts(decision: &Decision) -> Json {
    let names = |violations: &[Violation]| -> Vec<String> {
        violations
            .iter()
            .map(|violation| violation.constraint_name.clone())
            .collect()
    };
    // What is serialised is what is compared, but for the violations, which are named only.
    let mut json = serde_json::to_value(decision).unwrap();
    json["violations"] = json!(names(&decision.violations));
    json["notes"] = json!(names(&decision.notes));
    json["uncertain"] = json!(
        decision
            .violation()
            .is_some_and(|violation| violation.uncertain)
    );
    json
}

fn status(enforcer: &Enforcer) -> Json {
    let mut json = serde_json::to_value(enforcer.status()).unwrap();
    let pick = |json: &Json, keys: &[&str]| -> Json {
        let entries = json.as_array().unwrap().iter();
        entries
            .map(|entry| keys.iter().map(|key| entry[key].clone()).collect::<Json>())
            .collect()
    };
    let violations = ["constraint_name", "severity", "step_number", "tool_name"];
    let blocked = ["constraint_name", "step", "mode", "overridden_next_step"];
    let overrides = ["constraint_name", "step", "blocked_at_step"];
    json["violations"] = pick(&json["violations"], &violations);
    json["soft_blocked_calls"] = pick(&json["soft_blocked_calls"], &blocked);
    json["block_and_warn_overrides"] = pick(&json["block_and_warn_overrides"], &overrides);
    json["trace"] = json["completed_trace"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["tool_name"].clone())
        .collect();
    json
}

/// Every field that is expected is there and equal.
fn same(what: &str, found: &Json, expected: &Json) -> Result<(), String> {
    for (key, expected) in expected.as_object().unwrap() {
        let found = found.get(key).unwrap_or(&Json::Null);
        if found != expected {
            return Err(format!("{what}: {key} is {found}, not {expected}"));
        }
    }
    Ok(())
}
