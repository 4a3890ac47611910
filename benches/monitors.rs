//! Parse, build, check, record, verify, save and load.
//!
//! `cargo bench --bench monitors`
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "support/workload.rs"]
mod workload;

use std::hint::black_box;

use agentltl::monitor::Monitors;
use agentltl::{Enforcer, Formula, ToolCall, verify};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use workload::{calls, formulas, policy, texts};

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
    let policy = policy(&formulas);
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
