//! Scoring a finished run against 25 rules that use every operator, at 10^4, 10^5 and 10^6 calls.
//!
//!     cargo bench --bench verify
//!
//! The times per call of the three sizes show whether it is linear.
#![allow(missing_docs, clippy::unwrap_used)]

use std::time::Duration;

use agentltl::{Policy, ToolCall, Trace, verify};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const FORMULAS: [&str; 25] = [
    r#"called("deploy") & !called("never")"#,
    r#"before("fetch", "save")"#,
    r#"after("deploy", "fetch")"#,
    r#"all_before(["fetch", "clean"], "deploy")"#,
    r#"in_order(["fetch", "clean", "save", "deploy"])"#,
    r#"branch_called("save", "never")"#,
    r#"called_n("deploy", >= 3) | called_n("never", == 0)"#,
    r#"called_with("fetch", key=3)"#,
    r#"called_with_result("clean", {ok: true}, key=5)"#,
    r#"within_steps("fetch", "save", 40)"#,
    r#"instance_before("fetch"[2], "deploy"[2])"#,
    r#"G(now("deploy") -> Y(O(now("save"))))"#,
    r#"G(now("fetch") -> F(now("clean")))"#,
    r#"F(now("deploy") & X(now("fetch") | F(now("save"))))"#,
    r#"G(matches(["save", "deploy"]) -> H(!now("never")))"#,
    r#"G(now("deploy") -> ((!now("never")) S now("fetch")))"#,
    r#"(!now("deploy")) U now("fetch")"#,
    r#"(!now("never")) W now("never")"#,
    r#"now("never") R (!now("never"))"#,
    r#"G(count_before(now("never"), <= 2))"#,
    r#"@3(F(now("save")))"#,
    r#"forall k in args("fetch", "key"): called_with("save", key=?k)"#,
    r#"exists k in results("clean", "id"): called_with("save", key=?k)"#,
    r#"forall k in args("deploy", "key"): G(matches("deploy", key=?k) -> O(matches("save", key=?k)))"#,
    r#"G(now("save") -> X(true)) | false | F(G(!now("never")))"#,
];

fn policy() -> Policy {
    let rules: String = FORMULAS
        .iter()
        .enumerate()
        .map(|(i, formula)| format!("[[constraint]]\nname = 'rule {i}'\nformula = '{formula}'\n"))
        .collect();
    Policy::from_toml(&rules).unwrap()
}

/// Calls of five tools with ten keys, none of them the tool `never`: no rule is settled early.
fn run(calls: usize) -> Trace {
    // Any fixed sequence without a short period will do.
    let mut state = 1_u64;
    (0..calls)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (tool, key) = ((state >> 33) % 5, (state >> 40) % 10);
            let name = ["fetch", "clean", "save", "deploy", "log"][tool as usize];
            ToolCall::new(name)
                .with_argument("key", key)
                .with_result(serde_json::json!({"ok": key > 0, "id": key}))
        })
        .collect()
}

fn verification(criterion: &mut Criterion) {
    let policy = policy();
    let mut group = criterion.benchmark_group("verify 25 rules");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(5));
    for calls in [10_000, 100_000, 1_000_000] {
        let run = run(calls);
        group.throughput(Throughput::Elements(calls as u64));
        group.bench_with_input(BenchmarkId::from_parameter(calls), &run, |bencher, run| {
            bencher.iter(|| verify(&policy, run));
        });
    }
    group.finish();
}

criterion_group!(benches, verification);
criterion_main!(benches);
