//! Tools of MCP servers, over real stdio and real streamable HTTP.
#![cfg(feature = "mcp")]
#![allow(clippy::unwrap_used, clippy::panic, unreachable_pub)]

#[path = "../examples/support/notes.rs"]
mod notes;
mod support;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agentltl::build::{globally, now};
use agentltl::{Constraint, Policy, Severity};
use agentltl_agent::*;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use support::*;

/// The example `mcp_server`, which cargo builds beside the tests.
fn notes_program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/mcp_server");
    assert!(
        path.exists(),
        "{path:?}: run `cargo build -p agentltl-agent --example mcp_server`"
    );
    path
}

fn local(name: &str) -> McpServer {
    McpServer::stdio(name, notes_program()).arg(name)
}

/// A server behind HTTP that wants a token; its URL, and the tokens it was shown.
async fn remote(name: &'static str) -> (String, Arc<Mutex<Vec<String>>>) {
    let notes = notes::Notes::new(name);
    let service = StreamableHttpService::new(
        move || Ok(notes.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let shown = Arc::new(Mutex::new(Vec::new()));
    let tokens = Arc::clone(&shown);
    let check = from_fn(move |request: Request, next: Next| {
        let token = request
            .headers()
            .get("x-token")
            .and_then(|token| token.to_str().ok());
        let token = token.unwrap_or_default().to_owned();
        let wrong = token != "s3cret";
        tokens.lock().unwrap().push(token);
        async move {
            if wrong {
                return axum::response::IntoResponse::into_response(
                    axum::http::StatusCode::FORBIDDEN,
                );
            }
            next.run(request).await
        }
    });
    let router = axum::Router::new()
        .nest_service("/mcp", service)
        .layer(check);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, shown)
}

fn say(wanted: &[(&str, &str, &str)]) -> Line {
    Line::Say(calls(wanted))
}

#[tokio::test]
async fn local_and_remote_tools_side_by_side() {
    let (url, shown) = remote("remote").await;
    let servers = McpServers::connect([
        local("local"),
        McpServer::http("remote", url).header("x-token", "s3cret"),
    ])
    .await;
    assert!(servers.failures().is_empty(), "{:?}", servers.failures());
    assert_eq!(servers.names().collect::<Vec<_>>(), ["local", "remote"]);

    let (server, builder) = scripted(vec![
        say(&[
            ("1", "local_read_note", r#"{"note": "todo"}"#),
            ("2", "remote_read_note", r#"{"note": "gone"}"#),
        ]),
        say(&[(
            "3",
            "remote_write_note",
            r#"{"note": "gone", "text": "back"}"#,
        )]),
        say(&[
            ("4", "remote_read_note", r#"{"note": "gone"}"#),
            ("5", "remote_count_notes", "{}"),
        ]),
        say(&[("6", "local_write_note", r#"{"note": "todo", "text": ""}"#)]),
        say(&[
            ("7", "greet", "{}"),
            ("8", "local_write_note", r#"{"nte": 1}"#),
        ]),
        Line::Say(answer("done")),
    ])
    .await;
    let policy = Policy::new([
        Constraint::new("read-only", globally(!now("local_write_note")))
            .with_severity(Severity::PersistentBlock),
    ])
    .unwrap();
    let greet = tool_fn("greet", "", async |_: NoArguments| {
        Ok::<_, std::convert::Infallible>("hello")
    });
    let builder = builder.tool(greet).mcp(&servers).policy(policy);
    assert!(matches!(
        builder.clone().build(),
        Err(AgentError::Tools(ToolNameError::Clash { .. }))
    ));
    let agent = builder.name_clash(NameClash::Prefix).build().unwrap();
    let result = agent.run("go").await;
    assert_eq!(result.answer.as_deref(), Some("done"), "{:?}", result.error);
    let told = told(&server);
    let said: Vec<&str> = told.iter().map(|(_, said)| &**said).collect();
    assert_eq!(said[0], "buy milk");
    assert_eq!(said[1], "ERROR: remote has no note 'gone'");
    assert_eq!(said[2], "2 notes");
    assert_eq!(said[3], "back");
    assert_eq!(said[4], r#"{"notes":2,"of":"remote"}"#);
    assert!(said[5].contains("read-only"));
    assert_eq!(said[6], "hello");
    assert!(said[7].contains("read-only"));
    assert_eq!(
        result.metrics.tool_calls[4].result,
        Some(json!({"notes": 2, "of": "remote"}))
    );
    assert_eq!(result.metrics.num_tool_calls, 6);
    assert!(shown.lock().unwrap().iter().all(|token| token == "s3cret"));
    // The server's own schema reaches the model.
    let tools = server.asked()[0].body["tools"].clone();
    let read = tools
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["function"]["name"] == "local_read_note")
        .unwrap();
    assert_eq!(read["function"]["parameters"]["required"], json!(["note"]));
    servers.shutdown().await;
}

#[tokio::test]
async fn a_server_that_does_not_start_is_reported_while_the_others_serve() {
    let (url, _) = remote("remote").await;
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nowhere = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/mcp", listener.local_addr().unwrap())
    };
    let started = Instant::now();
    let servers = McpServers::connect([
        McpServer::stdio("missing", "no-such-program-anywhere"),
        McpServer::stdio("broken", "sh").args(["-c", "echo no disk >&2; exit 3"]),
        McpServer::http("nowhere", nowhere),
        McpServer::http("forbidden", &url),
        McpServer::http("no-url", "not a url"),
        McpServer::http("bad-header", &url).header("a b", "c"),
        McpServer::http(
            "silent",
            format!("http://{}/mcp", silent.local_addr().unwrap()),
        )
        .timeout(Duration::from_millis(300)),
        local("good"),
        local("good"),
    ])
    .await;
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(servers.names().collect::<Vec<_>>(), ["good"]);
    assert_eq!(servers.tools().count(), 4);
    let failure = |name: &str| {
        let mut failures = servers
            .failures()
            .iter()
            .filter(|failure| failure.server == name);
        failures
            .next()
            .unwrap_or_else(|| panic!("{name} did not fail"))
            .to_string()
    };
    assert!(failure("missing").contains("cannot be started"));
    assert!(
        failure("broken").contains("it said: no disk"),
        "{}",
        failure("broken")
    );
    assert!(
        failure("nowhere").contains("error sending request"),
        "{}",
        failure("nowhere")
    );
    assert!(
        failure("forbidden").contains("403"),
        "{}",
        failure("forbidden")
    );
    assert!(failure("no-url").contains("not a url"));
    assert!(failure("bad-header").contains("\"a b\""));
    assert!(failure("silent").contains("no answer within 300ms"));
    assert!(failure("good").contains("another server has that name"));
    servers.shutdown().await;
}

#[tokio::test]
async fn shutdown_ends_the_programs_and_later_calls_never_ran() {
    let script = r#"echo $$ > "$0"; exec "$1" files"#;
    let pid_file = std::env::temp_dir().join(format!("agentltl-mcp-{}", std::process::id()));
    let server = McpServer::stdio("files", "sh")
        .args(["-c", script])
        .arg(&pid_file)
        .arg(notes_program());
    let servers = McpServers::connect([server]).await;
    assert!(servers.failures().is_empty(), "{:?}", servers.failures());
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    std::fs::remove_file(&pid_file).unwrap();
    let process = PathBuf::from(format!("/proc/{}", pid.trim()));
    let is_linux = cfg!(target_os = "linux");
    assert!(!is_linux || process.exists());
    let (server, builder) = scripted(vec![
        say(&[("1", "sleep", "{}"), ("2", "count_notes", "{}")]),
        Line::Say(answer("done")),
        say(&[("3", "count_notes", "{}")]),
        Line::Say(answer("gone")),
    ])
    .await;
    let agent = builder
        .mcp(&servers)
        .tool_timeout(Duration::from_millis(300))
        .build()
        .unwrap();
    let mut conversation = agent.conversation();
    let result = conversation.turn("go").await;
    assert_eq!(ran(&result), ["sleep", "count_notes"]);
    assert!(told(&server)[0].1.contains("no result within 300ms"));
    assert_eq!(told(&server)[1].1, r#"{"notes":1,"of":"files"}"#);

    servers.shutdown().await;
    assert!(!is_linux || !process.exists());
    let result = conversation.turn("again").await;
    assert_eq!(result.answer.as_deref(), Some("gone"));
    assert_eq!(ran(&result), [""; 0]);
    assert!(
        told(&server)[2].1.contains("not there any more"),
        "{}",
        told(&server)[2].1
    );
}
