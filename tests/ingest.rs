//! Runs from JSON: what is read, what is refused, and that nothing is lost.
#![allow(clippy::unwrap_used, clippy::panic)]

use agentltl::{Generation, ToolCall, Trace, TraceError, TraceProblem};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn metrics_error(call: Json) -> String {
    let metrics = json!({"tool_calls": [{"tool_name": "first"}, call]});
    Trace::from_metrics(&metrics).unwrap_err().to_string()
}

fn openai_error(messages: Json) -> String {
    Trace::from_openai(&messages).unwrap_err().to_string()
}

#[test]
fn metrics_in_either_spelling() {
    let old = json!({"tool_calls": [
        {"tool_name": "fetch", "tool_args": {"n": 1}, "tool_result": "ok", "turn": 0},
        {"tool_name": "save", "tool_args": null},
    ], "run_status": "completed"});
    let new = json!({"tool_calls": [
        {"name": "fetch", "arguments": {"n": 1}, "result": "ok", "turn": 0},
        {"name": "save", "arguments": {}},
    ]});
    let trace = Trace::from_metrics(&old).unwrap();
    assert_eq!(trace, Trace::from_metrics(&new).unwrap());
    assert_eq!(trace[0].arguments["n"], 1);
    assert_eq!(trace[0].result, Some(json!("ok")));
    assert_eq!(trace[0].extra["turn"], 0);
    assert_eq!(trace[1], ToolCall::new("save"));
}

#[test]
fn an_absent_result_is_not_null() {
    let trace = Trace::from_metrics(&json!({"tool_calls": [
        {"tool_name": "a"}, {"tool_name": "a", "result": null}, {"tool_name": "a", "tool_result": null},
    ]}))
    .unwrap();
    let results: Vec<_> = trace.iter().map(|call| call.result.clone()).collect();
    assert_eq!(results, [None, Some(Json::Null), Some(Json::Null)]);
}

#[test]
fn the_fields_of_a_call() {
    let json = json!({"tool_name": "a", "arguments": {}, "step": 3, "generation": "g", "status": 1, "id": "x", "note": [1]});
    let call: ToolCall = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(call, {
        let mut call = ToolCall::new("a")
            .with_step(3)
            .with_generation("g")
            .with_status(1)
            .with_id("x");
        call.extra.insert("note".into(), json!([1]));
        call
    });
    assert_eq!(serde_json::to_value(&call).unwrap(), json);
    // What a field without a say in verdicts cannot hold is kept as it is.
    let json =
        json!({"tool_name": "a", "arguments": {}, "generation": 1.5, "status": "done", "id": 7});
    let call: ToolCall = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(
        (&call.generation, call.status, &call.id),
        (&None, None, &None)
    );
    assert_eq!(serde_json::to_value(&call).unwrap(), json);
    let numbered: ToolCall =
        serde_json::from_value(json!({"tool_name": "a", "generation": 4})).unwrap();
    assert_eq!(numbered.generation, Some(Generation::Number(4)));
}

#[test]
fn bad_metrics_name_the_place() {
    let cases = [
        (
            json!("x"),
            "tool_calls[1]: expected a call (an object), found a string",
        ),
        (json!({}), "tool_calls[1]: no `tool_name` (or `name`)"),
        (
            json!({"tool_name": null}),
            "tool_calls[1].tool_name: expected a string, found null",
        ),
        (
            json!({"name": 5}),
            "tool_calls[1].name: expected a string, found a number",
        ),
        (
            json!({"tool_name": ""}),
            "tool_calls[1].tool_name: the tool name is empty",
        ),
        (
            json!({"tool_name": "a", "arguments": "{}"}),
            "tool_calls[1].arguments: expected an object, found a string",
        ),
        (
            json!({"tool_name": "a", "tool_args": []}),
            "tool_calls[1].tool_args: expected an object, found a list",
        ),
        (
            json!({"tool_name": "a", "step": "2"}),
            "tool_calls[1].step: expected a whole number, found a string",
        ),
        (
            json!({"tool_name": "a", "name": "b"}),
            "tool_calls[1].name: differs from tool_name, which says the same thing",
        ),
        (
            json!({"tool_name": "a", "result": 1, "tool_result": null}),
            "tool_calls[1].tool_result: differs from result, which says the same thing",
        ),
    ];
    for (call, message) in cases {
        assert_eq!(metrics_error(call), message);
    }
    let whole = [
        (
            json!([]),
            "expected an object with `tool_calls`, found a list",
        ),
        (json!({}), "no `tool_calls`"),
        (
            json!({"tool_calls": {}}),
            "tool_calls: expected a list of calls, found an object",
        ),
    ];
    for (metrics, message) in whole {
        assert_eq!(
            Trace::from_metrics(&metrics).unwrap_err().to_string(),
            message
        );
    }
    let error = Trace::from_metrics_text("{\"tool_calls\": [\n{\"tool_name\" 1}]}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2: not JSON (column 14): expected `:`"
    );
    let deep = format!("{{\"tool_calls\": {}", "[".repeat(100_000));
    assert!(Trace::from_metrics_text(&deep).is_err());
}

#[test]
fn spellings_that_agree_are_both_kept() {
    let json = json!({"tool_name": "a", "name": "a", "arguments": {}, "tool_args": null});
    let call: ToolCall = serde_json::from_value(json).unwrap();
    assert_eq!(call.extra["name"], "a");
    let again: ToolCall = serde_json::from_value(serde_json::to_value(&call).unwrap()).unwrap();
    assert_eq!(again, call);
}

#[test]
fn names_need_not_be_ascii() {
    let trace = Trace::from_jsonl("{\"tool_name\": \"löschen 🗑\"}").unwrap();
    assert_eq!(trace[0].tool_name, "löschen 🗑");
}

/// Read less exactly, this is the neighbour of the number that a formula has for the same digits.
#[test]
fn numbers_are_read_to_the_last_digit() {
    let trace =
        Trace::from_jsonl(r#"{"tool_name": "a", "arguments": {"x": 2.8107736149094114e299}}"#);
    let number = 2.810_773_614_909_411_4e299_f64;
    assert_eq!(
        trace.unwrap()[0].arguments["x"].as_f64().map(f64::to_bits),
        Some(number.to_bits())
    );
}

#[test]
fn empty_runs() {
    assert!(
        Trace::from_metrics(&json!({"tool_calls": []}))
            .unwrap()
            .is_empty()
    );
    assert!(Trace::from_jsonl("\n  \n").unwrap().is_empty());
    assert!(Trace::from_openai(&json!([])).unwrap().is_empty());
    assert!(
        Trace::from_openai(&json!({"messages": []}))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn json_lines_name_the_line() {
    let error = Trace::from_jsonl("{\"tool_name\": \"a\"}\n\n{\"tool_name\":").unwrap_err();
    assert_eq!(error.line, Some(3));
    assert!(matches!(error.problem, TraceProblem::Malformed { .. }));
    let error = Trace::from_jsonl("[]").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1: expected a call (an object), found a list"
    );
}

fn call(id: Option<&str>, name: &str) -> Json {
    let mut call = json!({"type": "function", "function": {"name": name, "arguments": "{}"}});
    if let Some(id) = id {
        call["id"] = id.into();
    }
    call
}

fn assistant(calls: &[Json]) -> Json {
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

fn result(id: Option<&str>, content: &str) -> Json {
    let mut message = json!({"role": "tool", "content": content});
    if let Some(id) = id {
        message["tool_call_id"] = id.into();
    }
    message
}

/// The results of a conversation's calls; `-` where one is not known.
fn results(messages: &[Json]) -> Result<String, TraceError> {
    let trace = Trace::from_openai(&Json::from(messages))?;
    let results: Vec<&str> = trace
        .iter()
        .map(|call| {
            call.result
                .as_ref()
                .map_or("-", |result| result.as_str().unwrap())
        })
        .collect();
    Ok(results.join(" "))
}

#[test]
fn results_find_their_calls() {
    let two = assistant(&[call(Some("x"), "a"), call(Some("y"), "b")]);
    let same = assistant(&[call(Some("x"), "a"), call(Some("x"), "b")]);
    let x = assistant(&[call(Some("x"), "a")]);
    let none = assistant(&[call(None, "a"), call(None, "b")]);
    let r = |id, content| result(Some(id), content);
    let n = |content| result(None, content);
    let named = |name: &str, content| {
        let mut message = n(content);
        message["name"] = name.into();
        message
    };
    let cases: Vec<(Vec<Json>, &str)> = vec![
        (vec![two.clone(), r("x", "1"), r("y", "2")], "1 2"),
        (vec![two.clone(), r("y", "2"), r("x", "1")], "1 2"),
        (vec![r("y", "2"), two.clone(), r("x", "1")], "1 2"),
        (vec![two.clone(), r("y", "2")], "- 2"),
        // an id used again
        (vec![x.clone(), r("x", "1"), x.clone(), r("x", "2")], "1 2"),
        (vec![x.clone(), x.clone(), r("x", "2")], "- 2"),
        (vec![x.clone(), x.clone(), r("x", "1"), r("x", "2")], "1 2"),
        (vec![same.clone(), r("x", "1"), r("x", "2")], "1 2"),
        (vec![same, r("x", "1")], "1 -"),
        // no ids
        (vec![none.clone(), n("1"), n("2")], "1 2"),
        (vec![none.clone(), named("b", "2"), named("a", "1")], "1 2"),
        (vec![two.clone(), n("1"), n("2")], "1 2"),
        (vec![two.clone(), n("2"), r("x", "1")], "1 2"),
        (vec![x.clone(), none, n("1"), n("2")], "- 1 2"),
    ];
    for (messages, expected) in cases {
        assert_eq!(results(&messages).as_deref(), Ok(expected), "{messages:?}");
    }
    let error = results(&[x.clone(), r("z", "1")]).unwrap_err();
    assert_eq!(error.path, "[1].tool_call_id");
    assert_eq!(
        error.problem,
        TraceProblem::NoSuchCall {
            id: Some("z".into())
        }
    );
    let error = results(&[x.clone(), r("x", "1"), r("x", "2")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "[2].tool_call_id: a second result of the call with the id \"x\""
    );
    let error = results(&[x, n("1"), n("2")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "[2]: names no call, and none before it waits for a result"
    );
}

#[test]
fn arguments_as_text_or_object() {
    let arguments = |arguments: Json| {
        let function = json!({"name": "a", "arguments": arguments});
        json!([{"role": "assistant", "tool_calls": [{"id": "x", "function": function}]}])
    };
    for good in [json!("{\"n\": 1}"), json!({"n": 1})] {
        assert_eq!(
            Trace::from_openai(&arguments(good)).unwrap()[0].arguments["n"],
            1
        );
    }
    for none in [json!(null), json!(""), json!("{}")] {
        assert!(
            Trace::from_openai(&arguments(none)).unwrap()[0]
                .arguments
                .is_empty()
        );
    }
    let at = "[0].tool_calls[0].function.arguments: ";
    for (bad, message) in [
        (json!("[1]"), "expected the text of an object, found a list"),
        (json!("null"), "expected the text of an object, found null"),
        (json!(3), "expected an object or its text, found a number"),
        (json!("{\"n\" 1}"), "not JSON (column 6): expected `:`"),
    ] {
        assert_eq!(openai_error(arguments(bad)), format!("{at}{message}"));
    }
}

#[test]
fn bad_messages_name_the_place() {
    for (messages, message) in [
        (
            json!(7),
            "expected a list of messages, or an object with `messages`, found a number",
        ),
        (json!({"tool_calls": []}), "no `messages`"),
        (
            json!(["hi"]),
            "[0]: expected a message (an object), found a string",
        ),
        (json!([{"content": "hi"}]), "[0]: no `role`"),
        (
            json!({"messages": [{"role": "assistant", "tool_calls": {}}]}),
            "messages[0].tool_calls: expected a list of calls, found an object",
        ),
        (
            json!([{"role": "assistant", "tool_calls": [{"id": "x"}]}]),
            "[0].tool_calls[0]: no `function`",
        ),
        (
            json!([{"role": "assistant", "tool_calls": [{"function": {"arguments": "{}"}}]}]),
            "[0].tool_calls[0].function: no `name`",
        ),
        (
            json!([{"role": "assistant", "tool_calls": [{"function": {"name": ""}}]}]),
            "[0].tool_calls[0].function.name: the tool name is empty",
        ),
        (
            json!([{"role": "tool", "tool_call_id": "x"}]),
            "[0]: no `content`",
        ),
    ] {
        assert_eq!(openai_error(messages), message);
    }
}

#[test]
fn results_are_json_only_where_they_are_objects_or_lists() {
    let known = |content: Json| {
        let mut message = result(Some("x"), "");
        message["content"] = content;
        let messages = json!([assistant(&[call(Some("x"), "a")]), message]);
        Trace::from_openai(&messages).unwrap()[0]
            .result
            .clone()
            .unwrap()
    };
    assert_eq!(known(json!(" {\"ok\": true}")), json!({"ok": true}));
    assert_eq!(known(json!("[1, 2]")), json!([1, 2]));
    assert_eq!(known(json!("[INFO] done")), json!("[INFO] done"));
    assert_eq!(known(json!("12")), json!("12"));
    assert_eq!(known(json!("true")), json!("true"));
    assert_eq!(known(json!(null)), json!(null));
    let parts = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    assert_eq!(known(parts), json!("ab"));
    let picture = json!([{"type": "image_url", "image_url": {"url": "u"}}]);
    assert_eq!(known(picture.clone()), picture);
}

#[test]
fn generations_and_what_else_a_call_says() {
    let mut third = call(Some("z"), "c");
    third["index"] = 0.into();
    let trace = Trace::from_openai(&json!({"messages": [
        {"role": "system", "content": "s"},
        assistant(&[call(Some("x"), "a"), call(Some("y"), "b")]),
        assistant(&[third]),
        {"role": "assistant", "function_call": {"name": "d", "arguments": "{}"}},
        {"role": "function", "name": "d", "content": "4"},
    ]}))
    .unwrap();
    let generations: Vec<_> = trace
        .iter()
        .map(|call| call.generation.clone().unwrap())
        .collect();
    assert_eq!(generations, [1, 1, 2, 3].map(Generation::Number));
    assert!(trace.iter().all(|call| call.step.is_none()));
    assert_eq!(trace[2].extra["index"], 0);
    assert_eq!(trace[3].result, Some(json!("4")));
}

fn json_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        "\\PC{0,4}".prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            prop::collection::hash_map("[a-z]{0,3}", inner, 0..3)
                .prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

prop_compose! {
    fn any_call()(
        name in "\\PC{1,6}",
        arguments in prop::collection::hash_map("\\PC{0,3}", json_value(), 0..3),
        result in prop::option::of(json_value()),
        step in prop::option::of(any::<i64>()),
        generation in prop::option::of(prop_oneof![
            any::<i64>().prop_map(Generation::Number),
            "\\PC{0,3}".prop_map(Generation::Text),
        ]),
        status in prop::option::of(any::<i64>()),
        id in prop::option::of("\\PC{0,3}"),
        extra in prop::collection::hash_map("x[a-z]{0,3}", json_value(), 0..3),
    ) -> ToolCall {
        let mut call = ToolCall::new(name).with_arguments(arguments.into_iter().collect());
        call.result = result;
        call.step = step;
        call.generation = generation;
        call.status = status;
        call.id = id;
        call.extra = extra.into_iter().collect();
        call
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(calls in prop::collection::vec(any_call(), 0..4)) {
        let trace = Trace::from(calls);
        prop_assert_eq!(&Trace::from_metrics(&trace.to_metrics()).unwrap(), &trace);
        let list = serde_json::to_string(&trace).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Trace>(&list).unwrap(), &trace);
        let lines: String = trace
            .iter()
            .map(|call| serde_json::to_string(call).unwrap() + "\n")
            .collect();
        prop_assert_eq!(&Trace::from_jsonl(&lines).unwrap(), &trace);
    }

    /// Calls with distinct ids find their results whatever the order of the results.
    #[test]
    fn order_of_results_does_not_matter(
        sizes in prop::collection::vec(0_usize..4, 1..4),
        shuffle in any::<prop::sample::Index>(),
    ) {
        let mut messages = Vec::new();
        let mut answers = Vec::new();
        for size in sizes {
            let ids: Vec<String> = (0..size).map(|i| format!("{}-{i}", messages.len())).collect();
            let calls: Vec<Json> = ids.iter().map(|id| call(Some(id), id)).collect();
            messages.push(assistant(&calls));
            answers.extend(ids.iter().map(|id| result(Some(id), id)));
        }
        if !answers.is_empty() {
            let by = shuffle.index(answers.len());
            answers.rotate_left(by);
        }
        let middle = messages.len() / 2;
        messages.splice(middle..middle, answers);
        for call in &Trace::from_openai(&Json::from(messages)).unwrap() {
            prop_assert_eq!(call.result.as_ref().unwrap(), &call.tool_name);
        }
    }
}
