//! Judging a call, and what a refusal does.

use std::panic::{AssertUnwindSafe, catch_unwind};

use agentltl_core::Severity;

use super::Enforcer;
use super::decision::{Action, Decision, Fault, SoftBlockCount, Violation};
use super::feedback::feedback;
use super::log::{BlockedCall, LastBlocked, ViolationRecord};
use super::proposal::candidate;
use super::run::{RunStatus, count};
use super::settings::SoftBlockMode;
use crate::call::ToolCall;
use crate::judge::panic_message;

impl Enforcer {
    /// Judges a call; `step` is what violations report.
    pub(super) fn decide(&mut self, call: &ToolCall, step: Option<i64>) -> Decision {
        // Nearly always there is nothing to say of a call, and then this is all there is to do.
        if self.run.latched.is_none()
            && self.run.last_blocked.is_none()
            && let Some(already_broken) = self.judges.allow(call)
        {
            self.count_check(already_broken);
            return self.allow();
        }
        self.decide_closely(call, step)
    }

    #[inline(never)]
    fn decide_closely(&mut self, call: &ToolCall, step: Option<i64>) -> Decision {
        let step = step.unwrap_or_else(|| {
            i64::try_from(self.run.trace.len()).map_or(i64::MAX, |calls| calls.saturating_add(1))
        });
        if let Some(violation) = &self.run.latched {
            let mut decision = Decision::new(Action::Stop);
            decision.violations.push(violation.clone());
            decision.latched = true;
            self.write_feedback(&mut decision);
            return decision;
        }

        // The call was judged when it was refused, and broke nothing stronger than a warning. Where
        // the run is another now, that is asked again: insisting lifts warnings, nothing else.
        let insisted = self.run.insisted(&call.tool_name, &call.arguments);
        if insisted && !self.run.is_last_blocked_stale() {
            return self.let_override(call, step);
        }
        let counters = (self.run.constraint_checks, self.run.already_violated);
        let (violations, faults) = self.violations(call, step);
        let lifted = |violation: &Violation| violation.severity >= Some(Severity::BlockAndWarn);
        if insisted && violations.iter().all(lifted) {
            // An override is not a check.
            (self.run.constraint_checks, self.run.already_violated) = counters;
            return self.let_override(call, step);
        }

        let (notes, mut blocking): (Vec<_>, Vec<_>) = violations
            .into_iter()
            .partition(|violation| violation.severity == Some(Severity::Tolerate));
        for note in &notes {
            self.log(note);
        }
        let Some(strongest) = blocking
            .iter()
            .filter_map(|violation| violation.severity)
            .min()
        else {
            let mut decision = self.allow();
            decision.notes = notes;
            return decision;
        };

        blocking.retain(|violation| violation.severity == Some(strongest));
        let mut decision = self.refuse(strongest, &blocking[0], call, step);
        decision.faults = faults;
        self.rank_others(&mut blocking, &mut decision.faults);
        blocking.truncate(self.settings.nudge_max);
        decision.violations = blocking;
        decision.notes = notes;
        self.write_feedback(&mut decision);
        decision
    }

    fn count_check(&mut self, already_broken: u64) {
        let (run, asked) = (&mut self.run, self.policy.constraints().len() as u64);
        run.constraint_checks = run.constraint_checks.saturating_add(asked);
        run.already_violated = run.already_violated.saturating_add(already_broken);
    }

    fn allow(&mut self) -> Decision {
        let run = &mut self.run;
        if self.settings.soft_block_mode != SoftBlockMode::Cumulative
            && !run.consecutive_soft_block_counts.is_empty()
        {
            run.consecutive_soft_block_counts.clear();
        }
        // The agent did something else: an override must be the very next call.
        if run.last_blocked.is_some() {
            run.last_blocked = None;
        }
        Decision::new(Action::Allow)
    }

    fn let_override(&mut self, call: &ToolCall, step: i64) -> Decision {
        let mut decision = Decision::new(Action::Allow);
        decision.overridden = self.run.override_last(step);
        tracing::info!(
            constraint = decision.overridden.as_deref().unwrap_or_default(),
            tool = call.tool_name,
            "the agent insisted on a call and it runs"
        );
        decision
    }

    fn log(&mut self, violation: &Violation) {
        tracing::warn!(
            constraint = violation.constraint_name,
            severity = violation.severity_name(),
            tool = violation.tool_name.as_deref().unwrap_or_default(),
            step = violation.step_number,
            "{}",
            violation.detail
        );
        self.run.violations.push(ViolationRecord::from(violation));
    }

    /// The constraints that the call breaks, in the policy's order, and the code that failed.
    fn violations(&mut self, call: &ToolCall, step: i64) -> (Vec<Violation>, Vec<Fault>) {
        let findings = self
            .judges
            .check(&self.policy, &mut self.run.trace, &candidate(call));
        self.count_check(findings.already_broken);
        let constraints = self.policy.constraints();
        let mut faults = Vec::new();
        let mut violations = Vec::with_capacity(findings.found.len());
        for (index, finding) in findings.found {
            let constraint = &constraints[index];
            let mut violation = Violation::unmet(constraint);
            violation.step_number = step;
            violation.tool_name = Some(call.tool_name.clone());
            violation.tool_args = call.arguments.clone();
            let severity = self.settings.severity_of(&self.policy, constraint);
            match finding {
                Ok(breach) => {
                    violation.severity = Some(severity);
                    violation.detail = breach.detail;
                    violation.witnesses = breach.witnesses;
                    violation.uncertain = breach.uncertain;
                }
                Err(error) => {
                    // What could not be judged must not run, not even by insisting.
                    violation.severity = Some(if severity.is_blocking() {
                        severity
                    } else {
                        Severity::PersistentBlock
                    });
                    violation.detail = format!("the rule could not be judged: {error}");
                    faults.push(Fault {
                        what: error.what,
                        message: error.message,
                    });
                }
            }
            violations.push(violation);
        }
        (violations, faults)
    }

    /// Counts and logs a refusal; the decision without its violations and text.
    fn refuse(
        &mut self,
        severity: Severity,
        violation: &Violation,
        call: &ToolCall,
        step: i64,
    ) -> Decision {
        self.log(violation);
        let name = violation.constraint_name.as_str();
        let mut entry = BlockedCall {
            step,
            constraint_name: name.to_owned(),
            tool_name: call.tool_name.clone(),
            tool_args: call.arguments.clone(),
            detail: violation.detail.clone(),
            mode: None,
            overridden_next_step: None,
        };
        match severity {
            Severity::HardStop => {
                self.stop(violation);
                return Decision::new(Action::Stop);
            }
            Severity::SoftBlock => {
                self.run.blocked_calls.push(entry);
                return self.soft_block(violation);
            }
            Severity::BlockAndWarn => {
                count(&mut self.run.block_and_warn_counts, name);
                self.run.last_blocked = Some(LastBlocked {
                    tool_name: call.tool_name.clone(),
                    arguments: call.arguments.clone(),
                    constraint_name: name.to_owned(),
                    step_number: step,
                    generation: self.run.generation,
                    calls_before: Some(self.run.trace.len()),
                    stale: false,
                });
                entry.mode = Some("block_and_warn".to_owned());
                entry.overridden_next_step = Some(false);
            }
            Severity::PersistentBlock | Severity::Ask | Severity::Tolerate => {
                count(&mut self.run.persistent_block_counts, name);
                let ask = severity == Severity::Ask;
                entry.mode = Some(if ask { "ask" } else { "persistent_block" }.to_owned());
            }
        }
        self.run.blocked_calls.push(entry);
        Decision::new(Action::from(severity))
    }

    fn soft_block(&mut self, violation: &Violation) -> Decision {
        let name = violation.constraint_name.as_str();
        let total = count(&mut self.run.soft_block_counts, name);
        let in_a_row = count(&mut self.run.consecutive_soft_block_counts, name);
        let settings = &self.settings;
        let mode = settings.soft_block_mode;
        let by_total = SoftBlockCount {
            mode,
            consecutive: false,
            used: total,
            limit: settings.max_soft_attempts,
        };
        let by_row = SoftBlockCount {
            mode,
            consecutive: true,
            used: in_a_row,
            limit: settings
                .max_consecutive
                .unwrap_or(settings.max_soft_attempts),
        };
        // Of two limits, the one that is nearer.
        let nearest = match mode {
            SoftBlockMode::Cumulative => by_total,
            SoftBlockMode::Consecutive => by_row,
            SoftBlockMode::Hybrid if by_row.left() <= by_total.left() => by_row,
            SoftBlockMode::Hybrid => by_total,
        };
        let mut decision = Decision::new(Action::Retry);
        decision.attempts = total;
        decision.soft_block = Some(nearest);
        if nearest.left() > 0 {
            return decision;
        }
        decision.escalated = true;
        if settings.escalate_to == Severity::Ask {
            decision.action = Action::Ask;
            self.run.soft_block_counts.insert(name.to_owned(), 0);
            self.run
                .consecutive_soft_block_counts
                .insert(name.to_owned(), 0);
        } else {
            decision.action = Action::Stop;
            self.stop(violation);
        }
        decision
    }

    fn stop(&mut self, violation: &Violation) {
        self.run.status = RunStatus::Stopped;
        self.run.stopped_by = Some(violation.constraint_name.clone());
        if self.settings.latch_stop {
            self.run.latched = Some(Violation {
                witnesses: Vec::new(),
                uncertain: false,
                ..violation.clone()
            });
        }
    }

    /// Orders all violations but the deciding one.
    fn rank_others(&self, violations: &mut [Violation], faults: &mut Vec<Fault>) {
        let Some((_, others)) = violations.split_first_mut() else {
            return;
        };
        // Ranked or not, they are few enough to be reported whole.
        if others.len() < 2 && self.settings.rank.is_none() {
            return;
        }
        let by_advice = |violation: &Violation| i64::from(violation.advice().is_empty());
        let ranks = self.settings.rank.as_ref().and_then(|rank| {
            let ranks = guarded("rank", || {
                Ok(others.iter().map(|other| rank(other)).collect())
            });
            ranks.map_err(|fault| faults.push(fault)).ok()
        });
        let ranks: Vec<i64> = ranks.unwrap_or_else(|| others.iter().map(by_advice).collect());
        let mut ranked: Vec<_> = ranks
            .into_iter()
            .zip(others.iter_mut().map(std::mem::take))
            .collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        for (place, (_, violation)) in others.iter_mut().zip(ranked) {
            *place = violation;
        }
    }

    fn write_feedback(&self, decision: &mut Decision) {
        decision.feedback = match &self.settings.render {
            None => feedback(decision, self),
            Some(render) => match guarded("render", || render(decision, self)) {
                Ok(text) => text,
                Err(fault) => {
                    let text = format!(
                        "{}\n({fault}; this is the default text.)",
                        feedback(decision, self)
                    );
                    decision.faults.push(fault);
                    text
                }
            },
        };
        for fault in &decision.faults {
            tracing::error!("{fault}; the call is refused");
        }
    }
}

impl SoftBlockCount {
    /// The refusals that remain.
    pub(super) fn left(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }
}

/// Runs code of the user, which may panic or fail.
fn guarded<T>(
    what: &str,
    code: impl FnOnce() -> Result<T, super::settings::BoxError>,
) -> Result<T, Fault> {
    let message = match catch_unwind(AssertUnwindSafe(code)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => format!("it panicked: {}", panic_message(&*panic)),
    };
    Err(Fault {
        what: format!("`{what}`"),
        message,
    })
}
