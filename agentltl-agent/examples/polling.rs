//! A loop with an end: the result may be processed only after the last poll said READY, and nobody
//! polls more than five times.
#![allow(clippy::print_stdout, unreachable_pub)]

mod support;

use std::convert::Infallible;
use std::sync::atomic::{AtomicU32, Ordering};

use agentltl::{Cmp, Constraint, Policy, Severity, ToolCall, build::*, predicate};
use agentltl_agent::{NoArguments, tool_fn};
use serde_json::json;
use support::{answer, calls};

fn last_poll_was_ready(calls: &[ToolCall], _: usize) -> bool {
    let processed = calls
        .iter()
        .position(|call| call.tool_name == "process_result");
    let before = &calls[..processed.unwrap_or(calls.len())];
    let last = before.iter().rfind(|call| call.tool_name == "poll_status");
    processed.is_none() || last.is_some_and(|call| call.result == Some(json!("READY")))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = Policy::new([
        Constraint::new(
            "ready",
            predicate("last_poll_was_ready", Some(true), last_poll_was_ready),
        )
        .with_severity(Severity::PersistentBlock)
        .with_description("The result is processed after the last poll returned READY.")
        .with_repair("Call poll_status until it returns READY."),
        Constraint::new("patience", called_n("poll_status", Cmp::Le, 5))
            .with_severity(Severity::HardStop),
    ])?;
    let polls = AtomicU32::new(0);
    let poll = move |_: NoArguments| {
        let count = polls.fetch_add(1, Ordering::Relaxed);
        std::future::ready(Ok::<_, Infallible>(if count < 2 {
            "PENDING"
        } else {
            "READY"
        }))
    };
    let agent = support::agent([
        calls([("poll_status", json!({}))]),
        calls([("process_result", json!({}))]),
        calls([("poll_status", json!({}))]),
        calls([("poll_status", json!({}))]),
        calls([("process_result", json!({}))]),
        answer("The job was done at the third poll, and its result is processed."),
    ])?
    .tool(tool_fn(
        "poll_status",
        "Asks whether the job is done: PENDING or READY.",
        poll,
    ))
    .tool(tool_fn(
        "process_result",
        "Processes the job's result.",
        async |_: NoArguments| Ok::<_, Infallible>("processed"),
    ))
    .policy(policy.clone())
    .build()?;
    let result = agent.run("Wait for the job and process its result.").await;
    support::report(&result, &policy);
    Ok(())
}
