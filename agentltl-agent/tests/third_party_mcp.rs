//! A third party's MCP server under rules: "write only what was read, never outside, at most three
//! writes". The forbidden write does not touch the disk.
//!
//! It runs where the environment names the server: MCP_FILESYSTEM is the script of
//! `@modelcontextprotocol/server-filesystem`, run with node. `tests/third_party_mcp.sh` installs it.
#![cfg(feature = "mcp")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    unreachable_pub
)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use agentltl::build::*;
use agentltl::{Cmp, Constraint, Formula, Match, Policy, Severity, ToolCall, matches_pattern};
use agentltl_agent::*;
use serde_json::json;
use support::*;

/// Would the call write outside the folder, as far as its path tells?
fn writes_outside(folder: PathBuf) -> impl Fn(&ToolCall) -> Match + Send + Sync {
    move |call| {
        let path = call
            .arguments
            .get("path")
            .and_then(|path| path.as_str())
            .map(Path::new);
        let inside = path.is_some_and(|path| {
            let steps_up = path
                .components()
                .any(|part| part == std::path::Component::ParentDir);
            path.starts_with(&folder) && !steps_up
        });
        Match::from(call.tool_name == "write_file" && !inside)
    }
}

fn policy(folder: &Path) -> Policy {
    let only_what_was_read: Formula = r#"forall p in args("write_file", "path"):
        G(matches("write_file", path=?p) -> O(matches("read_text_file", path=?p)))"#
        .parse()
        .unwrap();
    let outside = matches_pattern("writes_outside", writes_outside(folder.to_owned()), true);
    Policy::new(
        [
            Constraint::new("only-what-was-read", only_what_was_read),
            Constraint::new("never-outside", globally(!outside)),
            Constraint::new("three-writes", called_n("write_file", Cmp::Le, 3)),
        ]
        .map(|rule| rule.with_severity(Severity::PersistentBlock)),
    )
    .unwrap()
}

#[tokio::test]
async fn forbidden_writes_do_not_touch_the_disk() {
    let Some(script) = std::env::var_os("MCP_FILESYSTEM") else {
        eprintln!("skipped: MCP_FILESYSTEM does not name the server");
        return;
    };
    let base = std::env::temp_dir().join(format!("agentltl-files-{}", std::process::id()));
    fs::create_dir_all(base.join("inside")).unwrap();
    // What the server calls the folder: without symbolic links.
    let base = base.canonicalize().unwrap();
    let (inside, outside) = (base.join("inside"), base.join("outside.txt"));
    for (file, text) in [("a.txt", "one"), ("b.txt", "two")] {
        fs::write(inside.join(file), text).unwrap();
    }
    fs::write(&outside, "secret").unwrap();

    // The server itself may write everywhere below; the rules may not.
    let servers =
        McpServers::connect([McpServer::stdio("files", "node").arg(script).arg(&base)]).await;
    assert!(servers.failures().is_empty(), "{:?}", servers.failures());
    let policy = policy(&inside);
    policy.check_strict().unwrap();

    let read = |file: &Path| ToolCallRequest::new("read_text_file", json!({"path": file}));
    let write = |file: &Path, content: &str| {
        ToolCallRequest::new("write_file", json!({"path": file, "content": content}))
    };
    let (a, b, new) = (
        inside.join("a.txt"),
        inside.join("b.txt"),
        inside.join("new.txt"),
    );
    let sneaky = inside.join("../outside.txt");
    let model = ScriptedModel::new([
        Completion::calls([write(&a, "blind")]),
        Completion::calls([read(&a), read(&outside)]),
        Completion::calls([
            write(&a, "1"),
            write(&b, "blind"),
            write(&outside, "overwritten"),
        ]),
        Completion::calls([read(&sneaky)]),
        Completion::calls([write(&sneaky, "overwritten"), write(&new, "new")]),
        Completion::calls([write(&a, "2")]),
        Completion::calls([write(&a, "3")]),
        Completion::calls([write(&a, "4")]),
        Completion::answer("done"),
    ]);
    let agent = Agent::builder()
        .model(model)
        .mcp(&servers)
        .policy(policy.clone());
    let agent = agent.known_tools_only(true).build().unwrap();
    let result = agent.run("edit the files").await;
    servers.shutdown().await;

    assert_eq!(result.answer.as_deref(), Some("done"), "{:?}", result.error);
    assert_eq!(
        ran(&result),
        [
            "read_text_file",
            "read_text_file",
            "write_file",
            "read_text_file",
            "write_file",
            "write_file"
        ]
    );
    let on_disk = |file: &Path| fs::read_to_string(file).unwrap();
    assert_eq!(on_disk(&a), "3");
    assert_eq!(on_disk(&b), "two");
    assert_eq!(on_disk(&outside), "secret");
    assert!(!new.exists());
    assert_eq!(
        agentltl::verify(&policy, &result.metrics.tool_calls).compliance_score,
        1.0
    );
    fs::remove_dir_all(base).unwrap();
}
