//! `agentltl analyze`.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::{Value as Json, json};

/// Rules of which some cannot be met, alone or together.
const UNMET: &str = r#"tools = ["fetch", "save"]

[[constraint]]
name = "impossible"
formula = 'before("fetch", "save") & before("save", "fetch")'
severity = "TOLERATE"

[[constraint]]
name = "order"
formula = 'before("fetch", "save")'

[[constraint]]
name = "other_order"
formula = 'before("save", "fetch")'
severity = "TOLERATE"
"#;

/// Rules that can be met, with all else that can be found.
const MET: &str = r#"tools = ["fetch", "save", "close", "report"]

[[constraint]]
name = "idle"
formula = 'G(now("save") -> O(now("save")))'

[[constraint]]
name = "order"
formula = 'before("fetch", "save")'

[[constraint]]
name = "each_save"
formula = 'G(now("save") -> O(now("fetch")))'
severity = "TOLERATE"

[[constraint]]
name = "no_close"
formula = 'G(!now("close"))'

[[constraint]]
name = "one_fetch"
formula = 'called_n("fetch", <= 1)'

[[constraint]]
name = "one_save"
formula = 'called_n("save", <= 1)'

[[constraint]]
name = "no_report_after_save"
formula = 'G(now("report") -> !O(now("save")))'

[[constraint]]
name = "reported"
formula = 'called("report")'
applies_to_final_answer = true
severity = "TOLERATE"

[[constraint]]
name = "part"
formula = 'G(now("report") -> (O(now("fetch")) | !now("report")))'
severity = "TOLERATE"
"#;

#[test]
fn each_kind_is_found_with_its_place_run_and_way_out() {
    let folder = Folder::new();
    folder.write("unmet.toml", UNMET).write("met.toml", MET);
    let output = folder.run(&["analyze", "unmet.toml", "met.toml"]);
    assert_eq!(
        (output.code, output.err.as_str()),
        (0, ""),
        "{}",
        output.out
    );
    for lint in [
        "unsatisfiable",
        "vacuous",
        "contradiction",
        "wedge",
        "dead_end",
        "unusable_tool",
        "redundant",
        "constant",
    ] {
        let title = format!("warning[{lint}]: ");
        assert!(output.out.contains(&title), "{lint}\n{}", output.out);
    }
    let vacuous = "\
warning[vacuous]: `idle` cannot be broken: it allows every call and every finished run
  --> met.toml:5:11
  help: change the formula so that some run breaks it, or remove the constraint
";
    assert!(output.out.contains(vacuous), "{}", output.out);

    // Under strict runtime safety three kinds are errors.
    let output = folder.run(&["analyze", "--strict", "unmet.toml", "met.toml"]);
    assert_eq!(output.code, 1);
    for lint in ["unsatisfiable", "contradiction", "wedge"] {
        assert!(output.out.contains(&format!("error[{lint}]: ")), "{lint}");
    }
    assert!(output.out.contains("warning[vacuous]: "));
}

#[test]
fn the_run_is_shown_call_by_call() {
    let folder = Folder::new();
    let policy = r#"tools = ["fetch"]
strict_runtime_safety = true

[[constraint]]
name = "once"
formula = 'called_n("fetch", <= 1)'
"#;
    let output = folder.run_with(&["analyze", "-"], policy);
    assert_eq!(
        (output.code, output.out.as_str()),
        (
            1,
            "\
error[wedge]: an agent that obeys gets stuck after this allowed call: `once` (HARD_STOP) refuses whatever it calls next
  --> -:6:11
    1. fetch() -- once: PTRUE
  help: let some call pass there; under BLOCK_AND_WARN an agent can insist, and TOLERATE lets calls pass

-: 1 error
"
        )
    );
    let output = folder.run_with(&["analyze", "-", "--format", "json"], policy);
    let report: Json = serde_json::from_str(&output.out).unwrap();
    assert_eq!(output.code, 1);
    let finding = &report[0]["findings"][0];
    assert_eq!(finding["lint"], "wedge");
    assert_eq!(finding["level"], "error");
    assert_eq!(finding["constraints"], json!(["once"]));
    assert_eq!(
        (&finding["line"], &finding["column"]),
        (&json!(6), &json!(11))
    );
    assert_eq!(
        finding["run"],
        json!([{"tool_name": "fetch", "arguments": {}}])
    );
    assert_eq!(
        finding["turns"],
        json!([[{"constraint_name": "once", "verdict": "PTRUE"}]])
    );
    assert_eq!(report[0]["not_analysed"], json!([]));

    // The run is a trace that the other commands read.
    folder
        .write("policy.toml", policy)
        .write("run.json", finding["run"].to_string());
    let output = folder.run(&["replay", "run.json", "--policy", "policy.toml"]);
    assert_eq!(output.code, 0, "{}{}", output.out, output.err);
}

#[test]
fn levels_are_chosen() {
    let folder = Folder::new();
    folder.write("policy.toml", MET);
    let code = |arguments: &[&str]| {
        let mut all = vec!["analyze", "policy.toml"];
        all.extend(arguments);
        folder.run(&all).code
    };
    assert_eq!(code(&["--deny", "redundant"]), 1);
    assert_eq!(code(&["--deny", "all"]), 1);
    assert_eq!(code(&["--strict", "--warn", "all"]), 0);
    let output = folder.run(&["analyze", "-A", "all", "-D", "vacuous", "policy.toml"]);
    assert_eq!(output.code, 1);
    assert!(
        output.out.ends_with("policy.toml: 1 error\n"),
        "{}",
        output.out
    );
    assert_eq!(
        output.out.matches("error[").count() + output.out.matches("warning[").count(),
        1
    );
    let output = folder.run(&[
        "analyze",
        "-A",
        "wedge,vacuous",
        "-D",
        "wedge",
        "policy.toml",
    ]);
    assert_eq!(output.code, 2);
    assert!(
        output
            .err
            .contains("the lint `wedge` is given more than one")
    );
    let output = folder.run(&["analyze", "--allow", "redundent", "policy.toml"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("'redundant'"), "{}", output.err);
}

#[test]
fn sound_policies_and_files_that_are_none() {
    let folder = Folder::new();
    folder
        .write(
            "good.toml",
            "[[constraint]]\nname = \"order\"\nformula = 'before(\"fetch\", \"save\")'\n",
        )
        .write(
            "good.json",
            r#"{"constraint": [{"name": "idle", "formula": "G(now(\"a\") -> O(now(\"a\")))"}]}"#,
        )
        .write("bad.toml", "[[constraint]]\nname = \"order\"\n");
    let output = folder.run(&["analyze", "good.toml"]);
    assert_eq!(
        (output.code, output.out.as_str(), output.err.as_str()),
        (0, "good.toml: nothing found\n", "")
    );
    // A bad file does not hide what is to be said of the others.
    let output = folder.run(&["analyze", "bad.toml", "good.toml", "good.json"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("bad.toml"), "{}", output.err);
    assert!(output.out.contains("good.toml: nothing found"));
    assert!(
        output.out.contains("  --> good.json:1:45\n"),
        "{}",
        output.out
    );
}

#[test]
fn what_is_not_analysed_or_free_is_said() {
    let folder = Folder::new();
    let tools: Vec<String> = (0..40).map(|i| format!("\"t{i}\"")).collect();
    let gate = format!("all_before([{}], \"x\")", tools.join(", "));
    folder.write(
        "policy.toml",
        format!(
            "[[constraint]]\nname = \"large\"\nformula = '{gate} & X(X(X({gate} | called_n(\"x\", <= 90000))))'\n\n\
             [[constraint]]\nname = \"each\"\nformula = 'forall v in args(\"a\", \"k\"): matches(\"b\", k=?v) | called(\"c\")'\nseverity = \"TOLERATE\"\n"
        ),
    );
    let output = folder.run(&["analyze", "policy.toml"]);
    assert!(
        output
            .out
            .contains("note: constraint `large`: not analysed: "),
        "{}",
        output.out
    );
    assert!(
        output.out.contains("note: constraint `each`: `forall v in"),
        "{}",
        output.out
    );
    let output = folder.run(&["analyze", "policy.toml", "--format", "json"]);
    let report: Json = serde_json::from_str(&output.out).unwrap();
    assert_eq!(report[0]["not_analysed"][0]["what"], "constraint `large`");
    assert_eq!(report[0]["free"][0]["constraint_name"], "each");
}
