//! Jobs from one thread, done by several, their results in order on this one.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many jobs may wait for each worker: enough to keep it busy, few enough to keep memory bounded.
const WAITING: usize = 4;

/// Makes jobs with `feed`, does each with `work` on a thread of its own, and gives the results to
/// `collect` in the order of the jobs. `feed` stops when its argument returns `false`; that is when
/// `collect` has failed.
pub(crate) fn run<J: Send, R: Send, E>(
    feed: impl FnOnce(&mut dyn FnMut(J) -> bool) + Send,
    work: impl Fn(J) -> R + Sync,
    mut collect: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let (to_work, jobs) = sync_channel::<(usize, J)>(workers * WAITING);
    let (to_collect, results) = sync_channel::<(usize, R)>(workers * WAITING);
    let jobs = Mutex::new(jobs);
    let stopped = AtomicBool::new(false);
    thread::scope(|scope| {
        let stopped = &stopped;
        scope.spawn(move || {
            let mut number = 0;
            feed(&mut |job| {
                number += 1;
                !stopped.load(Ordering::Relaxed) && to_work.send((number - 1, job)).is_ok()
            });
        });
        let jobs = &jobs;
        let work = &work;
        for _ in 0..workers {
            let to_collect = to_collect.clone();
            scope.spawn(move || worker(jobs, work, &to_collect));
        }
        drop(to_collect);
        let outcome = in_order(&results, &mut collect);
        drop(results);
        // The workers stop at their next result. The feeder may wait for a place for its next job.
        if outcome.is_err() {
            stopped.store(true, Ordering::Relaxed);
            let jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
            while jobs.recv().is_ok() {}
        }
        outcome
    })
}

fn worker<J, R>(
    jobs: &Mutex<Receiver<(usize, J)>>,
    work: &impl Fn(J) -> R,
    to_collect: &SyncSender<(usize, R)>,
) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, job)) = job else { return };
        if to_collect.send((number, work(job))).is_err() {
            return;
        }
    }
}

fn in_order<R, E>(
    results: &Receiver<(usize, R)>,
    collect: &mut impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (number, result) in results {
        early.insert(number, result);
        while let Some(result) = early.remove(&next) {
            next += 1;
            collect(result)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let mut seen = Vec::new();
        let outcome: Result<(), ()> = run(
            |emit| (0..500_u64).for_each(|job| assert!(emit(job))),
            |job| {
                if job % 7 == 0 {
                    thread::sleep(std::time::Duration::from_millis(1));
                }
                job * 2
            },
            |result| {
                seen.push(result);
                Ok(())
            },
        );
        assert_eq!(outcome, Ok(()));
        assert_eq!(seen, (0..500).map(|job| job * 2).collect::<Vec<u64>>());
    }

    #[test]
    fn a_failing_collector_ends_it() {
        let outcome = run(
            |emit| {
                let mut job = 0_u64;
                while emit(job) {
                    job += 1;
                }
            },
            |job| job,
            |result| if result == 3 { Err(result) } else { Ok(()) },
        );
        assert_eq!(outcome, Err(3));
    }
}
