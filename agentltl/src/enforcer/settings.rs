//! How an [`Enforcer`] behaves.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use agentltl_core::{ClassificationReport, Severity, nearest};
use serde::ser::{Serialize, Serializer};

use super::Enforcer;
use super::decision::{Decision, Violation};
use super::error::EnforcerError;
use agentltl_core::Constraint;
use agentltl_core::Policy;

/// How the refusals of a SOFT_BLOCK constraint are counted towards its escalation.
///
/// ```
/// use agentltl::SoftBlockMode;
/// assert_eq!("hybrid".parse(), Ok(SoftBlockMode::Hybrid));
/// assert!("Hybird".parse::<SoftBlockMode>().unwrap_err().to_string().contains("did you mean `hybrid`"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SoftBlockMode {
    /// All refusals of the run.
    #[default]
    Cumulative,
    /// Refusals since the last allowed call.
    Consecutive,
    /// Both: whichever reaches its limit first.
    Hybrid,
}

impl SoftBlockMode {
    /// All three.
    pub const ALL: [SoftBlockMode; 3] = [
        SoftBlockMode::Cumulative,
        SoftBlockMode::Consecutive,
        SoftBlockMode::Hybrid,
    ];

    /// The name, as it is printed and serialised.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            SoftBlockMode::Cumulative => "cumulative",
            SoftBlockMode::Consecutive => "consecutive",
            SoftBlockMode::Hybrid => "hybrid",
        }
    }
}

impl fmt::Display for SoftBlockMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for SoftBlockMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl FromStr for SoftBlockMode {
    type Err = UnknownSoftBlockMode;
    fn from_str(name: &str) -> Result<Self, UnknownSoftBlockMode> {
        SoftBlockMode::ALL
            .into_iter()
            .find(|mode| mode.as_str() == name)
            .ok_or_else(|| UnknownSoftBlockMode {
                name: name.to_owned(),
            })
    }
}

/// A text that names no [`SoftBlockMode`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownSoftBlockMode {
    /// The text.
    pub name: String,
}

impl fmt::Display for UnknownSoftBlockMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown soft-block mode `{}`", self.name)?;
        let names = SoftBlockMode::ALL.map(SoftBlockMode::as_str);
        if let Some(near) = nearest(&self.name, names) {
            write!(f, "; did you mean `{near}`?")?;
        }
        write!(f, "; the modes are {}", names.join(", "))
    }
}

impl Error for UnknownSoftBlockMode {}

/// An error of the user's own code.
pub type BoxError = Box<dyn Error + Send + Sync>;

pub(super) type Render =
    Arc<dyn Fn(&Decision, &Enforcer) -> Result<String, BoxError> + Send + Sync>;
pub(super) type Rank = Arc<dyn Fn(&Violation) -> i64 + Send + Sync>;

/// The settings of an [`Enforcer`], and its constraints.
///
/// ```
/// use agentltl::{Enforcer, Policy, Severity, SoftBlockMode};
/// let enforcer = Enforcer::builder(Policy::default())
///     .max_soft_attempts(5)
///     .soft_block_mode(SoftBlockMode::Hybrid)
///     .max_consecutive_soft_attempts(2)
///     .escalate_to(Severity::Ask)
///     .build()?;
/// # Ok::<(), agentltl::EnforcerError>(())
/// ```
#[derive(Clone)]
#[must_use = "call `build`"]
pub struct EnforcerBuilder {
    pub(super) policy: Policy,
    pub(super) settings: Settings,
}

#[derive(Clone)]
pub(super) struct Settings {
    pub(super) severities: BTreeMap<String, Severity>,
    pub(super) max_soft_attempts: u64,
    pub(super) soft_block_mode: SoftBlockMode,
    pub(super) max_consecutive: Option<u64>,
    pub(super) escalate_to: Severity,
    pub(super) latch_stop: bool,
    pub(super) nudge_max: usize,
    pub(super) max_termination_nudges: u64,
    pub(super) strict_runtime_safety: bool,
    pub(super) log_limit: usize,
    pub(super) rank: Option<Rank>,
    pub(super) render: Option<Render>,
}

impl Settings {
    /// The severity that applies to a constraint of the policy.
    pub(super) fn severity_of(&self, policy: &Policy, constraint: &Constraint) -> Severity {
        self.severities
            .get(constraint.name())
            .copied()
            .unwrap_or_else(|| policy.severity_of(constraint))
    }

    /// Refuses or reports constraints that would refuse every call, or none.
    pub(super) fn check_runtime_safety(&self, policy: &Policy) -> Result<(), EnforcerError> {
        let mismatches: Vec<_> = policy
            .constraints()
            .iter()
            .map(|constraint| {
                ClassificationReport::new(
                    constraint.name(),
                    constraint.formula(),
                    self.severity_of(policy, constraint),
                    constraint.applies_to_final_answer(),
                )
            })
            .filter(|report| !report.compatible)
            .collect();
        if (self.strict_runtime_safety || policy.is_strict()) && !mismatches.is_empty() {
            return Err(EnforcerError::RuntimeSafety(mismatches));
        }
        for report in &mismatches {
            tracing::warn!(
                constraint = report.constraint_name,
                severity = report.assigned_severity.as_str(),
                "{}",
                report.message.as_deref().unwrap_or_default()
            );
        }
        Ok(())
    }
}

impl EnforcerBuilder {
    pub(super) fn new(policy: Policy) -> Self {
        EnforcerBuilder {
            policy,
            settings: Settings {
                severities: BTreeMap::new(),
                max_soft_attempts: 3,
                soft_block_mode: SoftBlockMode::Cumulative,
                max_consecutive: None,
                escalate_to: Severity::HardStop,
                latch_stop: false,
                nudge_max: 1,
                max_termination_nudges: 0,
                strict_runtime_safety: false,
                log_limit: 1_000,
                rank: None,
                render: None,
            },
        }
    }

    /// The severity of one constraint, in place of the one its policy gives it.
    pub fn severity(mut self, constraint: impl Into<String>, severity: Severity) -> Self {
        self.settings.severities.insert(constraint.into(), severity);
        self
    }

    /// How many refusals in total let a SOFT_BLOCK constraint escalate, in the modes that count
    /// them: 3 by default. 0 and 1 escalate at the first.
    pub fn max_soft_attempts(mut self, attempts: u64) -> Self {
        self.settings.max_soft_attempts = attempts;
        self
    }

    /// How refusals are counted: cumulative by default.
    pub fn soft_block_mode(mut self, mode: SoftBlockMode) -> Self {
        self.settings.soft_block_mode = mode;
        self
    }

    /// How many refusals in a row let a SOFT_BLOCK constraint escalate, in the modes that count
    /// those; by default the same number as in total.
    pub fn max_consecutive_soft_attempts(mut self, attempts: u64) -> Self {
        self.settings.max_consecutive = Some(attempts);
        self
    }

    /// What a SOFT_BLOCK constraint escalates to: HARD_STOP by default, or ASK, whereupon its
    /// counts start again.
    pub fn escalate_to(mut self, severity: Severity) -> Self {
        self.settings.escalate_to = severity;
        self
    }

    /// Refuse every call after a stop, until [`Enforcer::resume`]; off by default.
    pub fn latch_stop(mut self, latch: bool) -> Self {
        self.settings.latch_stop = latch;
        self
    }

    /// How many violations one refusal reports: 1 by default, and at least.
    pub fn nudge_max(mut self, violations: usize) -> Self {
        self.settings.nudge_max = violations.max(1);
        self
    }

    /// How many times [`Enforcer::check_termination`] may send the agent back; 0 by default.
    pub fn max_termination_nudges(mut self, nudges: u64) -> Self {
        self.settings.max_termination_nudges = nudges;
        self
    }

    /// Refuse to build where a constraint's class does not suit its severity, as a policy can also
    /// ask for. Otherwise each such pair is a warning through `tracing`.
    pub fn strict_runtime_safety(mut self, strict: bool) -> Self {
        self.settings.strict_runtime_safety = strict;
        self
    }

    /// How many entries each log keeps, the newest ones: 1,000 by default. The status says how many
    /// were dropped.
    pub fn log_limit(mut self, entries: usize) -> Self {
        self.settings.log_limit = entries;
        self
    }

    /// Orders the further violations reported with a refusal, lowest first; by default those with
    /// advice come first.
    pub fn rank(mut self, rank: impl Fn(&Violation) -> i64 + Send + Sync + 'static) -> Self {
        self.settings.rank = Some(Arc::new(rank));
        self
    }

    /// Writes the feedback for the agent in place of [`feedback`](super::feedback). Where it
    /// panics, the default text is used and [`Decision::faults`] says so.
    pub fn render(
        self,
        render: impl Fn(&Decision, &Enforcer) -> String + Send + Sync + 'static,
    ) -> Self {
        self.try_render(move |decision, enforcer| Ok(render(decision, enforcer)))
    }

    /// Like [`render`](Self::render), for a renderer that can fail.
    pub fn try_render(
        mut self,
        render: impl Fn(&Decision, &Enforcer) -> Result<String, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.settings.render = Some(Arc::new(render));
        self
    }

    /// The enforcer, with nothing called yet.
    ///
    /// # Errors
    /// Where a severity is set for a constraint that is not there, soft blocks are to escalate to
    /// something other than HARD_STOP or ASK, or, under `strict_runtime_safety`, a constraint's
    /// class does not suit its severity.
    pub fn build(self) -> Result<Enforcer, EnforcerError> {
        let EnforcerBuilder { policy, settings } = self;
        if !matches!(settings.escalate_to, Severity::HardStop | Severity::Ask) {
            return Err(EnforcerError::EscalateTo(settings.escalate_to));
        }
        let names = || policy.constraints().iter().map(Constraint::name);
        for name in settings.severities.keys() {
            if !names().any(|known| known == name) {
                return Err(EnforcerError::UnknownConstraint {
                    name: name.clone(),
                    suggestion: nearest(name, names()).map(str::to_owned),
                });
            }
        }
        settings.check_runtime_safety(&policy)?;
        Ok(Enforcer::assemble(policy, settings))
    }
}

impl fmt::Debug for EnforcerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnforcerBuilder")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}
