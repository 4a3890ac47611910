//! What an enforcer reports of the run.

use std::collections::BTreeMap;

use super::Enforcer;
use super::flight::CallId;
use super::log::{BlockedCall, OverrideRecord, ViolationRecord};
use super::run::RunStatus;
use super::settings::SoftBlockMode;
use crate::call::ToolCall;

/// The run so far: counters and logs. Serialises under the reference's field names, with the calls in
/// flight and what the logs dropped besides.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct ConstraintStatus {
    /// Has a violation stopped the run?
    pub status: RunStatus,
    /// The constraint that stopped it.
    pub stopped_by: Option<String>,
    /// The violations, tolerated ones and unmet final answers included.
    pub violations: Vec<ViolationRecord>,
    /// How many times a constraint was judged.
    pub constraint_checks: u64,
    /// How many of those found a violation that was there before the call.
    pub already_violated_skips: u64,
    /// The calls that ran or are in flight, in the order they started.
    pub completed_trace: Vec<ToolCall>,
    /// The refused calls whose agent went on.
    pub soft_blocked_calls: Vec<BlockedCall>,
    /// By SOFT_BLOCK constraint: its refusals.
    pub soft_block_counts: BTreeMap<String, u64>,
    /// How those are counted.
    pub soft_block_mode: SoftBlockMode,
    /// By SOFT_BLOCK constraint: its refusals since the last allowed call.
    pub consecutive_soft_block_counts: BTreeMap<String, u64>,
    /// How many times the agent was sent back when it wanted to finish.
    pub termination_nudges: u64,
    /// The constraints named to it then.
    pub termination_nudged_names: Vec<String>,
    /// By BLOCK_AND_WARN constraint: its refusals.
    pub block_and_warn_counts: BTreeMap<String, u64>,
    /// The calls the agent insisted on.
    pub block_and_warn_overrides: Vec<OverrideRecord>,
    /// How many those are, dropped ones included.
    pub block_and_warn_override_count: u64,
    /// By PERSISTENT_BLOCK or ASK constraint: its refusals.
    pub persistent_block_counts: BTreeMap<String, u64>,
    /// The calls that have started and whose results are not known.
    pub in_flight: Vec<CallId>,
    /// How many older entries each log dropped.
    pub dropped: Dropped,
}

/// How many older entries each log dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Dropped {
    /// Of `violations`.
    pub violations: u64,
    /// Of `soft_blocked_calls`.
    pub soft_blocked_calls: u64,
    /// Of `block_and_warn_overrides`.
    pub block_and_warn_overrides: u64,
    /// Of `termination_nudged_names`.
    pub termination_nudged_names: u64,
}

impl Enforcer {
    /// The run so far, as the reference's `get_constraint_status()` reports it.
    #[must_use]
    pub fn status(&self) -> ConstraintStatus {
        let run = &self.run;
        ConstraintStatus {
            status: run.status,
            stopped_by: run.stopped_by.clone(),
            violations: run.violations.entries.iter().cloned().collect(),
            constraint_checks: run.constraint_checks,
            already_violated_skips: run.already_violated,
            completed_trace: run.trace.to_vec(),
            soft_blocked_calls: run.blocked_calls.entries.iter().cloned().collect(),
            soft_block_counts: run.soft_block_counts.clone(),
            soft_block_mode: self.settings.soft_block_mode,
            consecutive_soft_block_counts: run.consecutive_soft_block_counts.clone(),
            termination_nudges: run.termination_nudges,
            termination_nudged_names: run.nudged_names.entries.iter().cloned().collect(),
            block_and_warn_counts: run.block_and_warn_counts.clone(),
            block_and_warn_overrides: run.overrides.entries.iter().cloned().collect(),
            block_and_warn_override_count: run.overrides.total(),
            persistent_block_counts: run.persistent_block_counts.clone(),
            in_flight: self.in_flight().map(|(id, _)| id).collect(),
            dropped: self.dropped(),
        }
    }

    pub(super) fn dropped(&self) -> Dropped {
        Dropped {
            violations: self.run.violations.dropped,
            soft_blocked_calls: self.run.blocked_calls.dropped,
            block_and_warn_overrides: self.run.overrides.dropped,
            termination_nudged_names: self.run.nudged_names.dropped,
        }
    }
}
