//! What has happened so far: everything that a saved state holds.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::decision::Violation;
use super::flight::Flights;
use super::log::{BlockedCall, LastBlocked, Log, OverrideRecord, ViolationRecord};
use crate::call::Generation;
use crate::matching::equal;
use crate::trace::Trace;

/// Is a run going on?
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RunStatus {
    /// Nothing has stopped it.
    #[default]
    Completed,
    /// A violation has stopped it.
    Stopped,
}

impl RunStatus {
    /// The name, as it is serialised.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            RunStatus::Completed => "completed",
            RunStatus::Stopped => "stopped",
        }
    }
}

pub(super) type Counts = BTreeMap<String, u64>;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) trace: Trace,
    pub(super) flights: Flights,
    pub(super) soft_block_counts: Counts,
    pub(super) consecutive_soft_block_counts: Counts,
    pub(super) block_and_warn_counts: Counts,
    pub(super) persistent_block_counts: Counts,
    pub(super) violations: Log<ViolationRecord>,
    pub(super) blocked_calls: Log<BlockedCall>,
    pub(super) overrides: Log<OverrideRecord>,
    pub(super) nudged_names: Log<String>,
    pub(super) last_blocked: Option<LastBlocked>,
    pub(super) blocked_chain: Option<Json>,
    pub(super) generation: u64,
    pub(super) generation_key: Option<Json>,
    pub(super) termination_nudges: u64,
    pub(super) constraint_checks: u64,
    pub(super) already_violated: u64,
    pub(super) status: RunStatus,
    pub(super) stopped_by: Option<String>,
    pub(super) latched: Option<Violation>,
}

impl Run {
    pub(super) fn new(log_limit: usize) -> Self {
        Run {
            trace: Trace::new(),
            flights: Flights::default(),
            soft_block_counts: Counts::new(),
            consecutive_soft_block_counts: Counts::new(),
            block_and_warn_counts: Counts::new(),
            persistent_block_counts: Counts::new(),
            violations: Log::new(log_limit),
            blocked_calls: Log::new(log_limit),
            overrides: Log::new(log_limit),
            nudged_names: Log::new(log_limit),
            last_blocked: None,
            blocked_chain: None,
            generation: 0,
            generation_key: None,
            termination_nudges: 0,
            constraint_checks: 0,
            already_violated: 0,
            status: RunStatus::Completed,
            stopped_by: None,
            latched: None,
        }
    }

    pub(super) fn begin_generation(&mut self, key: Option<&Generation>) {
        self.generation = self.generation.saturating_add(1);
        self.generation_key = key.map(|key| match key {
            Generation::Text(text) => Json::from(text.as_str()),
            Generation::Number(number) => Json::from(*number),
        });
    }

    /// A call comes with the key of its generation: another key begins another generation.
    pub(super) fn enter_generation(&mut self, key: Option<&Generation>) {
        let Some(key) = key else { return };
        let same = match (key, &self.generation_key) {
            (Generation::Text(key), Some(Json::String(known))) => key == known,
            (Generation::Number(key), Some(Json::Number(known))) => known.as_i64() == Some(*key),
            _ => false,
        };
        if !same {
            self.begin_generation(Some(key));
        }
    }

    /// The trace or the policy is not what the last refused call was judged by.
    pub(super) fn outdate_last_blocked(&mut self) {
        if let Some(last) = &mut self.last_blocked {
            last.stale = true;
        }
    }

    /// Is the run another than the one in which the last refused call was judged, or may it be? A
    /// call refused within a chain comes after the earlier calls of the chain. (The reference saves
    /// no number of calls.)
    pub(super) fn is_last_blocked_stale(&self) -> bool {
        self.last_blocked.as_ref().is_some_and(|last| {
            last.stale
                || last
                    .calls_before
                    .is_some_and(|calls| calls != self.trace.len())
        })
    }

    /// Does the agent insist on the call that was refused last, in a later generation?
    pub(super) fn insisted(&self, tool_name: &str, arguments: &Map<String, Json>) -> bool {
        self.last_blocked.as_ref().is_some_and(|last| {
            last.tool_name == tool_name
                && last.generation != self.generation
                && same_arguments(&last.arguments, arguments)
        })
    }

    /// Lets the call that was refused last run; the constraint that had refused it.
    pub(super) fn override_last(&mut self, step: i64) -> Option<String> {
        let last = self.last_blocked.take()?;
        let entry = self.blocked_calls.entries.iter_mut().rev().find(|entry| {
            entry.overridden_next_step == Some(false)
                && entry.tool_name == last.tool_name
                && entry.constraint_name == last.constraint_name
        });
        if let Some(entry) = entry {
            entry.overridden_next_step = Some(true);
        }
        self.overrides.push(OverrideRecord {
            step,
            tool_name: last.tool_name,
            tool_args: last.arguments,
            constraint_name: last.constraint_name.clone(),
            blocked_at_step: last.step_number,
        });
        Some(last.constraint_name)
    }
}

pub(super) fn same_arguments(a: &Map<String, Json>, b: &Map<String, Json>) -> bool {
    a.len() == b.len()
        && a.iter()
            .all(|(key, value)| b.get(key).is_some_and(|other| equal(value, other)))
}

/// One more, without wrapping.
pub(super) fn count(counts: &mut Counts, name: &str) -> u64 {
    if let Some(count) = counts.get_mut(name) {
        *count = count.saturating_add(1);
        return *count;
    }
    counts.insert(name.to_owned(), 1);
    1
}
