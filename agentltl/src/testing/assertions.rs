//! Expectations of a policy, which say what they saw where they are not met.

use std::fmt::{self, Write as _};

use agentltl_core::Policy;

use super::Transcript;
use crate::call::ToolCall;
use crate::enforcer::{Action, EnforcerError};
use crate::judge::Run;
use crate::report::verify;

/// Starts an expectation of what the policy does with the calls. Each method is one thing expected;
/// the first that is not met is the error, which shows the transcript and the verdicts, so that a
/// test needs no more than `?`.
///
/// ```
/// use agentltl::{Constraint, Policy, Trace, build::before, testing::expect};
/// let policy = Policy::new([Constraint::new("order", before("fetch", "save"))])?;
/// expect(&policy, &Trace::from_names(["fetch", "save"]))?
///     .all_allowed()?
///     .holds("order")?;
/// let error = expect(&policy, &Trace::from_names(["save"]))?.all_allowed().unwrap_err();
/// assert!(error.to_string().starts_with("expected every call to be allowed; call 1 was not: stop"));
/// assert!(error.to_string().contains("order: FALSE"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where the policy cannot be enforced.
pub fn expect<'a>(
    policy: &'a Policy,
    calls: &'a [ToolCall],
) -> Result<Expectation<'a>, EnforcerError> {
    Ok(Expectation {
        policy,
        calls,
        transcript: Transcript::of(policy, calls)?,
    })
}

/// Calls that were put to a policy; see [`expect`].
#[derive(Clone, Debug)]
pub struct Expectation<'a> {
    policy: &'a Policy,
    calls: &'a [ToolCall],
    transcript: Transcript,
}

impl Expectation<'_> {
    /// What the enforcer said.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Every call is allowed.
    ///
    /// # Errors
    /// Where one is refused.
    pub fn all_allowed(self) -> Result<Self, ExpectationError> {
        let mut actions = self.transcript.actions();
        let refused = actions.position(|action| !action.allows());
        drop(actions);
        match refused {
            None => Ok(self),
            Some(index) => Err(self.failed(format!(
                "expected every call to be allowed; call {} was not: {}",
                index + 1,
                self.said(index)
            ))),
        }
    }

    /// The call with this number, from 1, is refused with the action by the constraint.
    ///
    /// # Errors
    /// Where there is no such call, it is allowed, or something else refuses it.
    pub fn refused(
        self,
        number: usize,
        action: Action,
        constraint: &str,
    ) -> Result<Self, ExpectationError> {
        let wanted = format!("expected call {number} to be refused: {action} by {constraint}");
        let Some(index) = number.checked_sub(1).filter(|i| *i < self.calls.len()) else {
            let count = self.calls.len();
            return Err(self.failed(format!("{wanted}; there are {count} calls")));
        };
        let decision = &self.transcript.steps[index].decision;
        if decision.action == action && decision.constraint_name() == Some(constraint) {
            Ok(self)
        } else {
            Err(self.failed(format!("{wanted}; it was: {}", self.said(index))))
        }
    }

    /// The constraint holds on the calls as a finished run.
    ///
    /// # Errors
    /// Where it does not, or the policy has no such constraint.
    pub fn holds(self, constraint: &str) -> Result<Self, ExpectationError> {
        self.finished(constraint, true)
    }

    /// The constraint is violated by the calls as a finished run.
    ///
    /// # Errors
    /// Where it is not, or the policy has no such constraint.
    pub fn violated(self, constraint: &str) -> Result<Self, ExpectationError> {
        self.finished(constraint, false)
    }

    /// The agent may end here: no constraint that applies to the final answer is unmet.
    ///
    /// # Errors
    /// Where one is.
    pub fn may_finish(self) -> Result<Self, ExpectationError> {
        if self.transcript.end.allowed() {
            return Ok(self);
        }
        let name = self.transcript.end.constraint_name().unwrap_or_default();
        Err(self.failed(format!(
            "expected that the agent may finish; `{name}` is unmet"
        )))
    }

    fn finished(self, constraint: &str, wanted: bool) -> Result<Self, ExpectationError> {
        let how = if wanted { "to hold" } else { "to be violated" };
        let report = verify(self.policy, self.calls);
        match report
            .constraints
            .iter()
            .find(|result| result.name == constraint)
        {
            None => Err(self.failed(format!(
                "expected `{constraint}` {how}; the policy has no constraint of that name"
            ))),
            Some(result) if result.passed == wanted => Ok(self),
            Some(result) => {
                let detail = &result.detail;
                Err(self.failed(format!(
                    "expected `{constraint}` {how}; it is not so: {detail}"
                )))
            }
        }
    }

    fn said(&self, index: usize) -> String {
        let decision = &self.transcript.steps[index].decision;
        match decision.constraint_name() {
            Some(name) => format!("{} by {name}", decision.action),
            None => decision.action.to_string(),
        }
    }

    fn failed(&self, message: String) -> ExpectationError {
        let mut seen = format!("{}\nthe run as it is, unfinished:\n", self.transcript);
        let run = Run::new(self.calls);
        for rule in self.policy.constraints() {
            // Writing to a string cannot fail.
            let _ = match run.verdict(rule.formula()) {
                Ok(verdict) => writeln!(seen, "  {}: {verdict}  {}", rule.name(), rule.formula()),
                Err(error) => writeln!(seen, "  {}: {error}  {}", rule.name(), rule.formula()),
            };
        }
        ExpectationError { message, seen }
    }
}

/// Something that was expected of a policy and is not so.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpectationError {
    /// What was expected, and what was there instead.
    pub message: String,
    /// The transcript and the verdicts.
    pub seen: String,
}

impl fmt::Display for ExpectationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n\n{}", self.message, self.seen)
    }
}

impl std::error::Error for ExpectationError {}
