//! Each format of runs: told by its content, read, and kept by a round trip through metrics.
#![allow(clippy::unwrap_used, clippy::panic)]

use agentltl::{Generation, RecordedRun, Trace, TraceFormat};
use serde_json::{Value as Json, json};

fn fixture(name: &str) -> Json {
    let path = format!(
        "{}/tests/fixtures/traces/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    if name.ends_with(".jsonl") {
        text.lines()
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_str::<Json>(line).unwrap())
            .collect()
    } else {
        serde_json::from_str(&text).unwrap()
    }
}

fn read(name: &str, format: TraceFormat) -> Vec<RecordedRun> {
    let json = fixture(name);
    assert_eq!(TraceFormat::of(&json), Some(format), "{name}");
    let runs = format.read(&json).unwrap();
    for run in &runs {
        let metrics = run.trace.to_metrics();
        assert_eq!(Trace::from_metrics(&metrics).unwrap(), run.trace, "{name}");
    }
    runs
}

fn calls(trace: &Trace) -> Vec<(&str, Json)> {
    trace
        .iter()
        .map(|call| (call.tool_name.as_str(), json!(call.arguments)))
        .collect()
}

fn booking() -> Vec<(&'static str, Json)> {
    vec![
        ("search", json!({"city": "SEA"})),
        ("book", json!({"flight": "AS 12"})),
    ]
}

#[test]
fn the_same_run_in_four_formats() {
    for (name, format) in [
        ("metrics.json", TraceFormat::Metrics),
        ("calls.jsonl", TraceFormat::Calls),
        ("openai.json", TraceFormat::OpenAi),
        ("anthropic.json", TraceFormat::Anthropic),
    ] {
        let runs = read(name, format);
        assert_eq!(runs.len(), 1, "{name}");
        let trace = &runs[0].trace;
        assert_eq!(calls(trace), booking(), "{name}");
        assert_eq!(trace[0].result, Some(json!(["AS 12", "DL 7"])), "{name}");
        assert_eq!(trace[1].result, Some(json!("booked")), "{name}");
    }
}

#[test]
fn metrics_inside_the_result_of_a_run() {
    let run = json!({"answer": "booked", "error": null, "metrics": fixture("metrics.json")});
    assert_eq!(TraceFormat::of(&run), Some(TraceFormat::Metrics));
    assert_eq!(
        calls(&TraceFormat::Metrics.read(&run).unwrap()[0].trace),
        booking()
    );
    let run = json!({"metrics": {"tool_calls": [{"tool_name": 1}]}});
    assert_eq!(
        TraceFormat::Metrics.read(&run).unwrap_err().to_string(),
        "metrics.tool_calls[0].tool_name: expected a string, found a number"
    );
}

#[test]
fn anthropic_errors_and_failed_calls() {
    let use_of = |id: &str| json!({"type": "tool_use", "id": id, "name": "x", "input": {}});
    let conversation = json!([
        {"role": "assistant", "content": [use_of("a"), use_of("b")]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "b", "is_error": true, "content": "no"},
            {"type": "tool_result", "tool_use_id": "a"}]}]);
    let trace = Trace::from_anthropic(&conversation).unwrap();
    assert_eq!(trace[0].generation, trace[1].generation);
    assert_eq!(trace[0].result, Some(json!("")));
    assert_eq!(trace[1].result, Some(json!("no")));
    assert_eq!(trace[1].extra["is_error"], true);
    assert!(!trace[0].extra.contains_key("is_error"));

    for (conversation, message) in [
        (
            json!([{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "input": {}}]}]),
            "[0].content[0]: no `name`",
        ),
        (
            json!([{"role": "assistant", "content": [
                {"type": "tool_use", "id": "a", "name": "x", "input": "{}"}]}]),
            "[0].content[0].input: expected an object, found a string",
        ),
        (
            json!({"messages": [{"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "q", "content": "?"}]}]}),
            "messages[0].content[0].tool_use_id: no call has the id \"q\", so there is none this is the result of",
        ),
        (json!([{"content": []}]), "[0]: no `role`"),
        (
            json!([{"role": "user", "content": 7}]),
            "[0].content: expected a string or a list of blocks, found a number",
        ),
    ] {
        let error = Trace::from_anthropic(&conversation).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn smolagents_steps() {
    let runs = read("smolagents.json", TraceFormat::Smolagents);
    let trace = &runs[0].trace;
    let names: Vec<_> = trace.tool_names().collect();
    assert_eq!(names, ["search", "book", "mail", "python_interpreter"]);
    assert_eq!(trace[0].result, Some(json!("AS 12, DL 7")));
    // Two calls of a step share its observations, so neither's result is known.
    assert_eq!((&trace[1].result, &trace[2].result), (&None, &None));
    assert_eq!((trace[1].step, trace[2].step), (Some(2), Some(2)));
    assert_eq!(trace[1].generation, Some(Generation::Number(2)));
    assert_eq!(trace[3].arguments["code"], "final_answer('booked')");

    let memory = json!([{"step_number": 1.5, "tool_calls": []}]);
    assert_eq!(
        Trace::from_smolagents(&memory).unwrap_err().to_string(),
        "[0].step_number: expected a whole number, found a number"
    );
    let steps = json!({"steps": [{"tool_calls": [{"function": {"arguments": {}}}]}]});
    assert_eq!(
        Trace::from_smolagents(&steps).unwrap_err().to_string(),
        "steps[0].tool_calls[0].function: no `name`"
    );
}

#[test]
fn swe_agent_actions() {
    let runs = read("swe-agent.traj", TraceFormat::SweAgent);
    let trace = &runs[0].trace;
    assert_eq!(
        calls(trace),
        [
            ("ls", json!({"command": "ls -F"})),
            (
                "str_replace_editor",
                json!({"command": "str_replace_editor view /src/lib.rs"})
            ),
            ("submit", json!({"command": "submit"})),
        ]
    );
    assert_eq!(trace[0].result, Some(json!("README.md\nsrc/\n")));
    assert_eq!(
        Trace::from_swe_agent(&json!({"trajectory": [{"observation": ""}]}))
            .unwrap_err()
            .to_string(),
        "trajectory[0]: no `action`"
    );
}

#[test]
fn otel_spans_by_time_and_conversation() {
    let runs = read("otel.json", TraceFormat::OpenTelemetry);
    let ids: Vec<_> = runs.iter().map(|run| run.id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["conv-1", "77aa"]);
    assert_eq!(
        calls(&runs[0].trace),
        [
            ("search", json!({"city": "SEA"})),
            ("book", json!({"flight": "AS 12", "seats": 2})),
        ]
    );
    assert_eq!(runs[0].trace[0].result, None);
    assert_eq!(runs[0].trace[0].extra["error.type"], "timeout");
    assert_eq!(runs[0].trace[1].result, Some(json!("booked")));
    assert_eq!(calls(&runs[1].trace), [("search", json!({}))]);
}

#[test]
fn otel_spans_of_a_console_exporter() {
    let span = |name: &str, time: &str| {
        json!({
            "name": format!("execute_tool {name}"),
            "context": {"trace_id": "0x1", "span_id": "0x2"},
            "start_time": time,
            "attributes": {"gen_ai.operation.name": "execute_tool"}})
    };
    let spans = json!([
        span("b", "2026-01-01T00:00:02Z"),
        span("a", "2026-01-01T00:00:01Z")
    ]);
    assert_eq!(TraceFormat::of(&spans), Some(TraceFormat::OpenTelemetry));
    let runs = TraceFormat::OpenTelemetry.read(&spans).unwrap();
    let names: Vec<_> = runs[0].trace.tool_names().collect();
    assert_eq!(names, ["a", "b"]);

    let spans =
        json!({"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "x", "attributes": []}]}]}]});
    assert_eq!(
        TraceFormat::OpenTelemetry
            .read(&spans)
            .unwrap_err()
            .to_string(),
        "resourceSpans[0].scopeSpans[0].spans[0]: no `traceId`"
    );
    let spans = json!({"resourceSpans": [{"scopeSpans": [{"spans": [{
        "traceId": "1", "startTimeUnixNano": "5", "attributes": [7]}]}]}]});
    assert_eq!(
        TraceFormat::OpenTelemetry
            .read(&spans)
            .unwrap_err()
            .to_string(),
        "resourceSpans[0].scopeSpans[0].spans[0].attributes[0]: expected a key and a value, found a number"
    );
}

#[test]
fn what_is_no_run_is_no_format() {
    for json in [
        json!(7),
        json!("x"),
        json!({}),
        json!([]),
        json!({"a": 1}),
        json!([1, 2]),
    ] {
        assert_eq!(TraceFormat::of(&json), None, "{json}");
    }
    assert_eq!(
        TraceFormat::of(&json!({"messages": []})),
        Some(TraceFormat::OpenAi)
    );
    let error = "antropic".parse::<TraceFormat>().unwrap_err();
    assert!(error.to_string().contains("did you mean `anthropic`?"));
}
