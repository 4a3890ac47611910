//! Every kind of formula, with a run that it holds on and one that it does not hold on.
//!
//! It prints a table and fails where a verdict is not the one it says.
#![allow(clippy::print_stdout)]

use agentltl::{
    Answer, Args, Formula, ToolCall, Trace, Value,
    build::{called_with, forall, globally},
    domain, formula, holds, matches_pattern, predicate, verdict,
};

/// A formula, a run that it holds on, and one that it does not hold on.
type Case = (Formula, Trace, Trace);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let groups: [(&str, Vec<Case>); 6] = [
        ("what is called", called()),
        ("in which order", ordered()),
        ("at every call, at some call", future()),
        ("what came before", past()),
        ("for each value", quantified()),
        ("in Rust", in_rust()),
    ];
    for (title, cases) in groups {
        println!("# {title}\n");
        for (formula, good, bad) in cases {
            println!("{formula}   {}", formula.runtime_safety());
            for (run, expected) in [(&good, true), (&bad, false)] {
                let calls: Vec<&str> = run.tool_names().collect();
                let (holds, running) = (holds(&formula, run)?, verdict(&formula, run)?);
                let mark = if holds { "PASS" } else { "FAIL" };
                println!("    {mark} (running: {running:7}) [{}]", calls.join(", "));
                if holds != expected {
                    return Err(format!("`{formula}` was to be {expected} here").into());
                }
            }
        }
        println!();
    }
    Ok(())
}

fn names<const N: usize>(tools: [&str; N]) -> Trace {
    Trace::from_names(tools)
}

fn call(tool: &str, key: &str, value: &str) -> ToolCall {
    ToolCall::new(tool).with_argument(key, value)
}

fn called() -> Vec<Case> {
    vec![
        (formula!(called("fetch")), names(["fetch"]), names(["save"])),
        (
            formula!(called_n("poll", == 2)),
            names(["poll", "poll"]),
            names(["poll"]),
        ),
        (
            formula!(called_n("poll", >= 2)),
            names(["poll", "poll"]),
            names(["poll"]),
        ),
        (
            formula!(called_n("poll", > 1)),
            names(["poll", "poll"]),
            names(["poll"]),
        ),
        (
            formula!(called_n("poll", <= 1)),
            names(["poll"]),
            names(["poll", "poll"]),
        ),
        (
            formula!(called_n("poll", < 2)),
            names(["poll"]),
            names(["poll", "poll"]),
        ),
        (
            formula!(called_with("search", q = "cats")),
            Trace::from_iter([call("search", "q", "cats").with_argument("limit", 10)]),
            Trace::from_iter([call("search", "q", "dogs")]),
        ),
        (
            formula!(called_with_result("poll", "READY")),
            Trace::from_iter([ToolCall::new("poll").with_result("READY")]),
            Trace::from_iter([ToolCall::new("poll").with_result("BUSY")]),
        ),
        (
            formula!(branch_called(
                "refund",
                "voucher",
                context = "the order is late"
            )),
            names(["refund"]),
            names(["refund", "voucher"]),
        ),
    ]
}

fn ordered() -> Vec<Case> {
    vec![
        (
            formula!(before("fetch", "save")),
            names(["fetch", "save"]),
            names(["save", "fetch"]),
        ),
        (
            formula!(after("save", "fetch")),
            names(["fetch", "save"]),
            names(["save", "fetch"]),
        ),
        (
            formula!(all_before(["users", "orders"], "report")),
            names(["orders", "users", "report"]),
            names(["users", "report", "orders"]),
        ),
        (
            formula!(in_order(["init", "run", "done"])),
            names(["init", "log", "run", "done"]),
            names(["init", "done", "run"]),
        ),
        (
            formula!(instance_before("read"[2], "write"[1])),
            names(["read", "read", "write"]),
            names(["read", "write", "read"]),
        ),
        (
            formula!(within_steps("alert", "ack", 2)),
            names(["alert", "log", "ack"]),
            names(["alert", "log", "log", "ack"]),
        ),
    ]
}

fn future() -> Vec<Case> {
    vec![
        (
            formula!(now("login")),
            names(["login", "read"]),
            names(["read", "login"]),
        ),
        (
            formula!(matches(["login", "sso"], user = "ada")),
            Trace::from_iter([call("sso", "user", "ada")]),
            Trace::from_iter([call("sso", "user", "bob")]),
        ),
        (
            formula!(@1(now("read"))),
            names(["login", "read"]),
            names(["login"]),
        ),
        (
            formula!(X(now("read"))),
            names(["login", "read"]),
            names(["login"]),
        ),
        (
            formula!(G(!now("delete"))),
            names(["read"]),
            names(["read", "delete"]),
        ),
        (
            formula!(G(now("open") -> F(now("close")))),
            names(["open", "read", "close"]),
            names(["open", "close", "open"]),
        ),
        (
            formula!(F(now("done"))),
            names(["work", "done"]),
            names(["work"]),
        ),
        (
            formula!((now("poll")) U (now("ready"))),
            names(["poll", "poll", "ready"]),
            names(["poll", "poll"]),
        ),
        (
            formula!((now("poll")) W (now("ready"))),
            names(["poll", "poll"]),
            names(["poll", "work", "ready"]),
        ),
        (
            formula!((now("unlock")) R (!now("enter"))),
            names(["wait", "unlock", "enter"]),
            names(["enter", "unlock"]),
        ),
        (
            formula!(called("a") & !called("b") | called("c") -> called("d")),
            names(["a", "b"]),
            names(["a"]),
        ),
    ]
}

fn past() -> Vec<Case> {
    vec![
        (
            formula!(G(now("b") -> Y(now("a")))),
            names(["a", "b"]),
            names(["a", "c", "b"]),
        ),
        (
            formula!(G(now("b") -> O(now("a")))),
            names(["a", "c", "b"]),
            names(["b", "a"]),
        ),
        (
            formula!(G(now("sign") -> H(!now("edit")))),
            names(["read", "sign", "edit"]),
            names(["edit", "sign"]),
        ),
        (
            formula!(G(now("push") -> Y((!now("edit")) S now("test")))),
            names(["edit", "test", "push"]),
            names(["test", "edit", "push"]),
        ),
        (
            formula!(G(now("search") -> count_before(now("search"), < 2))),
            names(["search", "search"]),
            names(["search", "search", "search"]),
        ),
    ]
}

fn quantified() -> Vec<Case> {
    let run = |calls: [(&str, &str, &str); 2]| {
        Trace::from_iter(calls.map(|(tool, key, value)| call(tool, key, value)))
    };
    vec![
        (
            formula!(forall f in args("open", "path"): called_with("close", path = ?f)),
            run([("open", "path", "a.txt"), ("close", "path", "a.txt")]),
            run([("open", "path", "a.txt"), ("close", "path", "b.txt")]),
        ),
        (
            formula!(exists c in ["red", "green"]: called_with("paint", colour = ?c)),
            run([("paint", "colour", "blue"), ("paint", "colour", "green")]),
            run([("paint", "colour", "blue"), ("paint", "colour", "grey")]),
        ),
        (
            formula!(forall h in results("search"): called_with("read", page = ?h)),
            Trace::from_iter([
                ToolCall::new("search").with_result("p1"),
                call("read", "page", "p1"),
            ]),
            Trace::from_iter([
                ToolCall::new("search").with_result("p1"),
                call("read", "page", "p2"),
            ]),
        ),
    ]
}

fn in_rust() -> Vec<Case> {
    let few = predicate(
        "few_calls",
        Some(true),
        |calls: &[ToolCall], _| match calls.len() {
            0..=2 => Answer::new(true),
            _ => Answer::new(false).finally(),
        },
    );
    let outside = matches_pattern(
        "outside",
        |call: &ToolCall| {
            let path = call.arguments.get("path").and_then(|path| path.as_str());
            path.is_some_and(|path| path.starts_with('/'))
        },
        true,
    );
    let customers = domain("customers", |calls: &[ToolCall]| {
        calls
            .iter()
            .filter_map(|call| call.arguments.get("customer").cloned())
            .collect()
    });
    let thanked = called_with("thank", Args::new([("customer", Value::var("c"))]));
    vec![
        (few, names(["a", "b"]), names(["a", "b", "c"])),
        (
            globally(!outside),
            Trace::from_iter([call("write", "path", "notes.txt")]),
            Trace::from_iter([call("write", "path", "/etc/passwd")]),
        ),
        (
            forall("c", customers, thanked),
            Trace::from_iter([
                call("serve", "customer", "Ada"),
                call("thank", "customer", "Ada"),
            ]),
            Trace::from_iter([call("serve", "customer", "Ada")]),
        ),
    ]
}
