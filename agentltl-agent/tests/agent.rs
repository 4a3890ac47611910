//! The loop, over real HTTP against a scripted server.
#![allow(clippy::unwrap_used, clippy::panic, unreachable_pub)]

mod support;

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agentltl::build::*;
use agentltl::{
    Args, Cmp, Constraint, Enforcer, Formula, Policy, RunStatus, Severity, Trace, verify,
};
use agentltl_agent::*;
use serde_json::{Map, Value as Json, json};
use support::*;
use tokio::sync::Barrier;

fn rule(name: &'static str, formula: Formula, severity: Severity) -> Constraint {
    Constraint::new(name, formula).with_severity(severity)
}

fn never(tool: &'static str) -> Formula {
    globally(!now(tool))
}

fn policy(rules: impl IntoIterator<Item = Constraint>) -> Policy {
    Policy::new(rules).unwrap()
}

fn say(wanted: &[(&str, &str, &str)]) -> Line {
    Line::Say(calls(wanted))
}

fn done() -> Line {
    Line::Say(answer("done"))
}

#[tokio::test]
async fn a_run_that_keeps_the_rules() {
    let policy = policy([Constraint::new("order", before("fetch", "save"))]);
    let (server, builder) = scripted(vec![
        say(&[("c1", "fetch", r#"{"n": 3}"#)]),
        say(&[("c2", "save", "")]),
        done(),
    ])
    .await;
    let log = Log::default();
    let builder = builder.tool(log.tool("fetch")).tool(log.tool("save"));
    let result = builder
        .policy(policy.clone())
        .build()
        .unwrap()
        .run("go")
        .await;
    assert_eq!(
        (result.answer.as_deref(), result.end),
        (Some("done"), RunEnd::Answered)
    );
    assert_eq!(ran(&result), ["fetch", "save"]);
    assert_eq!(told(&server)[1], ("c2".to_owned(), "save ok".to_owned()));
    let metrics = &result.metrics;
    assert_eq!(
        (
            metrics.num_steps,
            metrics.num_tool_calls,
            metrics.constraint_checks
        ),
        (3, 2, 2)
    );
    assert_eq!(
        (
            metrics.input_tokens,
            metrics.output_tokens,
            metrics.total_tokens
        ),
        (30, 15, 45)
    );
    assert_eq!(verify(&policy, &metrics.tool_calls).compliance_score, 1.0);

    // As JSON the metrics are the reference's, and read back as the same run.
    let json = serde_json::to_value(&result).unwrap();
    assert_eq!(json["error"], Json::Null);
    let metrics = &json["metrics"];
    assert_eq!(metrics["run_status"], "completed");
    assert_eq!(
        metrics["tool_calls"][0],
        json!({"step": 1, "turn": 0, "tool_name": "fetch", "arguments": {"n": 3}, "id": "c1",
               "tool_result": "fetch ok", "status": 0, "action_output": null})
    );
    assert_eq!(
        metrics["steps"][2],
        json!({"step_number": 3, "turn": 0, "type": "reasoning", "reasoning": "done"})
    );
    let trace = Trace::from_metrics(metrics).unwrap();
    assert_eq!(verify(&policy, &trace).compliance_score, 1.0);
}

#[tokio::test]
async fn calls_of_one_completion_run_at_once() {
    let barrier = Arc::new(Barrier::new(3));
    let meet = |name: &'static str| {
        let barrier = Arc::clone(&barrier);
        tool_fn(name, "", move |_: NoArguments| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                Ok::<_, Infallible>(name)
            }
        })
    };
    let (server, builder) = scripted(vec![
        say(&[("1", "a", ""), ("2", "b", ""), ("3", "c", "")]),
        done(),
    ])
    .await;
    let builder = builder.tool(meet("a")).tool(meet("b")).tool(meet("c"));
    let rules = policy([rule("few", called_n("a", Cmp::Le, 1), Severity::HardStop)]);
    let agent = builder
        .policy(rules)
        .tool_timeout(Duration::from_secs(5))
        .build()
        .unwrap();
    let result = agent.run("go").await;
    assert_eq!(ran(&result), ["a", "b", "c"]);
    let told: Vec<String> = told(&server).into_iter().map(|(_, said)| said).collect();
    assert_eq!(told, ["a", "b", "c"]);
}

/// Tools that note when they begin and end, and take their time.
fn slow(log: &Log, name: &'static str) -> impl DynTool + use<> {
    let log = log.clone();
    tool_fn(name, "", move |_: NoArguments| {
        let log = log.clone();
        async move {
            log.push(format!("{name} begins"));
            tokio::time::sleep(Duration::from_millis(30)).await;
            log.push(format!("{name} ends"));
            Ok::<_, Infallible>(if name == "test" { "failed" } else { "ok" })
        }
    })
}

#[tokio::test]
async fn a_call_waits_for_the_one_that_it_needs() {
    let (_, builder) = scripted(vec![say(&[("1", "fetch", ""), ("2", "save", "")]), done()]).await;
    let log = Log::default();
    let builder = builder.tool(slow(&log, "fetch")).tool(slow(&log, "save"));
    let rules = policy([Constraint::new("order", before("fetch", "save"))]);
    let result = builder.policy(rules).build().unwrap().run("go").await;
    assert_eq!(result.metrics.run_status, RunStatus::Completed);
    assert_eq!(
        log.ran(),
        ["fetch begins", "fetch ends", "save begins", "save ends"]
    );
}

#[tokio::test]
async fn a_rule_about_a_result_sees_the_result() {
    // Judged while the test is in flight, its failure would not be known yet.
    let wanted = globally(now("deploy") >> !called_with_result("test", "failed", Args::default()));
    let (_, builder) = scripted(vec![say(&[("1", "test", ""), ("2", "deploy", "")]), done()]).await;
    let log = Log::default();
    let builder = builder.tool(slow(&log, "test")).tool(slow(&log, "deploy"));
    let rules = policy([rule("tested", wanted, Severity::PersistentBlock)]);
    let result = builder.policy(rules).build().unwrap().run("go").await;
    assert_eq!(ran(&result), ["test"]);
}

#[tokio::test]
async fn parallel_calls_cannot_both_pass_at_most_once() {
    let twice = [
        ("1", "deploy", r#"{"n": 1}"#),
        ("2", "deploy", r#"{"n": 2}"#),
    ];
    let (server, builder) = scripted(vec![say(&twice), done()]).await;
    let log = Log::default();
    let rules = policy([rule(
        "once",
        called_n("deploy", Cmp::Le, 1),
        Severity::PersistentBlock,
    )]);
    let result = builder
        .tool(log.tool("deploy"))
        .policy(rules)
        .build()
        .unwrap()
        .run("go")
        .await;
    assert_eq!(ran(&result), ["deploy"]);
    assert!(told(&server)[1].1.contains("once"));
}

#[tokio::test]
async fn a_stop_lets_what_runs_end_and_starts_nothing_more() {
    let wanted = [("1", "fetch", ""), ("2", "drop", ""), ("3", "fetch", "")];
    let (server, builder) = scripted(vec![say(&wanted), done()]).await;
    let log = Log::default();
    let builder = builder.tool(slow(&log, "fetch")).tool(log.tool("drop"));
    let rules = policy([rule("no-drop", never("drop"), Severity::HardStop)]);
    let agent = builder.policy(rules).build().unwrap();
    let mut conversation = agent.conversation();
    let result = conversation.turn("go").await;
    assert_eq!(result.end, RunEnd::Stopped);
    assert_eq!(
        result.metrics.stopped_by_constraint.as_deref(),
        Some("no-drop")
    );
    assert_eq!(log.ran(), ["fetch begins", "fetch ends"]);
    let error = serde_json::to_value(&result.error).unwrap();
    assert_eq!(
        (&error["violation_type"], &error["constraint_name"]),
        (&json!("HARD_STOP"), &json!("no-drop"))
    );
    // The conversation can go on: every call has its answer.
    assert_eq!(server.asked().len(), 1);
    assert_eq!(
        conversation.turn("and now?").await.answer.as_deref(),
        Some("done")
    );
    let told: Vec<_> = told(&server);
    assert_eq!(
        told.iter().map(|(id, _)| &**id).collect::<Vec<_>>(),
        ["1", "2", "3"]
    );
    assert!(told[2].1.contains("Not executed"));
}

async fn asked(said: Option<Approval>) -> (RunResult, Vec<(String, String)>) {
    let (server, builder) = scripted(vec![say(&[("1", "pay", r#"{"eur": 5}"#)]), done()]).await;
    let log = Log::default();
    let rules = policy([rule("human", never("pay"), Severity::Ask)]);
    let builder = builder.tool(log.tool("pay")).policy(rules);
    let builder = match said {
        None => builder,
        Some(said) => builder.approver(move |request: ApprovalRequest| {
            assert_eq!(request.call.arguments["eur"], 5);
            assert_eq!(request.decision.constraint_name(), Some("human"));
            let said = said.clone();
            async move { said }
        }),
    };
    let result = builder.build().unwrap().run("go").await;
    assert_eq!(ran(&result), log.ran());
    (result, told(&server))
}

#[tokio::test]
async fn a_human_decides_about_ask() {
    let (result, told) = asked(Some(Approval::Approved)).await;
    assert_eq!(ran(&result), ["pay"]);
    assert_eq!(told[0].1, "pay ok");
    assert_eq!(result.metrics.constraint_violations.len(), 1);
    let (result, told) = asked(Some(Approval::Denied {
        reason: "too much".into(),
    }))
    .await;
    assert_eq!(ran(&result), [""; 0]);
    assert!(
        told[0].1.ends_with("The human denied it: too much"),
        "{}",
        told[0].1
    );
    let (result, told) = asked(None).await;
    assert_eq!(ran(&result), [""; 0]);
    assert!(
        told[0].1.ends_with("Nobody is here to approve it."),
        "{}",
        told[0].1
    );
}

#[tokio::test]
async fn an_approver_that_panics_denies() {
    let (server, builder) = scripted(vec![say(&[("1", "pay", "")]), done()]).await;
    let log = Log::default();
    let rules = policy([rule("human", never("pay"), Severity::Ask)]);
    let agent = builder.tool(log.tool("pay")).policy(rules);
    let agent = agent.approver(async |_: ApprovalRequest| panic!("nobody home"));
    let result = agent.build().unwrap().run("go").await;
    assert_eq!(ran(&result), [""; 0]);
    assert!(told(&server)[0].1.contains("nobody home"));
}

#[tokio::test]
async fn what_the_model_can_act_on() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Book {
        seats: u8,
    }
    let (server, builder) = scripted(vec![
        say(&[
            ("1", "bok", "{}"),
            ("2", "book", "{\"seats\": "),
            ("3", "book", r#"{"seats": 300}"#),
            ("4", "book", "[1]"),
            ("5", "book", r#"{"seats": 13}"#),
            ("6", "fail", "{}"),
            ("7", "panic", "{}"),
            ("8", "sleep", "{}"),
            ("9", "gone", "{}"),
            ("10", "Book", r#"{"seats": 2}"#),
        ]),
        done(),
    ])
    .await;
    struct Gone;
    impl DynTool for Gone {
        fn definition(&self) -> ToolDefinition {
            ToolDefinition::new("gone", "", json!({"type": "object"}))
        }
        fn invoke(self: Arc<Self>, _: Map<String, Json>) -> Result<Invocation, InvalidArguments> {
            Ok(Box::pin(async {
                Err(ToolError::never_ran("the server is gone"))
            }))
        }
    }
    let agent = builder
        .tool(tool_fn("book", "", async |book: Book| match book.seats {
            13 => Err("13 is unlucky"),
            seats => Ok(json!({"booked": seats})),
        }))
        .tool(tool_fn("fail", "", async |_: NoArguments| {
            Err::<(), _>("no network")
        }))
        .tool(tool_fn(
            "panic",
            "",
            async |_: NoArguments| -> Result<(), Infallible> { panic!("bug 7") },
        ))
        .tool(tool_fn("sleep", "", async |_: NoArguments| {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok::<_, Infallible>(())
        }))
        .tool(Gone)
        .tool_timeout(Duration::from_millis(50))
        .build()
        .unwrap();
    let started = Instant::now();
    let result = agent.run("go").await;
    assert!(started.elapsed() < Duration::from_secs(5));
    let told = told(&server);
    let expected = [
        "Did you mean 'book'?",
        "are not a JSON object: EOF while parsing",
        "do not fit: seats: invalid value: integer `300`",
        "are not a JSON object: they are an array",
        "ERROR: 13 is unlucky",
        "ERROR: no network",
        "ERROR: the tool panicked: bug 7",
        "ERROR: no result within 50ms",
        "ERROR: the server is gone",
        r#"{"booked":2}"#,
    ];
    for ((_, said), expected) in told.iter().zip(expected) {
        assert!(said.contains(expected), "{said} / {expected}");
    }
    // Those that ran, or may have: under the tool's own name, a failure with status 1.
    assert_eq!(ran(&result), ["book", "fail", "panic", "sleep", "book"]);
    let status: Vec<_> = result
        .metrics
        .tool_calls
        .iter()
        .map(|call| call.status)
        .collect();
    assert_eq!(status, [Some(1), Some(1), Some(1), Some(1), Some(0)]);
    assert_eq!(
        result.metrics.tool_calls[4].result,
        Some(json!({"booked": 2}))
    );
}

#[tokio::test]
async fn another_spelling_does_not_get_around_a_rule() {
    let (_, builder) = scripted(vec![say(&[("1", "Drop.Table", "{}")]), done()]).await;
    let log = Log::default();
    let rules = policy([rule("no", never("drop_table"), Severity::PersistentBlock)]);
    let result = builder
        .tool(log.tool("drop_table"))
        .policy(rules)
        .build()
        .unwrap()
        .run("go")
        .await;
    assert_eq!(
        (
            ran(&result).len(),
            result.metrics.constraint_violations.len()
        ),
        (0, 1)
    );
}

#[tokio::test]
async fn steps_and_blocked_steps_are_bounded() {
    let forbidden = || say(&[("1", "drop", "")]);
    let lines = || (0..20).map(|_| forbidden()).collect::<Vec<_>>();
    let rules = || policy([rule("no", never("drop"), Severity::PersistentBlock)]);
    let run = async |blocked: Option<u64>| {
        let (server, builder) = scripted(lines()).await;
        let builder = builder
            .tool(Log::default().tool("drop"))
            .policy(rules())
            .max_steps(3);
        let result = builder
            .max_blocked_steps(blocked)
            .build()
            .unwrap()
            .run("go")
            .await;
        (
            result.end,
            server.asked().len(),
            result.metrics.blocked_steps,
            result.metrics.blocked_steps_exhausted,
        )
    };
    assert_eq!(run(None).await, (RunEnd::OutOfSteps, 3, 3, false));
    assert_eq!(run(Some(5)).await, (RunEnd::OutOfBlockedSteps, 5, 5, true));
}

#[tokio::test]
async fn an_agent_that_finishes_too_early_is_sent_back() {
    let rules = policy([Constraint::new("tested", called("test"))
        .with_repair("Run the tests.")
        .on_final_answer()
        .with_severity(Severity::Tolerate)]);
    let (server, builder) = scripted(vec![done(), say(&[("1", "test", "")]), done()]).await;
    let enforcer = Enforcer::builder(rules).max_termination_nudges(2);
    let agent = builder
        .tool(Log::default().tool("test"))
        .enforcer(enforcer)
        .build()
        .unwrap();
    let result = agent.run("go").await;
    assert_eq!(result.answer.as_deref(), Some("done"));
    assert_eq!((server.asked().len(), result.metrics.blocked_steps), (3, 1));
    let nudge = &server.asked()[1].body["messages"][3];
    assert_eq!(nudge["role"], "user");
    assert!(
        nudge["content"]
            .as_str()
            .unwrap()
            .contains("Run the tests.")
    );
}

#[tokio::test]
async fn turns_share_conversation_trace_and_rules() {
    let rules = policy([rule(
        "order",
        before("login", "pay"),
        Severity::PersistentBlock,
    )]);
    let pay = || say(&[("p", "pay", "")]);
    let (server, builder) = scripted(vec![
        pay(),
        done(),
        say(&[("l", "login", "")]),
        done(),
        pay(),
        done(),
    ])
    .await;
    let log = Log::default();
    let builder = builder
        .tool(log.tool("login"))
        .tool(log.tool("pay"))
        .policy(rules.clone());
    let result = builder
        .build()
        .unwrap()
        .run_turns(["pay", "log in", "pay now"])
        .await;
    assert_eq!(result.answers, vec![Some("done".to_owned()); 3]);
    assert_eq!(log.ran(), ["login", "pay"]);
    let calls = &result.metrics.tool_calls;
    let tags: Vec<_> = calls
        .iter()
        .map(|call| (call.step, call.extra["turn"].clone()))
        .collect();
    assert_eq!(tags, [(Some(3), json!(1)), (Some(5), json!(2))]);
    assert_eq!(result.per_turn[2].metrics.num_tool_calls, 1);
    assert_eq!(
        (result.metrics.num_steps, result.metrics.total_tokens),
        (6, 90)
    );
    assert_eq!(result.per_turn[0].metrics.total_tokens, 30);
    assert_eq!(verify(&rules, calls).compliance_score, 1.0);
    // The model sees the earlier turns: system, 4 + 4 messages, the user again.
    assert_eq!(
        server.asked()[4].body["messages"].as_array().unwrap().len(),
        10
    );
}

#[tokio::test]
async fn a_cancelled_run_leaves_what_started_in_the_trace() {
    let (server, builder) =
        scripted(vec![say(&[("1", "quick", ""), ("2", "slow", "")]), done()]).await;
    let log = Log::default();
    let token = CancellationToken::new();
    let cancel = token.clone();
    let agent = builder
        .tool(log.tool("quick"))
        .tool(tool_fn("slow", "", async |_: NoArguments| {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok::<_, Infallible>(())
        }))
        .build()
        .unwrap();
    let mut conversation = agent.conversation();
    let options = RunOptions::new()
        .cancellation(token)
        .on_event(move |event| {
            if matches!(event, Event::CallEnded { .. }) {
                cancel.cancel();
            }
        });
    let result = conversation.turn_with("go", options).await;
    assert_eq!(result.end, RunEnd::Cancelled);
    assert!(matches!(result.error, Some(RunError::Cancelled)));
    assert_eq!(ran(&result), ["quick", "slow"]);
    let results: Vec<_> = result
        .metrics
        .completed_trace
        .iter()
        .map(|call| call.result.clone())
        .collect();
    assert_eq!(results, [Some(json!("quick ok")), None]);
    assert_eq!(
        conversation
            .enforcer()
            .with(|enforcer| enforcer.in_flight().count()),
        0
    );
    let json = serde_json::to_value(&result.metrics).unwrap();
    assert!(json["tool_calls"][1].get("tool_result").is_none());
    // The next turn is one that an endpoint accepts.
    assert_eq!(
        conversation.turn("again").await.answer.as_deref(),
        Some("done")
    );
    let told = told(&server);
    assert_eq!(told[0].1, "quick ok");
    assert!(told[1].1.contains("interrupted"));
}

#[tokio::test]
async fn a_dropped_turn_is_a_cancelled_one() {
    let (server, builder) = scripted(vec![say(&[("1", "slow", "")]), done()]).await;
    let (started, mut has_started) = tokio::sync::mpsc::unbounded_channel();
    let agent = builder
        .tool(tool_fn("slow", "", move |_: NoArguments| {
            let _ = started.send(());
            std::future::pending::<Result<(), Infallible>>()
        }))
        .build()
        .unwrap();
    let mut conversation = agent.conversation();
    tokio::select! {
        _ = conversation.turn("go") => panic!("it cannot end"),
        _ = has_started.recv() => {}
    }
    assert_eq!(conversation.metrics().num_tool_calls, 1);
    assert_eq!(
        conversation.turn("again").await.answer.as_deref(),
        Some("done")
    );
    assert_eq!(told(&server).len(), 1);
    assert_eq!(conversation.metrics().total_tokens, 30);
}

#[tokio::test]
async fn events_tell_what_happens() {
    let rules = policy([
        rule("no", never("drop"), Severity::PersistentBlock),
        rule("noted", never("save"), Severity::Tolerate),
    ]);
    let wanted = [("1", "drop", ""), ("2", "save", ""), ("3", "nothing", "")];
    let (_, builder) = scripted(vec![say(&wanted), done()]).await;
    let log = Log::default();
    let events: Arc<Mutex<Vec<Json>>> = Arc::default();
    let heard = Arc::clone(&events);
    let agent = builder
        .tool(log.tool("drop"))
        .tool(log.tool("save"))
        .policy(rules)
        .on_event(|_| panic!("a broken display"))
        .on_event(move |event| {
            heard
                .lock()
                .unwrap()
                .push(serde_json::to_value(event).unwrap())
        })
        .build()
        .unwrap();
    let result = agent.run("go").await;
    assert_eq!(result.answer.as_deref(), Some("done"));
    let events = events.lock().unwrap().clone();
    let names: Vec<_> = events
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "model_asked",
            "model_answered",
            "call_refused",
            "call_started",
            "call_unusable",
            "call_ended",
            "model_asked",
            "model_answered",
            "answered"
        ]
    );
    assert_eq!(events[2]["decision"]["action"], "block");
    assert_eq!(events[3]["notes"][0]["constraint_name"], "noted");
    assert_eq!(events[5]["result"], "save ok");
}

#[tokio::test]
async fn a_model_that_panics_ends_the_run() {
    struct Broken;
    impl ChatModel for Broken {
        async fn complete(&self, _: ChatRequest<'_>) -> Result<Completion, ChatError> {
            panic!("model bug")
        }
    }
    let result = Agent::builder()
        .model(Broken)
        .build()
        .unwrap()
        .run("go")
        .await;
    assert!(result.error.unwrap().to_string().contains("model bug"));
}

#[test]
fn what_cannot_work_is_refused_when_the_agent_is_built() {
    let model = || ScriptedModel::new([]);
    let log = Log::default();
    assert!(matches!(Agent::builder().build(), Err(AgentError::NoModel)));
    let twice = Agent::builder()
        .model(model())
        .tool(log.tool("a"))
        .tool(log.tool("a"));
    assert!(matches!(twice.build(), Err(AgentError::Tools(_))));
    let inert = policy([Constraint::new("finish", eventually(called("a")))]);
    let builder = || {
        Agent::builder()
            .model(model())
            .tool(log.tool("a"))
            .policy(inert.clone())
    };
    assert!(builder().build().is_ok());
    let error = builder().strict_runtime_safety(true).build().unwrap_err();
    assert!(
        matches!(error, AgentError::Enforcer(_)) && error.to_string().contains("INERT"),
        "{error}"
    );
    let typo = policy([Constraint::new("order", before("a", "aa"))]);
    let builder = || {
        Agent::builder()
            .model(model())
            .tool(log.tool("a"))
            .policy(typo.clone())
    };
    assert!(builder().build().is_ok());
    let error = builder().known_tools_only(true).build().unwrap_err();
    assert!(error.to_string().contains("unknown tool \"aa\""), "{error}");
}

#[test]
fn outside_a_runtime_there_is_an_error() {
    let agent = Agent::builder()
        .model(ScriptedModel::new([]))
        .build()
        .unwrap();
    let result = futures_util::FutureExt::now_or_never(agent.run("go")).unwrap();
    assert!(matches!(result.error, Some(RunError::NoRuntime)));
}

#[tokio::test]
async fn sub_agents_run_from_the_beginning_and_a_few_at_once() {
    struct Counting {
        now: Mutex<(usize, usize)>,
    }
    impl ChatModel for Counting {
        async fn complete(&self, request: ChatRequest<'_>) -> Result<Completion, ChatError> {
            {
                let mut now = self.now.lock().unwrap();
                now.0 += 1;
                now.1 = now.1.max(now.0);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
            self.now.lock().unwrap().0 -= 1;
            let task = request.messages[1].content();
            Ok(match request.messages.len() {
                2 if task.contains("R2") => {
                    Completion::calls([ToolCallRequest::new("drop", json!({}))])
                }
                2 => Completion::calls([ToolCallRequest::new("fetch", json!({}))]),
                _ => Completion::answer(task),
            }
            .with_usage(Usage::new(3, 1)))
        }
    }
    let model = Arc::new(Counting {
        now: Mutex::default(),
    });
    let log = Log::default();
    let agent = Agent::builder()
        .model(Arc::clone(&model))
        .tool(log.tool("fetch"))
        .tool(log.tool("drop"))
        .policy(policy([
            rule("no-drop", never("drop"), Severity::HardStop),
            rule("once", called_n("fetch", Cmp::Le, 1), Severity::HardStop),
        ]))
        .build()
        .unwrap();
    let sub_agents = SubAgents::new(agent, "{requirement_id}")
        .unwrap()
        .max_concurrent(2);
    let requirements = ["R1", "R2", "R3", "R4"].map(|id| Requirement::new(id, ""));
    let result = sub_agents.run(requirements).await;
    assert_eq!(model.now.lock().unwrap().1, 2);
    let ends: Vec<_> = result
        .sub_results
        .iter()
        .map(|sub| sub.result.end)
        .collect();
    assert_eq!(
        ends,
        [
            RunEnd::Answered,
            RunEnd::Stopped,
            RunEnd::Answered,
            RunEnd::Answered
        ]
    );
    assert_eq!(result.sub_results[3].result.answer.as_deref(), Some("R4"));
    let json = serde_json::to_value(&result).unwrap();
    assert_eq!(json["sub_results"][1]["requirement_id"], "R2");
    assert_eq!(
        json["sub_results"][1]["error"]["constraint_name"],
        "no-drop"
    );
    let metrics = &json["metrics"];
    assert_eq!(
        (&metrics["total_requirements"], &metrics["total_steps"]),
        (&json!(4), &json!(7))
    );
    assert_eq!(
        (&metrics["total_tool_calls"], &metrics["total_tokens"]),
        (&json!(3), &json!(28))
    );
    assert_eq!(metrics["all_tool_calls"][1]["requirement_id"], "R3");
}
