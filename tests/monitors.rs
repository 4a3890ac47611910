//! The monitors say what the evaluator says, at every step.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/same.rs"]
mod same;
mod support;

use agentltl::monitor::Monitors;
use agentltl::{Formula, ToolCall};
use cases::{Bytes, Language};
use same::{compare, show};
use serde_json::Value as Json;

fn check_case(formulas: &[Formula], calls: &[ToolCall]) -> usize {
    match compare(formulas, calls) {
        Ok(watched) => watched,
        Err(error) => {
            let (formulas, calls) = shrink(formulas, calls);
            let error = compare(&formulas, &calls).err().unwrap_or(error);
            panic!("{error}\n{}", show(&formulas, &calls));
        }
    }
}

/// Fewer calls and simpler formulas that still differ.
fn shrink(formulas: &[Formula], calls: &[ToolCall]) -> (Vec<Formula>, Vec<ToolCall>) {
    let (mut formulas, mut calls) = (formulas.to_vec(), calls.to_vec());
    loop {
        let mut smaller = None;
        let fails = |formulas: &[Formula], calls: &[ToolCall]| compare(formulas, calls).is_err();
        for i in 0..calls.len() {
            let mut fewer = calls.clone();
            fewer.remove(i);
            if fails(&formulas, &fewer) {
                smaller = Some((formulas.clone(), fewer));
                break;
            }
        }
        for i in 0..calls.len() {
            let mut simpler = calls.clone();
            simpler[i] = ToolCall::new(calls[i].tool_name.as_str());
            if smaller.is_none() && simpler[i] != calls[i] && fails(&formulas, &simpler) {
                smaller = Some((formulas.clone(), simpler));
            }
        }
        if smaller.is_none() {
            'formula: for (i, formula) in formulas.iter().enumerate() {
                let tree = formula.tree();
                for id in 0..tree.len() {
                    let extent = tree.extent(id);
                    for by in tree.children(id).iter().copied() {
                        // The node replaced by one of its operands.
                        let mut nodes = formula.nodes()[..extent.start].to_vec();
                        nodes.extend_from_slice(&formula.nodes()[tree.extent(by)]);
                        nodes.extend_from_slice(&formula.nodes()[extent.end..]);
                        let shorter = Formula::from_static(Box::leak(nodes.into_boxed_slice()));
                        let mut other = formulas.clone();
                        other[i] = shorter;
                        if other[i].unbound_variable().is_none() && fails(&other, &calls) {
                            smaller = Some((other, calls.clone()));
                            break 'formula;
                        }
                    }
                }
            }
        }
        match smaller {
            Some(case) => (formulas, calls) = case,
            None => return (formulas, calls),
        }
    }
}

fn many(name: &str, language: Language, depth: usize, cases: u64, calls: usize) {
    let cases = std::env::var("MONITOR_CASES").map_or(cases, |cases| cases.parse().unwrap());
    let first: u64 = std::env::var("MONITOR_SEED").map_or(0, |seed| seed.parse().unwrap());
    let (mut watched, mut steps) = (0, 0);
    for seed in first..first + cases {
        let bytes = cases::random(seed, 2000);
        let bytes = &mut Bytes(&bytes);
        let depth = 1 + bytes.below(depth);
        let formula = cases::formula(bytes, language, depth);
        let calls = cases::calls(bytes, calls, true);
        steps += calls.len();
        watched += check_case(&[formula], &calls);
    }
    println!("{name}: {watched} of {steps} steps watched");
    assert!(
        watched * 2 > steps,
        "{name}: only {watched} of {steps} steps were watched"
    );
}

/// `conformance/eval.jsonl`, by the monitors alone.
#[test]
fn conformance() {
    let (mut compared, mut cases) = (0, 0);
    for (number, line) in support::conformance("eval.jsonl") {
        let text = line["formula"].as_str().unwrap();
        let formula: Formula = text.parse().unwrap();
        for case in line["cases"].as_array().unwrap() {
            let calls = case["trace"].as_array().unwrap().iter().map(support::call);
            let mut calls: Vec<ToolCall> = calls.collect();
            let context = || format!("line {number}: {text} on {}", case["trace"]);
            let mut monitors = Monitors::new([&formula]);
            monitors.replay(&calls, 0);
            cases += 1;
            if let Some(verdict) = monitors.verdict(0) {
                compared += 1;
                assert_eq!(
                    verdict.as_str(),
                    case["partial"].as_str().unwrap(),
                    "{}",
                    context()
                );
            }
            if let Some(refused) = case.get("refuse_last").and_then(Json::as_bool) {
                let mut last = calls.pop().unwrap();
                (last.result, last.step) = (None, None);
                monitors.replay(&calls, calls.len());
                if monitors.is_watched(0) {
                    let check = monitors.check(&last);
                    assert_eq!(!check.suspects.is_empty(), refused, "{}", context());
                }
            }
        }
    }
    assert!(
        compared * 10 > cases * 9,
        "only {compared} of {cases} cases were watched"
    );
}

/// Results that arrive late, calls that are withdrawn: the monitors are told from where on the run
/// changed, and are as if they had read it so.
#[test]
fn a_changed_run() {
    let language = Language {
        quantifiers: true,
        rust: false,
    };
    for seed in 0..1_000 {
        let bytes = cases::random(seed, 3000);
        let bytes = &mut Bytes(&bytes);
        let depth = 1 + bytes.below(5);
        let formulas = [
            cases::formula(bytes, language, depth),
            cases::formula(bytes, language, 3),
        ];
        let calls = cases::calls(bytes, 14, true);
        let others = cases::calls(bytes, 14, true);
        let mut monitors = Monitors::new(&formulas);
        let mut run: Vec<ToolCall> = Vec::new();
        for (i, call) in calls.iter().enumerate() {
            run.push(call.clone());
            monitors.record(call);
            match bytes.below(4) {
                0 => {
                    let from = bytes.below(run.len());
                    run.remove(from);
                    monitors.replay(&run, from);
                }
                1 => {
                    let from = bytes.below(run.len());
                    let mut after = others.iter().cycle().skip(i);
                    for changed in &mut run[from..] {
                        changed.result = after.next().and_then(|other| other.result.clone());
                    }
                    monitors.replay(&run, from);
                }
                _ => {}
            }
            let mut plain = Monitors::new(&formulas);
            plain.replay(&run, 0);
            let context = || format!("seed {seed}, call {i}\n{}", show(&formulas, &run));
            let watched = |monitors: &Monitors| -> Vec<bool> {
                (0..formulas.len())
                    .map(|constraint| monitors.is_watched(constraint))
                    .collect()
            };
            // What is once left to the evaluator may stay so.
            let both: Vec<bool> = watched(&monitors)
                .iter()
                .zip(watched(&plain))
                .map(|(a, b)| *a && b)
                .collect();
            for constraint in (0..formulas.len()).filter(|constraint| both[*constraint]) {
                let (verdict, right) = (monitors.verdict(constraint), plain.verdict(constraint));
                assert_eq!(verdict, right, "{}", context());
            }
            for candidate in [ToolCall::new("a"), ToolCall::new("b").with_argument("x", 1)] {
                let suspects = |monitors: &mut Monitors| {
                    let mut suspects = monitors.check(&candidate).suspects.to_vec();
                    suspects.retain(|suspect| both[suspect.constraint]);
                    suspects
                };
                let (said, right) = (suspects(&mut monitors), suspects(&mut plain));
                assert_eq!(said, right, "{}", context());
            }
        }
    }
}

#[test]
fn propositional_formulas() {
    many(
        "propositional",
        Language {
            quantifiers: false,
            rust: false,
        },
        6,
        4_000,
        14,
    );
}

#[test]
fn the_whole_language() {
    many(
        "whole",
        Language {
            quantifiers: true,
            rust: true,
        },
        6,
        5_000,
        14,
    );
}

#[test]
fn long_runs() {
    many(
        "long",
        Language {
            quantifiers: true,
            rust: false,
        },
        4,
        1_000,
        40,
    );
}

/// What was wrong once, or nearly: each against the evaluator on every run of a few calls.
#[test]
fn kept_cases() {
    use agentltl::build::*;
    use agentltl::{Args, Domain, Match, Value, matches_pattern, predicate_looking_back};
    let some = |declared| {
        predicate_looking_back("some", declared, |calls: &[ToolCall]| calls.len() % 3 == 1)
    };
    let no_number = || {
        let pattern = |call: &ToolCall| match call.arguments.get("x") {
            Some(Json::Number(_)) => Match::No,
            Some(_) => Match::Maybe,
            None => Match::Yes,
        };
        matches_pattern("no number", pattern, true)
    };
    let over = || Domain::Args("a".into(), "x".into());
    let formulas = [
        // An instance a position, though nothing in the operand speaks of positions.
        globally(truth(false)),
        globally(truth(false)) | now("a"),
        globally(truth(false) & now("a")),
        // What is declared of a predicate does not bind it.
        some(Some(true)),
        some(Some(false)),
        globally(some(Some(true)) >> next(now("a"))),
        !globally(some(Some(false)) | now("b")),
        // A pattern in Rust asks about calls that mention no entity, too.
        forall("v", over(), globally(no_number() >> eventually(now("b")))),
        exists("v", over(), globally(!no_number() | now("a"))),
        globally(now("b") >> exists("v", over(), called("a") & !called("c"))),
        exists("v", over(), no_number() & now("a")) >> called("b"),
        // The positions of positions: one `G` is enough.
        globally(globally(globally(forall(
            "v",
            over(),
            matches(["a"], Args::new([("x", Value::var("v"))])),
        )))),
        globally(now("a") & globally(!called("c"))),
        globally(globally(called_n("b", agentltl::Cmp::Le, 1))),
        globally(globally(!now("c") & !called("b"))),
        // A call that moves nothing leaves nothing to take back.
        before("a", "b") & globally(now("b") >> once(now("a"))),
        called_n("a", agentltl::Cmp::Le, 100) & instance_before("a", 2, "b", 100),
    ];
    let kinds = [
        ToolCall::new("a"),
        ToolCall::new("b").with_result("ok"),
        ToolCall::new("a").with_argument("x", 1).with_step(1),
        ToolCall::new("c").with_argument("x", "one"),
    ];
    let mut watched = 0;
    for formula in &formulas {
        for run in 0..4_u32.pow(5) {
            let calls: Vec<ToolCall> = (0..5)
                .map(|i| kinds[(run >> (2 * i) & 3) as usize].clone())
                .collect();
            watched += check_case(std::slice::from_ref(formula), &calls);
        }
    }
    let steps = formulas.len() * 1024 * 5;
    assert!(watched * 10 >= steps * 9, "{watched} of {steps} watched");
}

/// What the documentation of `agentltl::monitor` says.
#[test]
fn what_is_left_to_the_evaluator() {
    use agentltl::build::*;
    use agentltl::predicate;
    let text = |text: &str| text.parse::<Formula>().unwrap();
    let asks = |declared| {
        predicate("p", declared, |calls: &[ToolCall], _: usize| {
            calls.len() > 1
        })
    };
    let left = [
        text(r#"F(forall v in args("a", "x"): matches("b", x=?v))"#),
        text(
            r#"forall v in args("a", "x"): exists w in args("b", "y"): called_with("c", x=?v, y=?w)"#,
        ),
        exists(
            "v",
            agentltl::domain("d", |_: &[ToolCall]| vec![Json::Null]),
            called("a"),
        ),
        globally(asks(Some(true))),
        text(r#"G(H(F(now("a"))))"#),
        text(r#"G(Y(now("a") & F(now("a"))))"#),
        text(r#"G(count_before(now("a"), <= 1000))"#),
    ];
    for formula in &left {
        assert!(!Monitors::new([formula]).is_watched(0), "{formula}");
    }
    let watched = [
        text(r#"G(forall v in args("a", "x"): matches("b", x=?v))"#),
        text(r#"G(now("a") -> (exists v in args("a", "x"): called_with("b", x=?v)))"#),
        text(r#"forall v in args("a", "x"): exists w in args("b", "y"): called_with("c", x=?w)"#),
        asks(Some(true)),
        text(r#"H(F(now("a")))"#),
        text(r#"G(H(O(now("a"))))"#),
        text(r#"G(Y(now("a") & now("b")))"#),
        text(r#"G(count_before(now("a"), <= 999))"#),
        text(r#"called_n("a", <= 1000000)"#),
    ];
    for formula in &watched {
        assert!(Monitors::new([formula]).is_watched(0), "{formula}");
    }
}

/// Formulas whose machines are large or grow without bound: exact, and in time.
#[test]
fn machines_that_explode() {
    let tools = ["a", "b", "c", "d", "e", "f"];
    let nested = |operator: &str| {
        (0..12).fold(r#"now("a")"#.to_owned(), |formula, i| {
            format!(r#"({formula}) {operator} (X now("{}"))"#, tools[i % 6])
        })
    };
    let conjuncts: Vec<String> = (0..200)
        .map(|i| format!(r#"(now("{}") -> X(X(F(now("t{i}")))))"#, tools[i % 6]))
        .collect();
    let pairs: Vec<String> = (0..16)
        .map(|i| {
            format!(
                r#"(called("t{i}") | F(now("u{i}") & X(now("{}"))))"#,
                tools[i % 6]
            )
        })
        .collect();
    let texts = [
        format!("G({})", nested("U")),
        format!("!({})", nested("R")),
        nested("W"),
        format!("G({})", conjuncts.join(" & ")),
        format!("G({})", conjuncts.join(" | ")),
        format!("G(({}) -> X({}))", pairs.join(" & "), pairs.join(" | ")),
        format!("{} | now(\"a\")", pairs.join(" & ")),
        format!(r#"G(now("a") -> {}(now("b")))"#, "X(".repeat(40)) + &")".repeat(40),
        r#"called_n("a", <= 1000000) | called_n("b", == 1000000)"#.to_owned(),
        r#"G(count_before(now("a"), <= 1000000))"#.to_owned(),
        r#"G(count_before(F(now("a")), <= 900) | X(now("b")))"#.to_owned(),
        r#"within_steps("a", "b", 1000000) & instance_before("a"[5], "b"[1000000])"#.to_owned(),
        format!("@1000000(now(\"a\")) | {}", nested("S")),
        format!("{}now(\"a\"){}", "X(".repeat(500), ")".repeat(500)),
    ];
    let formulas: Vec<Formula> = texts.iter().map(|text| text.parse().unwrap()).collect();
    let calls: Vec<ToolCall> = (0..60_u64)
        .map(|i| ToolCall::new(tools[(i * i / 3 % 6) as usize]))
        .collect();
    let start = std::time::Instant::now();
    for formula in &formulas {
        let before = start.elapsed();
        check_case(std::slice::from_ref(formula), &calls);
        println!("{:?}", start.elapsed() - before);
    }
}
