//! Logs that keep their newest entries.

use std::collections::VecDeque;

use super::decision::Violation;
use serde_json::{Map, Value as Json};

/// The newest entries, and how many older ones were dropped.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Log<T> {
    pub(super) entries: VecDeque<T>,
    pub(super) dropped: u64,
    limit: usize,
}

impl<T> Log<T> {
    pub(super) fn new(limit: usize) -> Self {
        Log {
            entries: VecDeque::new(),
            dropped: 0,
            limit,
        }
    }

    /// The log with entries of an earlier run, cut to the limit.
    pub(super) fn restored(limit: usize, entries: Vec<T>, dropped: u64) -> Self {
        let mut log = Log {
            entries: VecDeque::new(),
            dropped,
            limit,
        };
        for entry in entries {
            log.push(entry);
        }
        log
    }

    pub(super) fn push(&mut self, entry: T) {
        self.entries.push_back(entry);
        while self.entries.len() > self.limit {
            self.entries.pop_front();
            self.dropped = self.dropped.saturating_add(1);
        }
    }

    /// All entries there ever were.
    pub(super) fn total(&self) -> u64 {
        self.dropped.saturating_add(self.entries.len() as u64)
    }
}

/// A violation, as the log keeps it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct ViolationRecord {
    /// The constraint.
    pub constraint_name: String,
    /// The severity it was answered with, or `termination_nudge`.
    pub severity: String,
    /// The number of the step.
    pub step_number: i64,
    /// The tool that was to be called.
    #[serde(default)]
    pub tool_name: Option<String>,
    /// The arguments of the call.
    #[serde(default)]
    pub tool_args: Map<String, Json>,
    /// What was wrong with the call.
    #[serde(default)]
    pub detail: String,
    /// What to do about it.
    #[serde(default)]
    pub repair: String,
}

impl From<&Violation> for ViolationRecord {
    fn from(violation: &Violation) -> Self {
        ViolationRecord {
            constraint_name: violation.constraint_name.clone(),
            severity: violation.severity_name().to_owned(),
            step_number: violation.step_number,
            tool_name: violation.tool_name.clone(),
            tool_args: violation.tool_args.clone(),
            detail: violation.detail.clone(),
            repair: violation.repair.clone(),
        }
    }
}

/// A refused call whose agent went on, as the log keeps it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct BlockedCall {
    /// The number of the step.
    pub step: i64,
    /// The deciding constraint.
    pub constraint_name: String,
    /// The tool that was to be called.
    pub tool_name: String,
    /// The arguments of the call.
    #[serde(default)]
    pub tool_args: Map<String, Json>,
    /// What was wrong with the call.
    #[serde(default)]
    pub detail: String,
    /// `persistent_block`, `ask` or `block_and_warn`; absent for SOFT_BLOCK.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// For `block_and_warn`: did the agent insist?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overridden_next_step: Option<bool>,
}

/// A call that the agent insisted on, as the log keeps it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct OverrideRecord {
    /// The number of the step.
    pub step: i64,
    /// The tool that was called.
    pub tool_name: String,
    /// The arguments of the call.
    #[serde(default)]
    pub tool_args: Map<String, Json>,
    /// The constraint that had refused it.
    pub constraint_name: String,
    /// The step at which it had.
    pub blocked_at_step: i64,
}

/// The call that a BLOCK_AND_WARN constraint refused last: repeated as the very next call of a later
/// generation, it runs.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct LastBlocked {
    pub(super) tool_name: String,
    #[serde(rename = "tool_args_canonical")]
    pub(super) arguments: Map<String, Json>,
    pub(super) constraint_name: String,
    pub(super) step_number: i64,
    #[serde(rename = "set_in_generation")]
    pub(super) generation: u64,
    /// How many calls were before it, those of its chain included.
    #[serde(default)]
    pub(super) calls_before: Option<usize>,
    /// Was the trace or the policy changed since?
    #[serde(default)]
    pub(super) stale: bool,
}
