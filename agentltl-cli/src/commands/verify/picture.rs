//! What the HTML report shows of a run: the verdict of each rule after each call, and what an
//! enforcer would have said.

use agentltl::testing::Transcript;
use agentltl::{Decision, Policy, Run, ToolCall};
use serde::Serialize;

/// How much of a value is shown: a page of many runs has to stay one a browser can open.
const CLIP: usize = 600;

#[derive(Serialize)]
pub(crate) struct Picture {
    calls: Vec<Call>,
    /// For each rule, the verdict after each call.
    verdicts: Vec<Vec<String>>,
    /// Why the agent was not to finish; empty where it may.
    end: String,
}

#[derive(Serialize)]
struct Call {
    tool: String,
    arguments: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    feedback: String,
    /// What is wrong, rule by rule, with the places where it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    violations: Vec<Shown>,
}

#[derive(Serialize)]
struct Shown {
    rule: String,
    detail: String,
    witnesses: serde_json::Value,
}

impl Picture {
    pub(crate) fn of(policy: &Policy, calls: &[ToolCall]) -> Self {
        let prefixes: Vec<Run<'_>> = (1..=calls.len()).map(|n| Run::new(&calls[..n])).collect();
        let verdicts = policy
            .constraints()
            .iter()
            .map(|rule| {
                let verdict = |run: &Run<'_>| match run.verdict(rule.formula()) {
                    Ok(verdict) => verdict.as_str().to_owned(),
                    Err(_) => "ERROR".to_owned(),
                };
                prefixes.iter().map(verdict).collect()
            })
            .collect();
        // A policy that cannot be enforced (strict, with a mismatch) was refused when it was read.
        let (steps, end) = match Transcript::of(policy, calls) {
            Ok(transcript) => (transcript.steps, transcript.end.feedback),
            Err(_) => (Vec::new(), String::new()),
        };
        Picture {
            calls: steps
                .iter()
                .map(|step| Call::of(&step.call, &step.decision))
                .collect(),
            verdicts,
            end,
        }
    }
}

impl Call {
    fn of(call: &ToolCall, decision: &Decision) -> Self {
        let arguments: Vec<String> = call
            .arguments
            .iter()
            .map(|(key, value)| format!("{key} = {value}"))
            .collect();
        Call {
            tool: call.tool_name.clone(),
            arguments: clip(&arguments.join("\n")),
            result: call.result.as_ref().map(|result| match result.as_str() {
                Some(text) => clip(text),
                None => clip(&result.to_string()),
            }),
            action: decision.action.as_str(),
            by: decision.constraint_name().map(str::to_owned),
            feedback: decision.feedback.clone(),
            violations: decision
                .violations
                .iter()
                .chain(&decision.notes)
                .map(|violation| Shown {
                    rule: violation.constraint_name.clone(),
                    detail: violation.detail.clone(),
                    witnesses: serde_json::to_value(violation)
                        .ok()
                        .and_then(|mut json| json.get_mut("witnesses").map(serde_json::Value::take))
                        .unwrap_or_default(),
                })
                .collect(),
        }
    }
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(CLIP) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
