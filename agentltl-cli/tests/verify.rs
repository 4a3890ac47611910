//! `agentltl verify` and `replay`: formats, bad input, exit codes, output.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, fixture};
use serde_json::{Value as Json, json};

const POLICY: &str = r#"
default_severity = "PERSISTENT_BLOCK"

[[constraint]]
name = "search_first"
formula = 'before("search", "book")'
weight = 3.0
repair = "Search first."

[[constraint]]
name = "book_once"
formula = 'called_n("book", <= 1)'
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("policy.toml", POLICY);
    folder
}

fn calls(names: &[&str]) -> String {
    let lines = names
        .iter()
        .map(|name| json!({"tool_name": name}).to_string() + "\n");
    lines.collect()
}

#[test]
fn every_format_is_told_by_its_content() {
    let folder = folder();
    for (file, format, count) in [
        ("metrics.json", "metrics", 2),
        ("calls.jsonl", "calls", 2),
        ("openai.json", "openai", 2),
        ("anthropic.json", "anthropic", 2),
        ("smolagents.json", "smolagents", 4),
        ("swe-agent.traj", "swe-agent", 3),
        ("otel.json", "otel", 2),
    ] {
        let path = fixture(file);
        let told = folder.run(&["verify", &path, "-p", "policy.toml", "-f", "json"]);
        let forced = folder.run(&[
            "verify",
            &path,
            "-p",
            "policy.toml",
            "-f",
            "json",
            "--from",
            format,
        ]);
        assert_eq!(told.err, "", "{file}");
        assert_eq!(told.out, forced.out, "{file}");
        let json: Json = serde_json::from_str(&told.out).unwrap();
        let names = json["runs"][0]["tool_sequence"].as_array().unwrap();
        assert_eq!(names.len(), count, "{file}");
    }
}

#[test]
fn exit_codes_and_the_score_asked_for() {
    let folder = folder();
    folder
        .write("good.jsonl", calls(&["search", "book"]))
        .write("twice.jsonl", calls(&["search", "book", "book"]));
    let good = folder.run(&["verify", "good.jsonl", "-p", "policy.toml"]);
    assert_eq!((good.code, good.err.as_str()), (0, ""));
    assert!(good.out.contains("compliance: FULL (1.00)"), "{}", good.out);
    let twice = folder.run(&["verify", "twice.jsonl", "-p", "policy.toml"]);
    assert_eq!(twice.code, 1);
    assert!(twice.out.contains("[FAIL] book_once"), "{}", twice.out);
    for (score, code) in [("0.75", 0), ("0.76", 1), ("0", 0)] {
        let asked = [
            "verify",
            "twice.jsonl",
            "-p",
            "policy.toml",
            "--min-score",
            score,
        ];
        assert_eq!(folder.run(&asked).code, code, "{score}");
    }
    let asked = [
        "verify",
        "twice.jsonl",
        "-p",
        "policy.toml",
        "--min-score",
        "1.1",
    ];
    assert_eq!(folder.run(&asked).code, 2);
    assert_eq!(
        folder
            .run(&["verify", "good.jsonl", "-p", "absent.toml"])
            .code,
        2
    );
    assert_eq!(
        folder
            .run(&["verify", "absent.jsonl", "-p", "policy.toml"])
            .code,
        2
    );
}

#[test]
fn bad_files_are_reported_and_the_others_judged() {
    let folder = folder();
    let messages = json!({"messages": [
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "search"}}]},
        {"role": "tool", "tool_call_id": "2", "content": ""}]});
    folder
        .write("runs/a.jsonl", calls(&["search", "book"]))
        .write("runs/binary.json", b"{\"tool_calls\": [\n\xff]}")
        .write(
            "runs/cut.jsonl",
            "{\"tool_calls\": []}\n{\"tool_calls\": [{\"tool_n",
        )
        .write("runs/empty.json", "\n \n")
        .write("runs/foreign.json", "{\"name_of\": \"something else\"}")
        .write(
            "runs/list.json",
            json!([{"messages": []}, {"messages": 7}, 3]).to_string(),
        )
        .write(
            "runs/lines.jsonl",
            "{\"tool_name\": \"a\"}\n\n{\"tool_name\": \"\"}\n",
        )
        .write(
            "runs/messages.json",
            serde_json::to_string_pretty(&messages).unwrap(),
        )
        .write("runs/notes.txt", "not a trace")
        .write("runs/nested/utf16.json", b"\xff\xfe{\0}\0")
        .write(
            "runs/zz.json",
            json!({"tool_calls": [{"name": "search"}]}).to_string(),
        );
    let output = folder.run(&["verify", "runs", "-p", "policy.toml", "-f", "json"]);
    assert_eq!(output.code, 2);
    let json: Json = serde_json::from_str(&output.out).unwrap();
    let sources: Vec<&str> = json["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["source"].as_str().unwrap())
        .collect();
    assert_eq!(
        sources,
        [
            "runs/a.jsonl",
            "runs/cut.jsonl",
            "runs/list.json",
            "runs/zz.json"
        ]
    );
    let formats = "(metrics, calls, openai, anthropic, smolagents, swe-agent, otel)";
    let errors: Vec<&str> = output.err.lines().collect();
    assert_eq!(
        errors,
        [
            "error: runs/binary.json:2: not UTF-8".to_owned(),
            "error: runs/cut.jsonl:2: not JSON: it ends too soon (EOF while parsing a string)"
                .to_owned(),
            "error: runs/empty.json: the file is empty".to_owned(),
            format!("error: runs/foreign.json:1: not a run in any format known here {formats}"),
            "error: runs/lines.jsonl:3: tool_name: the tool name is empty".to_owned(),
            format!("error: runs/list.json: [1]: not a run in any format known here {formats}"),
            format!("error: runs/list.json: [2]: not a run in any format known here {formats}"),
            "error: runs/messages.json: messages[1].tool_call_id: no call has the id \"2\", so \
             there is none this is the result of"
                .to_owned(),
            "error: runs/nested/utf16.json: is in UTF-16; traces are read in UTF-8".to_owned(),
        ]
    );
    assert_eq!(json["errors"].as_array().unwrap().len(), errors.len());
}

#[test]
fn standard_input_lists_and_lines() {
    let folder = folder();
    let ask = ["verify", "-", "-p", "policy.toml", "-f", "json"];
    let count = |input: &str| {
        let output = folder.run_with(&ask, input);
        assert_eq!(output.err, "", "{input}");
        let json: Json = serde_json::from_str(&output.out).unwrap();
        json["runs"].as_array().unwrap().len()
    };
    assert_eq!(count(&calls(&["search", "book"])), 1);
    assert_eq!(
        count("\u{feff}{\"tool_calls\": []}\r\n\r\n{\"tool_calls\": []}\r\n"),
        2
    );
    assert_eq!(count("[]"), 1);
    assert_eq!(count("[{\"tool_calls\": []}, {\"messages\": []}]"), 2);
    assert_eq!(count("[\n  [{\"role\": \"user\"}],\n  []\n]"), 2);
    assert_eq!(count("[{\"role\": \"user\"}]\n[{\"role\": \"user\"}]\n"), 2);
    assert_eq!(count("{\"role\": \"user\"}\n{\"role\": \"assistant\"}"), 1);
    let broken_first = "{\"tool_calls\": [}\n{\"tool_calls\": []}\n";
    let output = folder.run_with(&ask, broken_first);
    assert_eq!(
        output.err,
        "error: -:1: not JSON (column 17): expected value\n"
    );
    let json: Json = serde_json::from_str(&output.out).unwrap();
    assert_eq!(json["runs"][0]["line"], 2);
}

#[test]
fn junit_says_what_failed() {
    let folder = folder();
    folder
        .write("a<b.jsonl", calls(&["book"]))
        .write("empty.json", "");
    let output = folder.run(&[
        "verify",
        "a<b.jsonl",
        "empty.json",
        "-p",
        "policy.toml",
        "-f",
        "junit",
    ]);
    assert_eq!(output.code, 2);
    assert_eq!(
        output.out,
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="agentltl">
  <testsuite name="a&lt;b.jsonl" tests="2" failures="1" errors="0" skipped="0">
    <properties><property name="compliance_score" value="0.25"/></properties>
    <testcase name="search_first" classname="a&lt;b.jsonl"><failure message="`book` (call #1) came and `search` was never called." type="violation">Search first.</failure></testcase>
    <testcase name="book_once" classname="a&lt;b.jsonl"/>
  </testsuite>
  <testsuite name="empty.json" tests="1" failures="0" errors="1"><testcase name="read" classname="empty.json"><error message="empty.json: the file is empty" type="input"/></testcase></testsuite>
</testsuites>
"#
    );
}

#[test]
fn colour_only_where_it_is_wanted() {
    let folder = folder();
    folder.write("run.jsonl", calls(&["book"]));
    let plain = folder.run(&["verify", "run.jsonl", "-p", "policy.toml"]);
    assert!(!plain.out.contains('\u{1b}'));
    let colored = folder.run(&[
        "verify",
        "run.jsonl",
        "-p",
        "policy.toml",
        "--color",
        "always",
    ]);
    assert!(
        colored.out.contains("\u{1b}[1m\u{1b}[31m[FAIL]\u{1b}[0m"),
        "{:?}",
        colored.out
    );
    // A trace cannot write to the terminal.
    folder.write("evil.jsonl", calls(&["book", "\u{1b}]0;x\u{7}"]));
    for command in ["verify", "replay"] {
        let evil = folder.run(&[
            command,
            "evil.jsonl",
            "-p",
            "policy.toml",
            "--color",
            "always",
        ]);
        assert!(!evil.out.contains("\u{1b}]"), "{:?}", evil.out);
    }
}

#[test]
fn the_report_goes_to_a_file() {
    let folder = folder();
    folder.write("run.jsonl", calls(&["search"]));
    let ask = [
        "verify",
        "run.jsonl",
        "-p",
        "policy.toml",
        "-o",
        "out.txt",
        "--color",
        "always",
    ];
    let output = folder.run(&ask);
    assert_eq!(output.out, "");
    assert!(folder.read("out.txt").contains("[FAIL] search_first"));
    assert!(!folder.read("out.txt").contains('\u{1b}'));
}

#[test]
fn replay_with_feedback() {
    let folder = folder();
    folder.write("run.jsonl", calls(&["book", "search", "book"]));
    let output = folder.run(&["replay", "run.jsonl", "-p", "policy.toml", "--feedback"]);
    assert_eq!(output.code, 1);
    assert!(
        output.out.starts_with(
            "run.jsonl  3 calls, 1 refused\n  1  book()    block  search_first\n       search_first: "
        ),
        "{}",
        output.out
    );
    assert!(
        output.out.contains("feedback for call 1\n    | "),
        "{}",
        output.out
    );
    folder.write("good.jsonl", calls(&["search", "book"]));
    assert_eq!(
        folder
            .run(&["replay", "good.jsonl", "-p", "policy.toml"])
            .code,
        0
    );
}

#[test]
fn many_runs_keep_their_order() {
    let folder = folder();
    let line = |i: usize| {
        let book = json!({"tool_name": "book"});
        let calls: Vec<Json> = std::iter::repeat_n(book, i % 7).collect();
        json!({"tool_calls": calls}).to_string() + "\n"
    };
    folder.write("runs.jsonl", (0..2000).map(line).collect::<String>());
    let output = folder.run(&["verify", "runs.jsonl", "-p", "policy.toml", "-f", "json"]);
    let json: Json = serde_json::from_str(&output.out).unwrap();
    for (i, run) in json["runs"].as_array().unwrap().iter().enumerate() {
        assert_eq!(run["line"], i + 1);
        assert_eq!(run["tool_sequence"].as_array().unwrap().len(), i % 7);
    }
    assert_eq!(json["summary"]["runs"], 2000);
}
