//! What ran, what was fed back and the final status equal what the reference's native agent does
//! with the same script. `reference/native_agent.py` obtained the expected values.
#![allow(clippy::unwrap_used, clippy::panic, unreachable_pub)]

mod support;

use std::collections::BTreeMap;

use agentltl::{Constraint, Enforcer, Formula, Policy, Severity, SoftBlockMode};
use agentltl_agent::*;
use serde_json::{Map, Value as Json, json};
use support::{Server, server};

const TOOLS: [&str; 8] = [
    "fetch", "save", "drop", "pay", "deploy", "login", "test", "broken",
];

fn constraint(rule: &Json) -> Constraint {
    let text = |key: &str| rule[key].as_str().unwrap_or_default().to_owned();
    let formula: Formula = text("formula").parse().unwrap();
    let severity: Severity = text("severity").parse().unwrap();
    let rule_made = Constraint::new(text("name"), formula)
        .with_severity(severity)
        .with_repair(text("repair"));
    if rule["final"] == true {
        rule_made.on_final_answer()
    } else {
        rule_made
    }
}

async fn run(scenario: &Json) -> Json {
    let server = Server::start(server::script(&scenario["script"]))
        .await
        .unwrap();
    let policy = Policy::new(scenario["rules"].as_array().unwrap().iter().map(constraint)).unwrap();
    let mut enforcer = Enforcer::builder(policy).render(|decision, _| {
        let names: Vec<&str> = decision
            .violations
            .iter()
            .map(|v| &*v.constraint_name)
            .collect();
        format!("REFUSED: {} {}", decision.action, names.join(", "))
    });
    let mut builder = Agent::builder()
        .model(support::model(&server.base_url))
        .system_prompt("Be good.");
    for (setting, value) in scenario["settings"].as_object().into_iter().flatten() {
        let number = || value.as_u64().unwrap();
        match setting.as_str() {
            "max_steps" => builder = builder.max_steps(number()),
            "max_blocked_steps" => builder = builder.max_blocked_steps(number()),
            "max_soft_attempts" => enforcer = enforcer.max_soft_attempts(number()),
            "max_consecutive_soft_attempts" => {
                enforcer = enforcer.max_consecutive_soft_attempts(number())
            }
            "max_termination_nudges" => enforcer = enforcer.max_termination_nudges(number()),
            "nudge_max" => enforcer = enforcer.nudge_max(usize::try_from(number()).unwrap()),
            "soft_block_mode" => {
                let mode: SoftBlockMode = value.as_str().unwrap().parse().unwrap();
                enforcer = enforcer.soft_block_mode(mode);
            }
            other => panic!("{other}"),
        }
    }
    for name in TOOLS {
        builder = builder.tool(tool_fn(
            name,
            name,
            move |_: Map<String, Json>| async move {
                if name == "broken" {
                    Err("ValueError: out of order")
                } else {
                    Ok(format!("{name} ok"))
                }
            },
        ));
    }
    let agent = builder.enforcer(enforcer).build().unwrap();
    let turns: Vec<String> = match scenario["turns"].as_array() {
        Some(turns) => turns
            .iter()
            .map(|turn| turn.as_str().unwrap().to_owned())
            .collect(),
        None => vec!["go".to_owned()],
    };
    let result = agent.run_turns(turns.clone()).await;
    let per_turn = serde_json::to_value(&result.per_turn).unwrap();
    let metrics = serde_json::to_value(&result.metrics).unwrap();
    let asked = server.asked();
    let told: Vec<Json> = asked.last().unwrap().body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| neutral(message, &turns))
        .collect();
    json!({
        "answers": result.answers,
        "errors": per_turn.as_array().unwrap().iter().map(|turn| {
            pick(&turn["error"], &["violation_type", "constraint_name", "tool_name"])
        }).collect::<Vec<_>>(),
        "tool_calls": pick_all(&metrics["tool_calls"], &["step", "turn", "tool_name", "arguments", "id", "tool_result"]),
        "steps": metrics["steps"],
        "run_status": metrics["run_status"],
        "stopped_by_constraint": metrics["stopped_by_constraint"],
        "violations": pick_all(&metrics["constraint_violations"], &["constraint_name", "severity", "step_number", "tool_name"]),
        "traced": metrics["completed_trace"].as_array().unwrap().iter().map(|call| &call["tool_name"]).collect::<Vec<_>>(),
        "num_steps": metrics["num_steps"],
        "num_tool_calls": metrics["num_tool_calls"],
        "tokens": [metrics["input_tokens"], metrics["output_tokens"], metrics["total_tokens"]],
        "constraint_checks": metrics["constraint_checks"],
        "blocked_steps": metrics["blocked_steps"],
        "blocked_steps_exhausted": metrics["blocked_steps_exhausted"],
        "requests": asked.len(),
        "told": told,
    })
}

fn pick(from: &Json, keys: &[&str]) -> Json {
    match from {
        Json::Object(fields) => {
            let picked = keys.iter().map(|key| {
                (
                    (*key).to_owned(),
                    fields.get(*key).cloned().unwrap_or_default(),
                )
            });
            Json::Object(picked.collect())
        }
        other => other.clone(),
    }
}

fn pick_all(from: &Json, keys: &[&str]) -> Json {
    from.as_array()
        .unwrap()
        .iter()
        .map(|item| pick(item, keys))
        .collect()
}

/// A message without the wording that each library has of its own.
fn neutral(message: &Json, turns: &[String]) -> Json {
    let mut message = message.clone();
    let content = message["content"].as_str().unwrap_or_default().to_owned();
    if message["role"] == "user" && !turns.contains(&content) {
        message["content"] = json!("SENT BACK");
    }
    if let Some(refusal) = content.strip_suffix("\nNobody is here to approve it.") {
        message["content"] = json!(refusal);
    }
    message
}

#[tokio::test]
async fn every_scenario_goes_as_in_the_reference() {
    let scenarios: Vec<Json> =
        serde_json::from_str(include_str!("reference/scenarios.json")).unwrap();
    let expected: BTreeMap<String, Json> =
        serde_json::from_str(include_str!("reference/expected.json")).unwrap();
    assert_eq!(scenarios.len(), expected.len());
    let mut differences = Vec::new();
    for scenario in &scenarios {
        let name = scenario["name"].as_str().unwrap();
        let (got, expected) = (run(scenario).await, &expected[name]);
        for (key, expected) in expected.as_object().unwrap() {
            if &got[key] != expected {
                differences.push(format!(
                    "{name}: {key}\n  here:      {}\n  reference: {expected}",
                    got[key]
                ));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
