//! The shared handle under a scheduler that tries interleavings: the file of the library, compiled
//! with shuttle's locks.
#![allow(clippy::unwrap_used, clippy::panic, dead_code, unreachable_pub)]

use agentltl::build::{called_n, exists, globally, now, truth};
use agentltl::*;

/// The locks that the file takes from its parent module.
mod sync {
    pub(super) use shuttle::sync::{Arc, Mutex};
}

#[path = "../agentltl/src/enforcer/shared.rs"]
mod shared;

/// A thousand random interleavings, and a thousand with few, random preemptions.
fn check(test: impl Fn() + Send + Sync + 'static) {
    use shuttle::scheduler::{PctScheduler, RandomScheduler};
    let mut config = shuttle::Config::new();
    config.stack_size = 1 << 20;
    let test = std::sync::Arc::new(test);
    let same = std::sync::Arc::clone(&test);
    shuttle::Runner::new(RandomScheduler::new(1_000), config.clone()).run(move || test());
    shuttle::Runner::new(PctScheduler::new(3, 1_000), config).run(move || same());
}

fn guarded() -> shared::SharedEnforcer {
    let completed = exists("r", Domain::Results("a".into(), None), truth(true));
    let policy = Policy::new([
        Constraint::new("once", called_n("x", Cmp::Le, 1)),
        Constraint::new("after-a", globally(now("b") >> completed)),
    ]);
    shared::SharedEnforcer::new(Enforcer::new(policy.unwrap()).unwrap())
}

#[test]
fn at_most_one_of_three_starts() {
    check(|| {
        let shared = guarded();
        let threads: Vec<_> = (0..3)
            .map(|number| {
                let shared = shared.clone();
                shuttle::thread::spawn(move || {
                    let started = shared.start(ToolCall::new("x"));
                    // One completes, one drops its ticket; either way the call counts.
                    match started {
                        Ok(ticket) if number == 0 => ticket.complete(number, None).is_ok(),
                        started => started.is_ok(),
                    }
                })
            })
            .collect();
        let started = threads.into_iter().map(|thread| thread.join().unwrap());
        assert_eq!(started.filter(|started| *started).count(), 1);
    });
}

#[test]
fn b_waits_until_a_has_completed() {
    check(|| {
        let shared = guarded();
        let returned = shuttle::sync::Arc::new(shuttle::sync::atomic::AtomicBool::new(false));
        let a = shuttle::thread::spawn({
            let (shared, returned) = (shared.clone(), returned.clone());
            move || {
                let ticket = shared.start(ToolCall::new("a")).unwrap();
                returned.store(true, std::sync::atomic::Ordering::SeqCst);
                ticket.complete("done", None).unwrap();
            }
        });
        let b = shuttle::thread::spawn(move || {
            let started = shared.start(ToolCall::new("b")).is_ok();
            assert!(!started || returned.load(std::sync::atomic::Ordering::SeqCst));
        });
        a.join().unwrap();
        b.join().unwrap();
    });
}

#[test]
fn a_withdrawn_call_makes_room_for_exactly_one() {
    check(|| {
        let shared = guarded();
        let first = shared.start(ToolCall::new("x")).unwrap();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                shuttle::thread::spawn(move || shared.start(ToolCall::new("x")).is_ok())
            })
            .collect();
        first.withdraw().unwrap();
        let started: usize = threads
            .into_iter()
            .map(|thread| usize::from(thread.join().unwrap()))
            .sum();
        let counted = shared.with(|enforcer| enforcer.trace().len());
        assert!(started <= 1);
        assert_eq!(started, counted);
    });
}
