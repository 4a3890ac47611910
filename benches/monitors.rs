//! Parse, build, check, record, verify, save and load.
//!
//! `cargo bench --bench monitors`
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;

use agentltl::monitor::Monitors;
use agentltl::{Constraint, Enforcer, Formula, Policy, Severity, ToolCall, verify};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

/// 25 constraints over ten tools, which the run below keeps.
fn texts() -> Vec<String> {
    (0..25)
        .map(|i| {
            let (a, b) = (format!("t{}", i % 10), format!("t{}", (i + 3) % 10));
            match i % 4 {
                0 => format!(r#"G(now("{a}") -> X(G(!now("{b}x"))))"#),
                1 => format!(r#"G(!now("{a}x"))"#),
                2 => format!(r#"before("{a}", "{b}x")"#),
                _ => format!(r#"G(now("{a}") -> F(now("{b}")))"#),
            }
        })
        .collect()
}

/// Formulas whose machines are large, or that are left to the evaluator.
fn large() -> Vec<(&'static str, String)> {
    let nested = (0..12).fold(r#"now("a")"#.to_owned(), |formula, i| {
        format!(r#"({formula}) U (X now("t{}"))"#, i % 6)
    });
    let conjuncts: Vec<String> = (0..200)
        .map(|i| format!(r#"(now("t{}") -> X(X(F(now("u{i}")))))"#, i % 6))
        .collect();
    vec![
        ("nested until", format!("G({nested})")),
        ("200 conjuncts", format!("G({})", conjuncts.join(" & "))),
        (
            "count of a million",
            r#"G(count_before(now("a"), <= 1000000))"#.to_owned(),
        ),
        (
            "called a million times",
            r#"called_n("a", <= 1000000)"#.to_owned(),
        ),
    ]
}

fn formulas() -> Vec<Formula> {
    texts().iter().map(|text| text.parse().unwrap()).collect()
}

fn policy() -> Policy {
    let constraints = formulas().into_iter().enumerate().map(|(i, formula)| {
        Constraint::new(format!("c{i}"), formula).with_severity(Severity::Tolerate)
    });
    Policy::new(constraints).unwrap()
}

fn calls(count: usize) -> Vec<ToolCall> {
    (0..count)
        .map(|i| ToolCall::new(format!("t{}", i % 10)).with_result("ok"))
        .collect()
}

fn build(c: &mut Criterion) {
    let texts = texts();
    c.bench_function("parse 25", |b| {
        b.iter(|| {
            texts
                .iter()
                .map(|text| text.parse::<Formula>().unwrap().nodes().len())
                .sum::<usize>()
        });
    });
    let formulas = formulas();
    c.bench_function("build 25", |b| {
        b.iter(|| Monitors::new(black_box(&formulas)))
    });
    for (name, text) in large() {
        c.bench_function(&format!("parse {name}"), |b| {
            b.iter(|| text.parse::<Formula>().unwrap().nodes().len());
        });
        let formula: Formula = text.parse().unwrap();
        c.bench_function(&format!("build {name}"), |b| {
            b.iter(|| Monitors::new([black_box(&formula)]));
        });
        let calls: Vec<ToolCall> = (0..32)
            .map(|i| ToolCall::new(format!("t{}", i % 6)))
            .collect();
        let mut group = c.benchmark_group("first 32 calls");
        group.sample_size(10);
        group.bench_function(name, |b| {
            b.iter_batched(
                || Monitors::new([&formula]),
                |mut monitors| {
                    for call in &calls {
                        black_box(monitors.check(call).suspects.len());
                        monitors.record(call);
                    }
                    monitors
                },
                BatchSize::PerIteration,
            );
        });
    }
}

fn run(c: &mut Criterion) {
    let formulas = formulas();
    let calls = calls(1000);
    let mut monitors = Monitors::new(&formulas);
    monitors.replay(&calls, 0);
    let mut group = c.benchmark_group("25 constraints, 1000 calls");
    group.throughput(Throughput::Elements(1000));
    group.bench_function("check", |b| {
        b.iter(|| {
            for call in &calls {
                black_box(monitors.check(black_box(call)).suspects.len());
            }
        });
    });
    group.bench_function("record", |b| {
        b.iter(|| {
            for call in &calls {
                monitors.record(black_box(call));
            }
        });
    });
    group.bench_function("check and record", |b| {
        b.iter(|| {
            for call in &calls {
                black_box(monitors.check(black_box(call)).suspects.len());
                monitors.record(call);
            }
        });
    });
    let policy = policy();
    group.bench_function("enforcer: check and record", |b| {
        b.iter_batched(
            || (Enforcer::new(policy.clone()).unwrap(), calls.clone()),
            |(mut enforcer, calls)| {
                for call in calls {
                    assert!(enforcer.check(black_box(&call)).allowed());
                    enforcer.record(call);
                }
                enforcer
            },
            BatchSize::LargeInput,
        );
    });
    group.bench_function("verify", |b| {
        b.iter(|| verify(black_box(&policy), &calls).compliance_score);
    });
    let mut enforcer = Enforcer::new(policy.clone()).unwrap();
    for call in &calls {
        enforcer.record(call.clone());
    }
    group.bench_function("save", |b| b.iter(|| enforcer.to_state().to_string().len()));
    let saved = enforcer.to_state().to_string();
    group.bench_function("load", |b| {
        b.iter(|| {
            let state = serde_json::from_str(&saved).unwrap();
            Enforcer::from_state(policy.clone(), &state).unwrap()
        });
    });
    group.finish();
}

criterion_group!(benches, build, run);
criterion_main!(benches);
