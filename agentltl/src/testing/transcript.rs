//! A run of calls through an enforcer, written down.

use std::fmt::{self, Write as _};

use agentltl_core::Policy;

use crate::call::ToolCall;
use crate::enforcer::{Action, Decision, Enforcer, EnforcerError, Violation};
use crate::trace::Trace;

/// What an enforcer says of each call of a run: the calls in order, each checked as it was proposed
/// and, where it is allowed, recorded with its result.
///
/// It prints as text made for snapshot tests: the same policy and calls give the same text.
///
/// ```
/// use agentltl::{Constraint, Policy, Severity, Trace, build::before, testing::Transcript};
/// let policy = Policy::new([Constraint::new("test_first", before("test", "deploy"))
///     .with_severity(Severity::PersistentBlock)
///     .with_repair("Run test first.")])?;
/// let transcript = Transcript::of(&policy, &Trace::from_names(["deploy", "test", "deploy"]))?;
/// assert_eq!(transcript.to_string(), "\
/// 1  deploy()  block  test_first
///      test_first: `deploy` (call #1) came and `test` has not been called yet.
///      repair: Run test first.
/// 2  test()    allow
/// 3  deploy()  allow
/// ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Transcript {
    /// The calls and what was said of them.
    pub steps: Vec<Step>,
    /// What was said when the run ended: [`Enforcer::check_termination`].
    pub end: Decision,
    /// The calls that were allowed, with their results: what a run under the policy would have been.
    pub allowed: Trace,
}

/// A call and what the enforcer said of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// The call.
    pub call: ToolCall,
    /// The decision.
    pub decision: Decision,
}

impl Transcript {
    /// Puts the calls to an enforcer of the policy that sends the agent back once where the final
    /// answer leaves something unmet; other settings: [`Transcript::with`].
    ///
    /// A call's result is known once the call has run; each call is a generation of its own unless
    /// it says which it belongs to.
    ///
    /// # Errors
    /// Where the policy cannot be enforced, see [`EnforcerBuilder::build`](crate::EnforcerBuilder::build).
    pub fn of(policy: &Policy, calls: &[ToolCall]) -> Result<Self, EnforcerError> {
        let mut enforcer = Enforcer::builder(policy.clone())
            .max_termination_nudges(1)
            .build()?;
        Ok(Transcript::with(&mut enforcer, calls))
    }

    /// Puts the calls to an enforcer, which keeps what it learnt.
    pub fn with(enforcer: &mut Enforcer, calls: &[ToolCall]) -> Self {
        let mut allowed = Trace::new();
        let steps = calls
            .iter()
            .map(|call| {
                if call.generation.is_none() {
                    enforcer.begin_generation(None);
                }
                let decision = enforcer.check(call);
                if decision.allowed() {
                    enforcer.record(call.clone());
                    allowed.push(call.clone());
                }
                let call = call.clone();
                Step { call, decision }
            })
            .collect();
        Transcript {
            steps,
            end: enforcer.check_termination(),
            allowed,
        }
    }

    /// What was done with each call, in order.
    pub fn actions(&self) -> impl ExactSizeIterator<Item = Action> + '_ {
        self.steps.iter().map(|step| step.decision.action)
    }

    /// The steps whose call was refused.
    pub fn refused(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| !step.decision.allowed())
    }
}

/// How long a call may be in a line; the rest is left out.
const CALL: usize = 100;

impl Step {
    /// The call in one line: `search(city="SEA", seats=2)`, cut where it is long.
    #[must_use]
    pub fn call_text(&self) -> String {
        call_text(&self.call)
    }
}

fn call_text(call: &ToolCall) -> String {
    let mut text = format!("{}(", call.tool_name);
    for (i, (key, value)) in call.arguments.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{key}={value}");
    }
    text.push(')');
    let mut shown: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(CALL)
        .collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls: Vec<String> = self.steps.iter().map(Step::call_text).collect();
        let length = |text: &String| text.chars().count();
        let width = calls.iter().map(length).max().unwrap_or(0).min(60);
        let digits = self.steps.len().to_string().len();
        for (number, (step, call)) in (1..).zip(self.steps.iter().zip(&calls)) {
            let decision = &step.decision;
            write!(f, "{number:digits$}  {call:width$}  {}", decision.action)?;
            if let Some(name) = decision.constraint_name() {
                write!(f, "  {name}")?;
            }
            if let Some(name) = &decision.overridden {
                write!(f, "  (overrides {name})")?;
            }
            if decision.escalated {
                f.write_str("  (escalated)")?;
            }
            if decision.latched {
                f.write_str("  (the run is stopped)")?;
            }
            writeln!(f)?;
            let indent = digits + 4;
            for violation in &decision.violations {
                about(f, indent, "", violation)?;
            }
            for violation in &decision.notes {
                about(f, indent, "note: ", violation)?;
            }
        }
        if !self.end.allowed() {
            writeln!(f, "at the end  {}", self.end.action)?;
            for violation in &self.end.violations {
                about(f, digits + 4, "", violation)?;
            }
        }
        Ok(())
    }
}

fn about(
    f: &mut fmt::Formatter<'_>,
    indent: usize,
    what: &str,
    violation: &Violation,
) -> fmt::Result {
    let Violation {
        constraint_name,
        detail,
        repair,
        ..
    } = violation;
    writeln!(f, "{:indent$}{what}{constraint_name}: {detail}", "")?;
    if !repair.is_empty() {
        writeln!(f, "{:indent$}repair: {repair}", "")?;
    }
    Ok(())
}
