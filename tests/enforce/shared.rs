//! One enforcer, many tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::SeqCst};

use agentltl::build::*;
use agentltl::{Cmp, Domain, Enforcer, Formula, Severity, SharedEnforcer, holds};

use crate::{call, enforcer, rule};

fn at_most_once(tool: &'static str) -> Formula {
    called_n(tool, Cmp::Le, 1)
}

/// b only after an a has completed.
fn after_a_completed() -> Formula {
    let completed = exists("r", Domain::Results("a".into(), None), truth(true));
    globally(now("b") >> completed)
}

fn guarded() -> Enforcer {
    enforcer([
        rule("once", Severity::PersistentBlock, at_most_once("x")),
        rule("after-a", Severity::PersistentBlock, after_a_completed()),
    ])
}

/// What the tools themselves see: the enforcer's word is not taken for it.
#[derive(Default)]
struct World {
    x_ran: AtomicI64,
    x_most: AtomicI64,
    a_returned: AtomicU64,
    b_too_early: AtomicU64,
    allowed: AtomicU64,
    asked: AtomicU64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_tasks_race_ten_thousand_calls() {
    let shared = SharedEnforcer::new(guarded());
    let world = Arc::new(World::default());
    let tasks: Vec<_> = (0..1_000_u64)
        .map(|task| tokio::spawn(agent(task, shared.clone(), Arc::clone(&world))))
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(world.asked.load(SeqCst), 10_000);
    assert_eq!(
        world.x_most.load(SeqCst),
        1,
        "x ran or was running twice at a time"
    );
    assert_eq!(world.b_too_early.load(SeqCst), 0);
    let (trace, open) =
        shared.with(|enforcer| (enforcer.trace().to_vec(), enforcer.in_flight().count()));
    assert_eq!(trace.len() as u64, world.allowed.load(SeqCst));
    assert_eq!(open, 0);
    assert!(holds(&at_most_once("x"), &trace).unwrap());
    for tool in ["a", "b", "x"] {
        assert!(
            trace.iter().any(|call| call.tool_name == tool),
            "{tool} never ran"
        );
    }
}

async fn agent(task: u64, shared: SharedEnforcer, world: Arc<World>) {
    let mut random = task.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for _ in 0..10 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        world.asked.fetch_add(1, SeqCst);
        let tool = match random % 20 {
            0..15 => "x",
            15..19 => "b",
            _ => "a",
        };
        let Ok(ticket) = shared.start(call(tool)) else {
            tokio::task::yield_now().await;
            continue;
        };
        match tool {
            "x" => {
                let running = world.x_ran.fetch_add(1, SeqCst) + 1;
                world.x_most.fetch_max(running, SeqCst);
                tokio::task::yield_now().await;
                if !random.is_multiple_of(3) {
                    // It never ran after all; the next may.
                    world.x_ran.fetch_sub(1, SeqCst);
                    ticket.withdraw().unwrap();
                    continue;
                }
            }
            "b" => {
                if world.a_returned.load(SeqCst) == 0 {
                    world.b_too_early.fetch_add(1, SeqCst);
                }
                tokio::task::yield_now().await;
            }
            _ => {
                tokio::time::sleep(std::time::Duration::from_micros(random % 500)).await;
                world.a_returned.fetch_add(1, SeqCst);
            }
        }
        world.allowed.fetch_add(1, SeqCst);
        ticket.complete("done", None).unwrap();
    }
}

#[tokio::test]
async fn a_cancelled_task_leaves_its_call_counted() {
    let shared = SharedEnforcer::new(guarded());
    let started = Arc::new(tokio::sync::Notify::new());
    let task = tokio::spawn({
        let (shared, started) = (shared.clone(), Arc::clone(&started));
        async move {
            let ticket = shared.start(call("x")).unwrap();
            started.notify_one();
            std::future::pending::<()>().await;
            drop(ticket);
        }
    });
    started.notified().await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert!(
        shared.status().in_flight.is_empty(),
        "nobody waits for it any more"
    );
    assert_eq!(
        shared.with(|enforcer| enforcer.trace().len()),
        1,
        "it may have had its effects"
    );
    assert!(shared.start(call("x")).is_err());
}

#[test]
fn a_chain_starts_as_one() {
    let shared = SharedEnforcer::new(guarded());
    let refused = shared
        .start_chain(&[call("a"), call("x"), call("x")])
        .unwrap_err();
    assert_eq!(refused.index, Some(2));
    let tickets = shared.start_chain(&[call("a"), call("x")]).unwrap();
    assert_eq!(tickets.len(), 2);
    assert!(tickets[0].decision().allowed());
    assert!(shared.start(call("x")).is_err());
    for ticket in tickets {
        ticket.complete("done", Some(0)).unwrap();
    }
    assert!(shared.start(call("b")).is_ok());
}

#[test]
fn a_panic_under_the_lock_does_not_take_the_enforcer_along() {
    let shared = SharedEnforcer::new(guarded());
    let other = shared.clone();
    let panicked = std::thread::spawn(move || {
        other.with(|enforcer| {
            enforcer.record(call("x"));
            std::panic::resume_unwind(Box::new("on purpose"));
        });
    });
    assert!(panicked.join().is_err());
    assert!(shared.start(call("x")).is_err(), "what was recorded counts");
    assert!(shared.start(call("a")).is_ok());
}
