//! Calls that are running.

use std::collections::HashMap;
use std::future::pending;
use std::time::{Duration, Instant};

use agentltl::{CallId, InFlight};
use serde_json::Value as Json;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use super::calls::panic_message;
use crate::tool::{Invocation, ToolError};

/// A call that is running.
pub(super) struct Flight {
    /// Which call of the completion it is.
    pub(super) slot: usize,
    /// Where it is among the conversation's calls.
    pub(super) record: usize,
    pub(super) ticket: InFlight,
    pub(super) tool_name: String,
    pub(super) started: Instant,
}

impl Flight {
    pub(super) fn new(slot: usize, record: usize, ticket: InFlight, tool_name: String) -> Self {
        Flight {
            slot,
            record,
            ticket,
            tool_name,
            started: Instant::now(),
        }
    }
}

/// What came of a call.
pub(super) enum Outcome {
    Returned(Json),
    Failed(ToolError),
    Panicked(String),
    TimedOut(Duration),
}

pub(super) struct Ended {
    pub(super) flight: Flight,
    pub(super) outcome: Outcome,
}

/// The calls that are running, each in a task of its own: one that panics or blocks leaves the
/// others alone.
pub(super) struct Flights {
    tasks: JoinSet<Result<Json, ToolError>>,
    flights: HashMap<Id, (Flight, AbortHandle)>,
    limit: Option<Duration>,
}

impl Flights {
    pub(super) fn new(limit: Option<Duration>) -> Self {
        Flights {
            tasks: JoinSet::new(),
            flights: HashMap::new(),
            limit,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.flights.len()
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = CallId> {
        self.flights.values().map(|(flight, _)| flight.ticket.id())
    }

    pub(super) fn start(&mut self, flight: Flight, invocation: Invocation) {
        let handle = self.tasks.spawn(invocation);
        self.flights.insert(handle.id(), (flight, handle));
    }

    /// Those that end next; none where none is running.
    pub(super) async fn next(&mut self) -> Vec<Ended> {
        while !self.flights.is_empty() {
            let first = self
                .flights
                .values()
                .map(|(flight, _)| flight.started)
                .min();
            let deadline = first
                .zip(self.limit)
                .and_then(|(first, limit)| first.checked_add(limit));
            let cut = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                    None => pending().await,
                }
            };
            let joined = tokio::select! {
                biased;
                joined = self.tasks.join_next_with_id() => joined,
                () = cut => return self.cut_short(),
            };
            match joined {
                // Where there is no flight, it is the end of a task that was cut short before.
                Some(joined) => {
                    if let Some(ended) = self.ended(joined) {
                        return vec![ended];
                    }
                }
                None => return self.lost(),
            }
        }
        Vec::new()
    }

    fn ended(&mut self, joined: Result<(Id, Result<Json, ToolError>), JoinError>) -> Option<Ended> {
        let (id, outcome) = match joined {
            Ok((id, Ok(result))) => (id, Outcome::Returned(result)),
            Ok((id, Err(error))) => (id, Outcome::Failed(error)),
            Err(error) => {
                let id = error.id();
                let message = match error.try_into_panic() {
                    Ok(panic) => panic_message(&*panic),
                    Err(error) => error.to_string(),
                };
                (id, Outcome::Panicked(message))
            }
        };
        let (flight, _) = self.flights.remove(&id)?;
        Some(Ended { flight, outcome })
    }

    /// Ends those whose time is up.
    fn cut_short(&mut self) -> Vec<Ended> {
        let Some(limit) = self.limit else {
            return Vec::new();
        };
        let late: Vec<Id> = self
            .flights
            .iter()
            .filter(|(_, (flight, _))| flight.started.elapsed() >= limit)
            .map(|(id, _)| *id)
            .collect();
        late.into_iter()
            .filter_map(|id| {
                let (flight, task) = self.flights.remove(&id)?;
                task.abort();
                let outcome = Outcome::TimedOut(limit);
                Some(Ended { flight, outcome })
            })
            .collect()
    }

    /// There is no task any more for the flights that are left. That cannot be, but waiting for them
    /// would be for ever.
    fn lost(&mut self) -> Vec<Ended> {
        let lost = self.flights.drain().map(|(_, (flight, _))| Ended {
            flight,
            outcome: Outcome::Panicked("its task is gone".to_owned()),
        });
        lost.collect()
    }
}
