//! A rig agent under rules, over real HTTP against a scripted server.
#![allow(clippy::unwrap_used, clippy::panic, dead_code, unreachable_pub)]

#[path = "../../agentltl-agent/tests/support/server.rs"]
mod server;

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use agentltl::build::*;
use agentltl::{
    Constraint, Enforcer, Formula, Policy, RunStatus, Severity, SharedEnforcer, verify,
};
use agentltl_rig::{Approval, ApprovalRequest, Guard};
use futures_util::StreamExt as _;
use rig::agent::tool::{Tool, ToolContext};
use rig::agent::{AgentBuilder, MultiTurnStreamItem};
use rig::providers::openai::OpenAIConfig;
use serde_json::{Map, Value as Json, json};
use server::{Line, Server, answer, calls};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

macro_rules! tools {
    ($($tool:ident $name:literal),*) => {$(
        struct $tool(Log);
        impl Tool for $tool {
            const NAME: &'static str = $name;
            type Args = Map<String, Json>;
            type Output = String;
            type Error = Infallible;
            fn description(&self) -> String {
                "A tool.".to_owned()
            }
            fn parameters(&self) -> Json {
                json!({"type": "object", "properties": {}})
            }
            async fn call(&self, _: &mut ToolContext, _: Self::Args) -> Result<String, Infallible> {
                self.0.0.lock().unwrap().push($name.to_owned());
                Ok(concat!($name, " ok").to_owned())
            }
        }
    )*};
}
tools!(Fetch "fetch", Save "save", Pay "pay");

struct Ran {
    answer: Result<String, String>,
    ran: Vec<String>,
    told: Vec<String>,
    requests: usize,
}

/// How the agent is run.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Plain,
    /// Calls of a completion run side by side.
    SideBySide,
    Streaming,
}

async fn run(guard: &Guard, script: Vec<Line>) -> Ran {
    run_so(guard, script, Way::Plain).await
}

async fn run_so(guard: &Guard, script: Vec<Line>, way: Way) -> Ran {
    let server = Server::start(script).await.unwrap();
    let log = Log::default();
    let model = OpenAIConfig::new("key")
        .with_base_url(&server.base_url)
        .client()
        .chat("scripted");
    let agent = AgentBuilder::new(model)
        .tool(Fetch(log.clone()))
        .tool(Save(log.clone()))
        .tool(Pay(log.clone()))
        .add_hook(guard.clone())
        .build();
    let prompt = agent.prompt("go").max_turns(8);
    let answer = match way {
        Way::Plain => prompt.await.map(|said| said.output().to_string()),
        Way::SideBySide => prompt
            .tool_concurrency(4)
            .await
            .map(|said| said.output().to_string()),
        Way::Streaming => {
            let items: Vec<_> = prompt.stream().collect().await;
            items
                .into_iter()
                .collect::<Result<Vec<_>, _>>()
                .map(|items| {
                    let said = items.iter().find_map(|item| match item {
                        MultiTurnStreamItem::FinalResponse(said) => Some(said.output().to_string()),
                        _ => None,
                    });
                    said.unwrap_or_default()
                })
        }
    };
    let asked = server.asked();
    let messages = asked.last().unwrap().body["messages"]
        .as_array()
        .unwrap()
        .clone();
    let told = messages
        .iter()
        .filter(|message| message["role"] == "tool" || message["role"] == "user");
    Ran {
        answer: answer.map_err(|error| error.to_string()),
        ran: log.0.lock().unwrap().clone(),
        told: told.map(|message| text(&message["content"])).collect(),
        requests: asked.len(),
    }
}

/// rig writes contents as text or as parts.
fn text(content: &Json) -> String {
    match content {
        Json::String(text) => text.clone(),
        Json::Array(parts) => parts
            .iter()
            .map(|part| part["text"].as_str().unwrap_or_default())
            .collect(),
        _ => String::new(),
    }
}

fn say(wanted: &[(&str, &str, &str)]) -> Line {
    Line::Say(calls(wanted))
}

fn done() -> Line {
    Line::Say(answer("done"))
}

fn policy(name: &'static str, formula: Formula, severity: Severity) -> Policy {
    Policy::new([Constraint::new(name, formula).with_severity(severity)]).unwrap()
}

#[tokio::test]
async fn a_refused_call_does_not_run_and_the_model_reads_why() {
    let policy = policy(
        "order",
        before(Fetch::NAME, Save::NAME),
        Severity::SoftBlock,
    );
    let guard = Guard::new(policy.clone()).unwrap();
    let script = vec![
        say(&[("1", "save", "{}")]),
        say(&[("2", "fetch", "{\"n\": 1}")]),
        say(&[("3", "save", "{}")]),
        done(),
    ];
    let run = run(&guard, script).await;
    assert_eq!(run.answer.as_deref(), Ok("done"));
    assert_eq!(run.ran, ["fetch", "save"]);
    assert!(
        run.told[1].contains("SOFT_BLOCK") && run.told[1].contains("order"),
        "{:?}",
        run.told
    );
    let last = guard.last_run().unwrap();
    assert_eq!(
        last.trace.tool_names().collect::<Vec<_>>(),
        ["fetch", "save"]
    );
    assert_eq!(last.trace[0].arguments["n"], 1);
    assert_eq!(
        (last.trace[0].result.clone(), last.trace[0].status),
        (Some(json!("fetch ok")), Some(0))
    );
    assert_eq!(verify(&policy, &last.trace).compliance_score, 1.0);
}

#[tokio::test]
async fn a_hard_stop_cancels_the_run() {
    let guard = Guard::new(policy("no", globally(!now("pay")), Severity::HardStop)).unwrap();
    let run = run(
        &guard,
        vec![
            say(&[
                ("1", "fetch", "{}"),
                ("2", "pay", "{}"),
                ("3", "save", "{}"),
            ]),
            done(),
        ],
    )
    .await;
    assert!(run.answer.unwrap_err().contains("HARD_STOP"));
    assert_eq!((run.ran, run.requests), (vec!["fetch".to_owned()], 1));
    let status = guard.last_run().unwrap().status;
    assert_eq!(
        (status.status, status.stopped_by.as_deref()),
        (RunStatus::Stopped, Some("no"))
    );
}

#[tokio::test]
async fn insisting_overrides_a_warning_in_the_next_generation_only() {
    let guard = Guard::new(policy(
        "warned",
        globally(!now("pay")),
        Severity::BlockAndWarn,
    ))
    .unwrap();
    let script = vec![
        say(&[("1", "pay", "{}"), ("2", "pay", "{}")]),
        say(&[("3", "pay", "{}")]),
        done(),
    ];
    let run = run(&guard, script).await;
    assert_eq!(run.answer.as_deref(), Ok("done"));
    assert_eq!(run.ran, ["pay"]);
}

#[tokio::test]
async fn a_human_decides_about_ask() {
    let asking = || Guard::new(policy("human", globally(!now("pay")), Severity::Ask)).unwrap();
    let script = || vec![say(&[("1", "pay", "{\"eur\": 5}")]), done()];
    let alone = run(&asking(), script()).await;
    assert!(
        alone.ran.is_empty() && alone.told[1].contains("Nobody is here"),
        "{:?}",
        alone.told
    );
    let yes = asking().with_approver(|request: ApprovalRequest| async move {
        assert_eq!(request.call.arguments["eur"], 5);
        Approval::Approved
    });
    assert_eq!(run(&yes, script()).await.ran, ["pay"]);
    let no = asking().with_approver(|_| async {
        Approval::Denied {
            reason: "no".into(),
        }
    });
    let denied = run(&no, script()).await;
    assert!(
        denied.ran.is_empty() && denied.told[1].ends_with("The human denied it: no"),
        "{:?}",
        denied.told
    );
}

#[tokio::test]
async fn a_model_that_finishes_too_early_is_sent_back() {
    let rules = Policy::new([Constraint::new("saved", called("save"))
        .on_final_answer()
        .with_severity(Severity::Tolerate)]);
    let guard =
        Guard::with_settings(Enforcer::builder(rules.unwrap()).max_termination_nudges(1)).unwrap();
    let run = run(&guard, vec![done(), say(&[("1", "save", "{}")]), done()]).await;
    assert_eq!(run.answer.as_deref(), Ok("done"));
    assert_eq!(run.ran, ["save"]);
    assert!(run.told[1].contains("saved"), "{:?}", run.told);
}

#[tokio::test]
async fn runs_have_a_trace_each_unless_they_share_one() {
    let once = || {
        policy(
            "once",
            called_n("pay", agentltl::Cmp::Le, 1),
            Severity::PersistentBlock,
        )
    };
    let script = || vec![say(&[("1", "pay", "{}")]), done()];
    let guard = Guard::new(once()).unwrap();
    assert_eq!(run(&guard, script()).await.ran, ["pay"]);
    assert_eq!(run(&guard, script()).await.ran, ["pay"]);
    let shared = SharedEnforcer::new(Enforcer::new(once()).unwrap());
    let guard = Guard::over(shared.clone());
    assert_eq!(run(&guard, script()).await.ran, ["pay"]);
    assert_eq!(run(&guard, script()).await.ran, [""; 0]);
    assert_eq!(shared.status().completed_trace.len(), 1);
}

/// A completion as the stream of events that a provider sends.
fn streamed(completion: &Json) -> Line {
    let message = &completion["choices"][0]["message"];
    let mut delta = message.clone();
    for (i, call) in (0..).zip(delta["tool_calls"].as_array_mut().into_iter().flatten()) {
        call["index"] = json!(i);
    }
    let event = |delta: Json, reason: Json| {
        let chunk = json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "scripted",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        });
        format!("data: {chunk}\n\n")
    };
    let end = &completion["choices"][0]["finish_reason"];
    Line::Bytes(
        format!(
            "HTTP/1.1 200 Scripted\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
             {}{}data: [DONE]\n\n",
            event(delta, Json::Null),
            event(json!({}), end.clone()),
        )
        .into_bytes(),
    )
}

#[tokio::test]
async fn calls_that_run_side_by_side_do_not_slip_past_a_limit() {
    let once = policy(
        "once",
        called_n(Pay::NAME, agentltl::Cmp::Le, 1),
        Severity::PersistentBlock,
    );
    let ids = ["1", "2", "3", "4", "5"];
    let wanted = ids.map(|id| (id, "pay", "{}"));
    let guard = Guard::new(once).unwrap();
    let run = run_so(&guard, vec![say(&wanted), done()], Way::SideBySide).await;
    assert_eq!(run.answer.as_deref(), Ok("done"));
    assert_eq!(run.ran, ["pay"]);
    let refused = run.told.iter().filter(|text| text.contains("once")).count();
    assert_eq!(refused, 4, "{:?}", run.told);
    let last = guard.last_run().unwrap();
    assert_eq!(last.trace.tool_names().collect::<Vec<_>>(), ["pay"]);
}

#[tokio::test]
async fn a_streamed_run_is_judged_alike() {
    let order = || {
        policy(
            "order",
            before(Fetch::NAME, Save::NAME),
            Severity::SoftBlock,
        )
    };
    let wanted = [
        calls(&[("1", "save", "{}")]),
        calls(&[("2", "fetch", "{}")]),
        calls(&[("3", "save", "{}")]),
        answer("done"),
    ];
    let (plain, streaming) = (Guard::new(order()).unwrap(), Guard::new(order()).unwrap());
    let script = wanted.iter().cloned().map(Line::Say).collect();
    let expected = run_so(&plain, script, Way::Plain).await;
    let script = wanted.iter().map(streamed).collect();
    let got = run_so(&streaming, script, Way::Streaming).await;
    assert_eq!(expected.ran, ["fetch", "save"]);
    assert_eq!(
        (got.answer, got.ran, got.told, got.requests),
        (
            expected.answer,
            expected.ran,
            expected.told,
            expected.requests
        )
    );
    let traces = [plain, streaming].map(|guard| {
        let mut trace = guard.last_run().unwrap().trace;
        // It has the number of the run in it.
        for call in trace.calls_mut() {
            call.generation = None;
        }
        trace
    });
    assert_eq!(traces[0], traces[1]);

    // A stop ends the stream.
    let guard = Guard::new(policy("no", globally(!now("pay")), Severity::HardStop)).unwrap();
    let script = [calls(&[("1", "pay", "{}")]), answer("done")];
    let run = run_so(
        &guard,
        script.iter().map(streamed).collect(),
        Way::Streaming,
    )
    .await;
    assert!(run.answer.unwrap_err().contains("HARD_STOP"));
    assert_eq!((run.ran.len(), run.requests), (0, 1));
}
