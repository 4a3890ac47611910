//! Three steps that have an order: the model begins with the wrong one, and is corrected.
#![allow(clippy::print_stdout, unreachable_pub)]

mod support;

use std::convert::Infallible;

use agentltl::{Policy, constraints};
use agentltl_agent::{NoArguments, tool_fn};
use serde_json::json;
use support::{answer, calls};

// Checked when this file is compiled.
static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    #![default_severity(SOFT_BLOCK)]
    #![tools("fetch_data", "process_data", "save_results")]

    #[weight(2.0)]
    #[repair("Call fetch_data first.")]
    fetch_first = before("fetch_data", "process_data");

    #[weight(2.0)]
    #[repair("Call process_data first.")]
    process_first = before("process_data", "save_results");

    save_once: PERSISTENT_BLOCK = called_n("save_results", <= 1);
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = support::agent([
        calls([("process_data", json!({}))]),
        calls([("fetch_data", json!({}))]),
        calls([("process_data", json!({}))]),
        calls([("save_results", json!({}))]),
        answer("120 records are processed and saved."),
    ])?
    .tool(tool_fn(
        "fetch_data",
        "Fetches the raw records.",
        async |_: NoArguments| Ok::<_, Infallible>("120 records"),
    ))
    .tool(tool_fn(
        "process_data",
        "Processes the fetched records.",
        async |_: NoArguments| Ok::<_, Infallible>("120 records processed"),
    ))
    .tool(tool_fn(
        "save_results",
        "Saves the processed records.",
        async |_: NoArguments| Ok::<_, Infallible>("saved"),
    ))
    .policy(POLICY.clone())
    .build()?;
    let result = agent.run("Process the data and save the results.").await;
    support::report(&result, &POLICY);
    Ok(())
}
