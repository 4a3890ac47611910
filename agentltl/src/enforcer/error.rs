//! What can go wrong, and a refusal as an error.

use std::error::Error;
use std::fmt;

use agentltl_core::ClassificationReport;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::{Map, Value as Json};

use super::decision::{Action, Decision};
use super::flight::CallId;
use super::settings::SoftBlockMode;

/// An [`Enforcer`](super::Enforcer) that cannot be built, or constraints it cannot take over.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EnforcerError {
    /// A severity was set for a constraint that the policy does not have.
    UnknownConstraint {
        /// The name.
        name: String,
        /// The nearest name in the policy.
        suggestion: Option<String>,
    },
    /// Under `strict_runtime_safety`: constraints whose class does not suit their severity.
    RuntimeSafety(Vec<ClassificationReport>),
    /// A soft block can only escalate to HARD_STOP or ASK.
    EscalateTo(agentltl_core::Severity),
}

impl fmt::Display for EnforcerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EnforcerError::UnknownConstraint { name, suggestion } => {
                write!(
                    f,
                    "a severity is set for `{name}`, which is no constraint of the policy"
                )?;
                suggestion
                    .as_ref()
                    .map_or(Ok(()), |near| write!(f, "; did you mean `{near}`?"))
            }
            EnforcerError::RuntimeSafety(reports) => {
                let mut separator = "";
                for message in reports.iter().filter_map(|report| report.message.as_ref()) {
                    write!(f, "{separator}{message}")?;
                    separator = "\n";
                }
                Ok(())
            }
            EnforcerError::EscalateTo(severity) => {
                write!(
                    f,
                    "a soft block escalates to HARD_STOP or ASK, not to {severity}"
                )
            }
        }
    }
}

impl Error for EnforcerError {}

/// A call that is not in flight: never started, or already completed, abandoned or withdrawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotInFlight {
    /// The call.
    pub id: CallId,
}

impl fmt::Display for NotInFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "call {} is not in flight", self.id)
    }
}

impl Error for NotInFlight {}

/// A refused call as an error: what [`Decision::into_result`] returns.
///
/// It serialises to an object with the fields `type`, `violation_type`, `constraint_name`,
/// `tool_name`, `detail`, `soft_block_mode`, `threshold_str` and `message`.
/// Its fields are boxed to keep it small.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConstraintViolationError {
    /// The constraint that refused the call.
    pub constraint_name: Box<str>,
    /// The tool that was to be called; `None` where the agent wanted to finish.
    pub tool_name: Option<Box<str>>,
    /// The arguments of the call.
    pub tool_args: Box<Map<String, Json>>,
    /// What is wrong with the call, in words.
    pub detail: Box<str>,
    /// HARD_STOP, SOFT_BLOCK_ESCALATION, or the severity that refused the call.
    pub violation_type: ViolationType,
    /// How the attempts of a SOFT_BLOCK constraint are counted.
    pub soft_block_mode: Option<SoftBlockMode>,
    /// How many attempts are used up, such as `total 3/3`; empty for other severities.
    pub threshold: Box<str>,
    /// The message for the agent.
    pub message: Box<str>,
}

/// The kind of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationType {
    /// The run stops.
    HardStop,
    /// A SOFT_BLOCK constraint ran out of attempts.
    SoftBlockEscalation,
    /// The agent must do something else.
    PersistentBlock,
    /// A human decides.
    Ask,
    /// The agent may try another call.
    SoftBlock,
    /// The agent may insist.
    BlockAndWarn,
    /// The agent wanted to finish with a constraint unmet.
    TerminationNudge,
}

impl ViolationType {
    /// The name, as it is printed and serialised.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ViolationType::HardStop => "HARD_STOP",
            ViolationType::SoftBlockEscalation => "SOFT_BLOCK_ESCALATION",
            ViolationType::PersistentBlock => "PERSISTENT_BLOCK",
            ViolationType::Ask => "ASK",
            ViolationType::SoftBlock => "SOFT_BLOCK",
            ViolationType::BlockAndWarn => "BLOCK_AND_WARN",
            ViolationType::TerminationNudge => super::decision::TERMINATION_NUDGE,
        }
    }
}

impl fmt::Display for ViolationType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl ConstraintViolationError {
    /// The error for a decision that refuses a call.
    pub(super) fn of(mut decision: Decision) -> Self {
        let violation = if decision.violations.is_empty() {
            super::decision::Violation::default()
        } else {
            decision.violations.swap_remove(0)
        };
        let violation_type = match decision.action {
            _ if decision.escalated => ViolationType::SoftBlockEscalation,
            Action::Block if violation.severity.is_none() => ViolationType::TerminationNudge,
            Action::Block => ViolationType::PersistentBlock,
            Action::Ask => ViolationType::Ask,
            Action::Retry => ViolationType::SoftBlock,
            Action::Warn => ViolationType::BlockAndWarn,
            Action::Stop | Action::Allow => ViolationType::HardStop,
        };
        ConstraintViolationError {
            constraint_name: violation.constraint_name.into(),
            tool_name: violation.tool_name.map(Into::into),
            tool_args: Box::new(violation.tool_args),
            detail: violation.detail.into(),
            violation_type,
            soft_block_mode: decision.soft_block.map(|count| count.mode),
            threshold: decision
                .soft_block
                .map_or_else(Box::default, |count| count.to_string().into()),
            message: decision.feedback.into(),
        }
    }
}

impl fmt::Display for ConstraintViolationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ConstraintViolationError {}

impl Serialize for ConstraintViolationError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("ConstraintViolationError", 8)?;
        fields.serialize_field("type", "ConstraintViolationError")?;
        fields.serialize_field("violation_type", self.violation_type.as_str())?;
        fields.serialize_field("constraint_name", &self.constraint_name)?;
        fields.serialize_field("tool_name", &self.tool_name)?;
        fields.serialize_field("detail", &self.detail)?;
        fields.serialize_field("soft_block_mode", &self.soft_block_mode)?;
        fields.serialize_field("threshold_str", &self.threshold)?;
        fields.serialize_field("message", &self.message)?;
        fields.end()
    }
}
