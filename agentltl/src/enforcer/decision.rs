//! What the [`Enforcer`](super::Enforcer) says of a call.

use std::fmt;

use agentltl_core::Severity;
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value as Json};

use super::error::ConstraintViolationError;
use super::settings::SoftBlockMode;
use crate::judge::{Segment, Witness};

/// What to do with a proposed call.
///
/// ```
/// use agentltl::{Action, Severity};
/// assert_eq!(Action::from(Severity::SoftBlock).as_str(), "retry");
/// assert!(Action::Allow.allows() && !Action::Warn.allows());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Refuse the call and stop the run.
    Stop,
    /// Refuse the call; the agent must do something else.
    Block,
    /// Refuse the call and ask a human.
    Ask,
    /// Refuse the call; the agent may try another a number of times.
    Retry,
    /// Refuse the call; the agent may insist by repeating it.
    Warn,
    /// Run the call.
    #[default]
    Allow,
}

impl Action {
    /// The name, as it is printed and serialised.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Action::Stop => "stop",
            Action::Block => "block",
            Action::Ask => "ask",
            Action::Retry => "retry",
            Action::Warn => "warn",
            Action::Allow => "allow",
        }
    }

    /// Does the call run?
    #[must_use]
    pub const fn allows(self) -> bool {
        matches!(self, Action::Allow)
    }
}

/// What a violation of that severity leads to, before any escalation.
impl From<Severity> for Action {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::HardStop => Action::Stop,
            Severity::PersistentBlock => Action::Block,
            Severity::Ask => Action::Ask,
            Severity::SoftBlock => Action::Retry,
            Severity::BlockAndWarn => Action::Warn,
            Severity::Tolerate => Action::Allow,
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What to do with a call, and why. Serialises under the reference's field names.
///
/// ```
/// use agentltl::{Enforcer, Policy, ToolCall};
/// let mut enforcer = Enforcer::new(Policy::default())?;
/// let decision = enforcer.check(&ToolCall::new("search"));
/// assert!(decision.allowed());
/// assert!(decision.into_result().is_ok());
/// # Ok::<(), agentltl::EnforcerError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[must_use = "a call may run only where the decision allows it"]
#[non_exhaustive]
pub struct Decision {
    /// What to do.
    pub action: Action,
    /// The violations that decided it: the deciding one first, then others of the same severity, as
    /// many as [`nudge_max`](super::EnforcerBuilder::nudge_max) lets through.
    pub violations: Vec<Violation>,
    /// Violations of TOLERATE constraints: the call may run, the agent may be told.
    pub notes: Vec<Violation>,
    /// The message for the agent; empty where the call is allowed.
    pub feedback: String,
    /// A SOFT_BLOCK constraint ran out of attempts; `action` is what it escalates to.
    pub escalated: bool,
    /// How many times this SOFT_BLOCK constraint has refused a call; 0 for other severities.
    pub attempts: u64,
    /// The BLOCK_AND_WARN constraint that the agent overrode by insisting on the call.
    #[serde(rename = "override")]
    pub overridden: Option<String>,
    /// Refused because an earlier stop is still in force.
    pub latched: bool,
    /// For [`check_chain`](super::Enforcer::check_chain): which call of the chain decided, from 0.
    pub index: Option<usize>,
    /// For a SOFT_BLOCK refusal: how attempts are counted, and how many are used up.
    pub soft_block: Option<SoftBlockCount>,
    /// Code of the user that failed while the call was judged or the feedback written.
    pub faults: Vec<Fault>,
}

impl Decision {
    pub(super) fn new(action: Action) -> Self {
        Decision {
            action,
            ..Decision::default()
        }
    }

    /// May the call run?
    #[must_use]
    pub fn allowed(&self) -> bool {
        self.action.allows()
    }

    /// The deciding violation, where the call is refused.
    #[must_use]
    pub fn violation(&self) -> Option<&Violation> {
        self.violations.first()
    }

    /// The name of the deciding constraint, where the call is refused.
    #[must_use]
    pub fn constraint_name(&self) -> Option<&str> {
        self.violation()
            .map(|violation| violation.constraint_name.as_str())
    }

    /// The refusal as an error, for code that runs a call with `?`.
    ///
    /// # Errors
    /// Where the call is refused.
    pub fn into_result(self) -> Result<(), ConstraintViolationError> {
        if self.allowed() {
            Ok(())
        } else {
            Err(ConstraintViolationError::of(self))
        }
    }
}

/// How far a SOFT_BLOCK constraint is from its escalation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct SoftBlockCount {
    /// How attempts are counted.
    pub mode: SoftBlockMode,
    /// Is it the run of refusals without an allowed call between them that counts here, rather than
    /// their total?
    pub consecutive: bool,
    /// The refusals so far.
    pub used: u64,
    /// The number that escalates.
    pub limit: u64,
}

impl fmt::Display for SoftBlockCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.consecutive {
            "consecutive"
        } else {
            "total"
        };
        write!(f, "{what} {}/{}", self.used, self.limit)
    }
}

/// Code of the user that panicked or returned an error.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Fault {
    /// What failed, such as ``predicate `p` ``.
    pub what: String,
    /// What it said.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed: {}", self.what, self.message)
    }
}

/// A constraint that a call breaks, or that the run would leave unmet.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// The constraint.
    pub constraint_name: String,
    /// How strongly it is answered; `None` (serialised as `termination_nudge`) where the agent wanted
    /// to finish with the constraint unmet.
    #[serde(serialize_with = "severity_name")]
    pub severity: Option<Severity>,
    /// The number of the step, from 1; -1 where the agent wanted to finish.
    pub step_number: i64,
    /// The tool that was to be called; `None` where the agent wanted to finish.
    pub tool_name: Option<String>,
    /// The arguments of the call.
    pub tool_args: Map<String, Json>,
    /// What is wrong with the call, or what could not be judged, in words.
    pub detail: String,
    /// Why the constraint exists; may be empty.
    pub description: String,
    /// What to do about the violation; may be empty.
    pub repair: String,
    /// The constraint's formula as text.
    pub formula: String,
    /// The instances of the formula that fail.
    #[serde(serialize_with = "witnesses")]
    pub witnesses: Vec<Witness>,
    /// Does it rest on a match that is only possible?
    pub uncertain: bool,
}

impl Violation {
    /// What helps most: the repair, else the description; empty where there is neither.
    #[must_use]
    pub fn advice(&self) -> &str {
        let repair = self.repair.trim();
        if repair.is_empty() {
            self.description.trim()
        } else {
            repair
        }
    }

    pub(super) fn severity_name(&self) -> &'static str {
        self.severity
            .map_or(TERMINATION_NUDGE, |severity| severity.as_str())
    }
}

/// What stands for a severity where the agent wanted to finish with a constraint unmet.
pub(super) const TERMINATION_NUDGE: &str = "termination_nudge";

fn severity_name<S: Serializer>(
    severity: &Option<Severity>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.map_or(TERMINATION_NUDGE, |severity| severity.as_str()))
}

fn witnesses<S: Serializer>(witnesses: &[Witness], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(witnesses.iter().map(WitnessView::of))
}

#[derive(serde::Serialize)]
struct WitnessView<'a> {
    path: Vec<Json>,
    counts: &'a [u64],
    verdict: &'static str,
}

impl<'a> WitnessView<'a> {
    fn of(witness: &'a Witness) -> Self {
        WitnessView {
            path: witness.path.iter().map(segment).collect(),
            counts: &witness.counts,
            verdict: witness.verdict.as_str(),
        }
    }
}

fn segment(segment: &Segment) -> Json {
    match segment {
        Segment::Side(side) => serde_json::json!({ "side": side }),
        Segment::Position(position) => serde_json::json!({ "position": position }),
        Segment::Next => Json::from("next"),
        Segment::Previous => Json::from("previous"),
        Segment::Entity(entity) => serde_json::json!({ "entity": entity }),
    }
}
