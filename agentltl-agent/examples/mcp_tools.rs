//! Tools of an MCP server beside local ones. The server is the example `mcp_server`; build it first:
//! `cargo build -p agentltl-agent --example mcp_server`.
#![allow(clippy::print_stdout, unreachable_pub)]

mod support;

use std::convert::Infallible;

use agentltl::{Cmp, Constraint, Policy, Severity, build::*};
use agentltl_agent::{McpServer, McpServers, NoArguments, tool_fn};
use serde_json::json;
use support::{answer, calls};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = std::env::current_exe()?.with_file_name("mcp_server");
    let servers = McpServers::connect([McpServer::stdio("notes", program)]).await;
    for failure in servers.failures() {
        println!("{failure}");
    }
    let policy = Policy::new([
        Constraint::new("read-first", before("read_note", "write_note"))
            .with_severity(Severity::SoftBlock)
            .with_repair("Read the note before you write it."),
        Constraint::new("one-write", called_n("write_note", Cmp::Le, 1))
            .with_severity(Severity::PersistentBlock),
    ])?;
    let note = || json!({"note": "todo", "text": "buy oat milk"});
    let agent = support::agent([
        calls([("write_note", note())]),
        calls([("read_note", json!({"note": "todo"})), ("today", json!({}))]),
        calls([("write_note", note())]),
        calls([("write_note", note())]),
        answer("The note says oat milk now."),
    ])?
    .mcp(&servers)
    .tool(tool_fn(
        "today",
        "What day it is.",
        async |_: NoArguments| Ok::<_, Infallible>("Tuesday"),
    ))
    .policy(policy.clone())
    .build()?;
    let result = agent
        .run("Change the note `todo` so that it says oat milk.")
        .await;
    support::report(&result, &policy);
    servers.shutdown().await;
    Ok(())
}
