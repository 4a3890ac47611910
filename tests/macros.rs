//! The macros as their users see them: what compiles, and what the compiler says of what does not.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::path::Path;
use std::process::Command;

use agentltl::{Constraint, Enforcer, Formula, Policy, Severity, ToolCall, constraints};

/// `tests/ui/COVERAGE.md` says which message each case is about.
#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}

/// What the compiler refuses under strict runtime safety, the program reports in the same words: the
/// rule of each case is read again as text.
#[test]
fn the_program_reports_what_the_compiler_refuses() {
    for case in ["strict_unsafe", "strict_inert"] {
        let file = |ending| support::root().join(format!("tests/ui/fail/{case}.{ending}"));
        let program = std::fs::read_to_string(file("rs")).unwrap();
        let rule = program
            .lines()
            .find(|line| line.starts_with("    ") && line.contains(" = "))
            .unwrap();
        let (name, rest) = rule.trim().split_once(": ").unwrap();
        let (severity, formula) = rest.trim_end_matches(';').split_once(" = ").unwrap();
        let constraint = Constraint::new(name, Formula::parse(formula).unwrap())
            .with_severity(severity.parse().unwrap());
        let policy = Policy::new([constraint]).unwrap();
        let [report] = &policy.classify()[..] else {
            panic!("one rule, one report");
        };
        assert!(!report.compatible);
        let message = report.message.as_deref().unwrap();
        let strict = policy.check_strict().unwrap_err().to_string();
        assert!(strict.contains(message), "{strict}");
        let compiler = std::fs::read_to_string(file("stderr")).unwrap();
        let (why, way_out) = message.split_once("; ").unwrap();
        let way_out = way_out
            .replacen("`applies", "`#[applies", 1)
            .replacen("answer`", "answer]`", 1);
        assert!(compiler.contains(why), "{compiler}\n{why}");
        assert!(compiler.contains(&way_out), "{compiler}\n{way_out}");
    }
}

/// Each case is in the list, and the list names no other.
#[test]
fn coverage_is_listed() {
    let folder = support::root().join("tests/ui");
    let list = std::fs::read_to_string(folder.join("COVERAGE.md")).unwrap();
    let mut listed: Vec<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split_once('`').map(|(case, _)| case))
        .collect();
    listed.sort_unstable();
    let mut cases: Vec<String> = std::fs::read_dir(folder.join("fail"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    cases.sort_unstable();
    assert_eq!(listed, cases);
    assert!(cases.len() >= 60);
}

struct DeployTool;

impl DeployTool {
    const NAME: &'static str = "deploy";
}

static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    #![default_severity(SOFT_BLOCK)]
    #![tools("fetch_data", "process_data", DeployTool::NAME, "pytest")]

    /// Raw data is fetched before it is processed.
    #[weight(2.0)]
    #[repair("Call fetch_data first.")]
    fetch_first: HARD_STOP = before("fetch_data", "process_data");

    "one-deploy": BLOCK_AND_WARN = r#"G(now("deploy") -> X(G(!now("deploy"))))"#;
    deploy_once: PERSISTENT_BLOCK = called_n(DeployTool::NAME, <= 1);
    deploy_last = G(now(DeployTool::NAME) -> G(!now("process_data")));

    #[applies_to_final_answer]
    tests_ran: TOLERATE = called("pytest");
};

#[test]
fn report() {
    insta::assert_snapshot!("report", POLICY);
}

/// The rules come out of the program as they went in, through a text too.
#[test]
fn a_policy_is_like_one_read_at_run_time() {
    let read = Policy::from_json(&POLICY.to_json()).unwrap();
    assert_eq!(read, POLICY);
    assert_eq!(POLICY.clone(), POLICY);
    assert_eq!(POLICY.default_severity(), Severity::SoftBlock);
}

fn no_flights(_: &[ToolCall]) -> Result<Vec<serde_json::Value>, String> {
    Err("the list of flights is not there".to_owned())
}

static FALLIBLE: Policy = constraints! {
    changed: HARD_STOP = forall f in no_flights: !called_with("cancel", flight=?f);
};

/// A domain by path may return a `Result`; without the entities no call is let through.
#[test]
fn a_domain_that_fails_refuses_the_call() {
    let mut enforcer = Enforcer::new(FALLIBLE.clone()).unwrap();
    let decision = enforcer.check(ToolCall::new("cancel").with_argument("flight", "HAT1"));
    assert!(!decision.allowed());
    let why = format!("{:?}", decision.violations);
    assert!(why.contains("the list of flights is not there"), "{why}");
}

/// The dependency under another name, in both editions that are in use.
#[test]
fn other_names_and_editions() {
    let folder = support::root().join("target/tests/names");
    let agentltl = support::root().join("agentltl");
    for edition in ["2021", "2024"] {
        let name = format!("edition{edition}");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"{edition}\"\n\n\
             [dependencies]\nrules = {{ package = \"agentltl\", path = {agentltl:?} }}\n"
        );
        let source = r#"
#![deny(warnings)]
#![forbid(unsafe_code)]

const B: &str = "b";

fn few(calls: &[rules::ToolCall], _position: usize) -> bool {
    calls.len() < 3
}

pub static POLICY: rules::Policy = rules::constraints! {
    #![strict_runtime_safety]
    #![tools("a", B)]
    order: HARD_STOP = before("a", B) & predicate(few, runtime_safe = true);
    text: ASK = "before(\"a\", \"b\")";
};

pub fn formula() -> rules::Formula {
    rules::formula!(called(B))
}
"#;
        write(&folder.join(&name).join("Cargo.toml"), &manifest);
        write(&folder.join(&name).join("src/lib.rs"), source);
    }
    write(
        &folder.join("Cargo.toml"),
        "[workspace]\nmembers = [\"edition2021\", \"edition2024\"]\nresolver = \"3\"\n",
    );
    let lock = std::fs::read_to_string(support::root().join("Cargo.lock")).unwrap();
    write(&folder.join("Cargo.lock"), &lock);
    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet"])
        .current_dir(&folder)
        .env_remove("RUSTFLAGS")
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// Leaves a file alone that is as it should be, so that cargo need not look at it again.
fn write(path: &Path, text: &str) {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
