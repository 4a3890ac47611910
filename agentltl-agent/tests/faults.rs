//! Endpoints and models that misbehave: the run ends with a typed error or goes on, the trace holds
//! exactly the calls that ran, nothing hangs.
#![allow(clippy::unwrap_used, clippy::panic, unreachable_pub)]

mod support;

use std::time::{Duration, Instant};

use agentltl_agent::*;
use support::server::completion;
use support::*;

fn status(status: u16) -> Line {
    let body = r#"{"error": {"message": "slow down", "code": "x"}}"#;
    Line::Status(status, Vec::new(), body.to_owned())
}

fn retry_after(status: u16, value: &str) -> Line {
    Line::Status(
        status,
        vec![("retry-after", value.to_owned())],
        String::new(),
    )
}

async fn run(lines: Vec<Line>) -> (RunResult, Server, Log) {
    let (server, builder) = scripted(lines).await;
    let log = Log::default();
    let agent = builder.tool(log.tool("work")).build().unwrap();
    let task = tokio::time::timeout(Duration::from_secs(20), agent.run("go"));
    let result = task.await.expect("the run hangs");
    assert_eq!(ran(&result), log.ran());
    (result, server, log)
}

fn model_error(result: &RunResult) -> &ChatError {
    assert_eq!(result.end, RunEnd::ModelFailed);
    match &result.error {
        Some(RunError::Model(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn nobody_listens() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let agent = Agent::builder().model(model(&url)).build().unwrap();
    let result = agent.run("go").await;
    let error = model_error(&result);
    assert!(
        matches!(error, ChatError::Connection { attempts: 3, .. }),
        "{error:?}"
    );
    let text = error.to_string();
    assert!(
        text.contains("3 attempts") && text.to_lowercase().contains("refused"),
        "{text}"
    );
}

#[tokio::test]
async fn busy_and_broken_endpoints_are_tried_again() {
    for fault in [
        status(429),
        status(500),
        status(503),
        retry_after(429, "0"),
        retry_after(503, "0.02"),
        Line::Bytes(Vec::new()),
        Line::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\": [".to_vec()),
        Line::Bytes(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"cho".to_vec()),
        Line::Bytes(b"this is not HTTP\r\n\r\n".to_vec()),
        Line::Stall(Duration::from_secs(60)),
    ] {
        let lines = vec![
            Line::Say(calls(&[("c1", "work", "{}")])),
            fault,
            Line::Say(answer("done")),
        ];
        let (result, server, log) = run(lines).await;
        assert_eq!(result.answer.as_deref(), Some("done"), "{:?}", result.error);
        assert_eq!(log.ran(), ["work"]);
        let asked = server.asked();
        assert_eq!(asked.len(), 3);
        assert_eq!(asked[1].body, asked[2].body);
    }
}

#[tokio::test]
async fn endpoints_that_stay_broken_end_the_run() {
    let stall = || Line::Stall(Duration::from_secs(60));
    let started = Instant::now();
    let (result, _, log) = run(vec![
        Line::Say(calls(&[("c1", "work", "{}")])),
        stall(),
        stall(),
        stall(),
    ])
    .await;
    let error = model_error(&result);
    assert!(
        matches!(error, ChatError::Timeout { attempts: 3, .. }),
        "{error:?}"
    );
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(log.ran(), ["work"]);
    assert_eq!(result.metrics.num_tool_calls, 1);

    let (result, server, _) = run(vec![status(429), status(500), status(503)]).await;
    assert_eq!(
        model_error(&result).to_string(),
        "the endpoint answered with status 503 (3 attempts): slow down"
    );
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn a_refusal_is_not_tried_again() {
    for fault in [
        status(400),
        status(401),
        status(404),
        retry_after(429, "3600"),
    ] {
        let (result, server, _) = run(vec![fault, Line::Say(answer("no"))]).await;
        let error = model_error(&result);
        assert!(
            matches!(error, ChatError::Status { attempts: 1, .. }),
            "{error:?}"
        );
        assert_eq!(server.asked().len(), 1);
    }
}

#[tokio::test]
async fn an_answer_that_is_no_completion_ends_the_run() {
    let ok = |body: &str| Line::Status(200, Vec::new(), body.to_owned());
    for body in [
        "",
        "<html>",
        "{\"choices\": [{\"message\": ",
        "[]",
        "{\"choices\": []}",
        "{\"choices\": [{}]}",
        "{\"choices\": 7}",
    ] {
        let (result, _, _) = run(vec![ok(body)]).await;
        let error = model_error(&result);
        assert!(
            matches!(error, ChatError::InvalidResponse { .. }),
            "{body}: {error:?}"
        );
        assert!(error.to_string().contains("cannot be read"), "{error}");
    }
}

#[tokio::test]
async fn a_call_without_id_or_twice_there_runs_once() {
    let message = serde_json::json!({"role": "assistant", "content": null, "tool_calls": [
        {"type": "function", "function": {"name": "work", "arguments": "{}"}},
        {"id": "twin", "type": "function", "function": {"name": "work", "arguments": "{}"}},
        {"id": "twin", "type": "function", "function": {"name": "work", "arguments": "{}"}},
    ]});
    let (result, server, log) = run(vec![
        Line::Say(completion(message)),
        Line::Say(answer("done")),
    ])
    .await;
    assert_eq!(result.answer.as_deref(), Some("done"));
    assert_eq!(log.ran(), ["work", "work"]);
    let told: Vec<String> = told(&server).into_iter().map(|(id, _)| id).collect();
    assert_eq!(told, ["call_1_0", "twin"]);
    // The history names each call by the id of its answer.
    let wanted = &server.asked()[1].body["messages"][2]["tool_calls"];
    let ids: Vec<_> = wanted
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["id"].clone())
        .collect();
    assert_eq!(ids, ["call_1_0", "twin"]);
}

#[tokio::test]
async fn ten_megabytes_of_arguments() {
    let long = format!(r#"{{"text": "{}"}}"#, "x".repeat(10 << 20));
    let broken = &long[..long.len() - 1];
    let lines = || {
        vec![
            Line::Say(calls(&[("c1", "work", &long), ("c2", "work", broken)])),
            Line::Say(answer("done")),
        ]
    };
    let server = Server::start(lines()).await.unwrap();
    let patient = |limit| {
        OpenAi::builder()
            .base_url(&server.base_url)
            .model("m")
            .max_response_bytes(limit)
            .build()
            .unwrap()
    };
    let log = Log::default();
    let agent = Agent::builder()
        .model(patient(64 << 20))
        .tool(log.tool("work"))
        .build()
        .unwrap();
    let result = agent.run("go").await;
    assert_eq!(result.answer.as_deref(), Some("done"), "{:?}", result.error);
    assert_eq!(log.ran(), ["work"]);
    let told = told(&server);
    assert_eq!(told[0].1, "work ok");
    assert!(
        told[1].1.starts_with("ERROR: not executed") && told[1].1.len() < 1000,
        "{}",
        told[1].1
    );

    let server = Server::start(lines()).await.unwrap();
    let model = OpenAi::builder()
        .base_url(&server.base_url)
        .model("m")
        .max_response_bytes(1 << 20);
    let agent = Agent::builder()
        .model(model.build().unwrap())
        .build()
        .unwrap();
    let result = agent.run("go").await;
    let error = model_error(&result);
    assert!(
        matches!(error, ChatError::TooLarge { limit: 1_048_576 }),
        "{error:?}"
    );
}

#[tokio::test]
async fn what_the_endpoint_is_asked() {
    let server = Server::start(vec![Line::Say(answer("hi"))]).await.unwrap();
    let model = OpenAi::builder()
        .base_url(format!("{}/", server.base_url))
        .api_key("sk-1")
        .model("m")
        .seed(7)
        .temperature(0.25)
        .max_tokens(99)
        .header("x-team", "blue")
        .field("parallel_tool_calls", false)
        .build()
        .unwrap();
    let log = Log::default();
    let agent = Agent::builder()
        .model(model)
        .tool(log.tool("work"))
        .system_prompt("Be brief.");
    let result = agent.build().unwrap().run("go").await;
    assert_eq!(
        (result.metrics.input_tokens, result.metrics.total_tokens),
        (10, 15)
    );
    let asked = &server.asked()[0];
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(asked.header("authorization"), Some("Bearer sk-1"));
    assert_eq!(asked.header("x-team"), Some("blue"));
    assert_eq!(
        asked.body,
        serde_json::json!({
            "model": "m", "seed": 7, "temperature": 0.25, "max_tokens": 99,
            "parallel_tool_calls": false, "tool_choice": "auto",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "go"},
            ],
            "tools": [{"type": "function", "function": {
                "name": "work", "description": "A tool.",
                "parameters": asked.body["tools"][0]["function"]["parameters"].clone(),
            }}],
        })
    );
    assert_eq!(
        asked.body["tools"][0]["function"]["parameters"]["type"],
        "object"
    );
}
