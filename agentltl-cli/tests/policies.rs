//! `agentltl check`, `fmt`, `convert`, `classify`, `explain`, and what shells need.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::Value as Json;

#[test]
fn check_shows_the_place() {
    let folder = Folder::new();
    folder.write(
        "bad.toml",
        r#"[[constraint]]
name = "order"
formula = 'before("a", "b") & calld("c")'
severity = "HARDSTOP"

[[constraint]]
name = "order"
formul = 'called("a")'
"#,
    );
    let output = folder.run(&["check", "bad.toml"]);
    assert_eq!((output.code, output.out.as_str()), (2, ""));
    let expected = r#"  --> bad.toml:3:31
   |
 3 | formula = 'before("a", "b") & calld("c")'
   |                               ^^^^^
  help: did you mean `called`?
"#;
    assert!(output.err.contains(expected), "{}", output.err);
    for part in [
        "did you mean `HARD_STOP`",
        "  --> bad.toml:4:12\n",
        "unknown key `formul`; did you mean `formula`?",
        "  --> bad.toml:8:1\n   |\n 8 | formul = 'called(\"a\")'\n   | ^^^^^^\n",
        "the name is that of an earlier constraint",
    ] {
        assert!(output.err.contains(part), "{part}\n{}", output.err);
    }
}

#[test]
fn check_of_good_files_and_mismatches() {
    let folder = Folder::new();
    folder
        .write(
            "good.toml",
            "[[constraint]]\nname = \"x\"\nformula = 'before(\"a\", \"b\")'\n",
        )
        .write(
            "loose.json",
            r#"{"constraint": [{"name": "x", "formula": "called(\"a\")"}]}"#,
        );
    let output = folder.run(&["check", "good.toml", "loose.json"]);
    assert_eq!(output.code, 0);
    assert_eq!(
        output.out,
        "good.toml: ok, 1 constraint\nloose.json: ok, 1 constraint\n"
    );
    assert!(
        output
            .err
            .starts_with("warning: constraint `x` is UNSAFE with severity HARD_STOP")
    );
    let strict = folder.run(&["check", "--strict", "good.toml", "loose.json"]);
    assert_eq!(
        (strict.code, strict.out.as_str()),
        (1, "good.toml: ok, 1 constraint\n")
    );
    assert_eq!(folder.run(&["check", "absent.toml", "good.toml"]).code, 2);
}

#[test]
fn fmt_in_place_and_check() {
    let folder = Folder::new();
    let messy = "# Why.\n[[constraint]]\nformula = 'before(\"a\",\"b\")'\nname=\"x\" # the name\n";
    let tidy =
        "# Why.\n[[constraint]]\nname = \"x\"  # the name\nformula = 'before(\"a\", \"b\")'\n";
    folder.write("policy.toml", messy);
    let output = folder.run(&["fmt", "--check", "policy.toml"]);
    assert_eq!(
        (output.code, folder.read("policy.toml").as_str()),
        (1, messy)
    );
    assert_eq!(folder.run(&["fmt", "policy.toml"]).code, 0);
    assert_eq!(folder.read("policy.toml"), tidy);
    assert_eq!(folder.run(&["fmt", "--check", "policy.toml"]).code, 0);
    let output = folder.run_with(&["fmt", "-"], messy);
    assert_eq!((output.code, output.out.as_str()), (0, tidy));
}

#[test]
fn convert_there_and_back() {
    let folder = Folder::new();
    folder.write(
        "policy.toml",
        "default_severity = \"ASK\"\n\n[[constraint]]\nname = \"x\"\nformula = 'before(\"a\", \"b\")'\n",
    );
    let json = folder.run(&["convert", "policy.toml"]);
    assert_eq!(json.code, 0);
    let value: Json = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["default_severity"], "ASK");
    let toml = folder.run_with(&["convert", "-"], &json.out);
    assert_eq!(toml.out, folder.read("policy.toml"));
    assert_eq!(
        folder
            .run(&["convert", "policy.toml", "-o", "policy.json"])
            .code,
        0
    );
    assert_eq!(folder.read("policy.json"), json.out);
    assert_eq!(folder.run_with(&["convert", "-"], "constraint = 1").code, 2);
}

#[test]
fn classify_formulas_and_policies() {
    let folder = Folder::new();
    let output = folder.run(&["classify", r#"called("a")"#]);
    assert_eq!(output.code, 0);
    assert_eq!(output.out, "UNSAFE {PFALSE, TRUE}\n    called(\"a\")\n");
    let output = folder.run(&["classify", r#"called("a")"#, "--severity", "HARD_STOP"]);
    assert_eq!(output.code, 1);
    assert!(output.out.contains("mismatch"));
    let output = folder.run(&["classify", r#"calld("a")"#]);
    assert_eq!(output.code, 2);
    assert!(
        output.err.contains("did you mean `called`"),
        "{}",
        output.err
    );
    let policy = "[[constraint]]\nname = \"x\"\nformula = 'before(\"a\", \"b\")'\n";
    let output = folder.run_with(&["classify", "-p", "-", "--format", "json"], policy);
    let json: Json = serde_json::from_str(&output.out).unwrap();
    assert_eq!(json[0]["classification"], "SAFE");
    assert_eq!(json[0]["compatible"], true);
}

#[test]
fn explain_in_words_and_runs() {
    let folder = Folder::new();
    let output = folder.run(&["explain", r#"before("fetch", "save")"#]);
    assert_eq!(output.code, 0);
    assert_eq!(
        output.out,
        "\
formula   before(\"fetch\", \"save\")
in words  `fetch` comes before the first `save`.
verdicts  FALSE (violated for good), PENDING (undecided), TRUE (holds for good)
class     SAFE: it fails only for good, so each refusal points at a real violation by the refused call
violated  by the run without calls
satisfied by fetch(), save()
"
    );
    let output = folder.run(&["explain", r#"!now("x") & (now("y") -> called("z"))"#]);
    assert!(
        output
            .out
            .contains("class     UNSAFE: `called(\"z\")` can be unmet"),
        "{}",
        output.out
    );
}

#[test]
fn shells_and_man() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = folder.run(&["completions", shell]);
        assert!(
            output.code == 0 && output.out.contains("min-score"),
            "{shell}"
        );
    }
    let man = folder.run(&["man"]);
    assert!(man.out.contains(".TH agentltl"), "{}", man.out);
    assert!(man.out.contains("agentltl\\-verify"), "{}", man.out);
}

#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_agentltl"))
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stderr, b"");
}
