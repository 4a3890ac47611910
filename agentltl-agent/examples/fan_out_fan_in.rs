//! Three sources, asked at once, and a report that needs all of them.
#![allow(clippy::print_stdout, unreachable_pub)]

mod support;

use std::convert::Infallible;
use std::time::Duration;

use agentltl::{Constraint, Policy, Severity, build::*};
use agentltl_agent::{DynTool, NoArguments, tool_fn};
use serde_json::json;
use support::{answer, calls};

fn source(name: &'static str, records: u32) -> impl DynTool {
    tool_fn(
        name,
        "Fetches the records of one source.",
        move |_: NoArguments| async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok::<_, Infallible>(json!({"records": records}))
        },
    )
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sources = ["fetch_users", "fetch_orders", "fetch_inventory"];
    let policy =
        Policy::new([
            Constraint::new("all-sources", all_before(sources, "generate_report"))
                .with_severity(Severity::SoftBlock)
                .with_repair("Fetch users, orders and inventory first."),
        ])?;
    let agent = support::agent([
        calls([("fetch_users", json!({})), ("fetch_orders", json!({}))]),
        calls([("generate_report", json!({}))]),
        calls([("fetch_inventory", json!({}))]),
        calls([("generate_report", json!({}))]),
        answer("The report covers users, orders and inventory."),
    ])?
    .tool(source("fetch_users", 12))
    .tool(source("fetch_orders", 340))
    .tool(source("fetch_inventory", 56))
    .tool(tool_fn(
        "generate_report",
        "Writes the report.",
        async |_: NoArguments| Ok::<_, Infallible>("report.pdf"),
    ))
    .policy(policy.clone())
    .build()?;
    let result = agent
        .run("Write the report on users, orders and inventory.")
        .await;
    support::report(&result, &policy);
    Ok(())
}
