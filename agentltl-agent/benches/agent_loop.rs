//! What enforcement costs a tool call in the loop: model and tool cost nothing, so the difference
//! between a run with rules and one without is the rules'.
//!
//! `cargo bench -p agentltl-agent --bench agent_loop`
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use agentltl::build::*;
use agentltl::{Cmp, Constraint, Policy, Severity};
use agentltl_agent::*;
use serde_json::json;

const TOOLS: [&str; 4] = ["fetch", "process", "save", "notify"];

/// Calls one tool after the other, as often as asked, then answers.
struct Endless {
    calls: u64,
    made: AtomicU64,
}

impl ChatModel for Endless {
    async fn complete(&self, _: ChatRequest<'_>) -> Result<Completion, ChatError> {
        let made = self.made.fetch_add(1, Ordering::Relaxed) % (self.calls + 1);
        Ok(if made == self.calls {
            Completion::answer("done")
        } else {
            let tool = TOOLS[(made % 4) as usize];
            Completion::calls([ToolCallRequest::new(tool, json!({"n": made}))])
        })
    }
}

fn rules() -> Policy {
    let rules = [
        ("order", before("fetch", "process")),
        ("order-2", before("process", "save")),
        ("gate", all_before(["fetch", "process"], "notify")),
        ("few", called_n("save", Cmp::Le, 1_000_000)),
        ("never", globally(!now("drop"))),
        ("since", globally(now("save") >> once(now("process")))),
        ("after-save", globally(now("save") >> next(!now("save")))),
        ("bounded", within_steps("fetch", "process", 3)),
        (
            "never-two",
            globally(now("drop") >> next(globally(!now("drop")))),
        ),
        ("branch", !called("rollback")),
    ];
    let rules = rules.map(|(name, formula)| {
        Constraint::new(name, formula).with_severity(Severity::PersistentBlock)
    });
    Policy::new(rules).unwrap()
}

async fn per_call(policy: Policy, calls: u64, runs: u32) -> Duration {
    let mut builder = Agent::builder()
        .model(Endless {
            calls,
            made: AtomicU64::new(0),
        })
        .max_steps(u64::MAX)
        .tool_timeout(None)
        .policy(policy);
    for tool in TOOLS {
        builder = builder.tool(tool_fn(tool, "", async |_: NoArguments| {
            Ok::<_, Infallible>("ok")
        }));
    }
    let agent = builder.build().unwrap();
    let mut best = Duration::MAX;
    for _ in 0..runs {
        let started = Instant::now();
        let result = agent.run("go").await;
        best = best.min(started.elapsed());
        assert_eq!(
            result.metrics.num_tool_calls as u64, calls,
            "{:?}",
            result.error
        );
        assert!(result.metrics.constraint_violations.is_empty());
    }
    best / calls as u32
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    println!(
        "{:>8} {:>12} {:>12} {:>12}",
        "calls", "no rules", "10 rules", "overhead"
    );
    for calls in [10, 100, 1_000, 10_000] {
        let runs = (20_000 / calls).clamp(3, 500) as u32;
        let without = per_call(Policy::default(), calls, runs).await;
        let with = per_call(rules(), calls, runs).await;
        let overhead = with.saturating_sub(without);
        println!("{calls:>8} {without:>12.2?} {with:>12.2?} {overhead:>12.2?}");
    }
}
