//! The one place where the enforcer asks for judgements, so that what answers can be replaced.
//!
//! It is told of each change of the trace: a call at the end, or a change of everything from some
//! position on, which covers results that arrive late, withdrawn calls and undone chains.

use agentltl_core::Formula;

use crate::call::ToolCall;
use crate::judge::{Breach, EvaluationError, Index, Judgement, Run};
use crate::monitor::Monitors;
use crate::trace::Trace;
use agentltl_core::{Constraint, Policy};

/// What the constraints say of a call.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The constraints that refuse it or could not be judged, by their index in the policy.
    pub(super) found: Vec<(usize, Result<Breach, EvaluationError>)>,
    /// How many constraints are violated, but were before.
    pub(super) already_broken: u64,
}

/// Watches the constraints, and reads the trace only to tell how one is broken, or of those that
/// cannot be watched.
#[derive(Clone, Debug)]
pub(super) struct Judges {
    monitors: Monitors,
    /// Of the calls up to the last refusal, as only a refusal needs it.
    index: Index,
}

impl Judges {
    pub(super) fn new(policy: &Policy, trace: &Trace) -> Self {
        let formulas = policy.constraints().iter().map(Constraint::formula);
        let mut judges = Judges {
            monitors: Monitors::new(formulas),
            index: Index::default(),
        };
        judges.changed_from(policy, trace, 0);
        judges
    }

    /// The number of constraints that are violated but were before, where it is plain that none
    /// refuses the call.
    pub(super) fn allow(&mut self, call: &ToolCall) -> Option<u64> {
        let is_candidate = call.result.is_none() && call.step.is_none();
        if !is_candidate || self.monitors.asks_run() {
            return None;
        }
        let check = self.monitors.check(call);
        check.suspects.is_empty().then_some(check.already_broken)
    }

    /// Judges a call that would come next. It has no result, status or step.
    pub(super) fn check(
        &mut self,
        policy: &Policy,
        trace: &mut Trace,
        candidate: &ToolCall,
    ) -> Findings {
        let extended = Extended::new(trace, candidate.clone());
        let check = self.monitors.check_in(extended.0);
        let mut findings = Findings {
            found: Vec::new(),
            already_broken: check.already_broken,
        };
        if check.suspects.is_empty() {
            return findings;
        }
        // Taken out, so that nothing wrong is left where judging unwinds.
        let mut index = std::mem::take(&mut self.index);
        index.extend(extended.0);
        let run = Run::with_index(extended.0, &index);
        for suspect in check.suspects {
            let constraint = &policy.constraints()[suspect.constraint];
            match run.judge(constraint.formula()) {
                Ok(Judgement::Allowed) => {}
                Ok(Judgement::AlreadyBroken) => findings.already_broken += 1,
                Ok(Judgement::Broken(breach)) => {
                    findings.found.push((suspect.constraint, Ok(breach)));
                }
                Err(error) => findings.found.push((suspect.constraint, Err(error))),
            }
        }
        drop(run);
        // The candidate is not part of the run.
        index.pop(candidate);
        self.index = index;
        findings
    }

    /// The last call of the trace is new.
    pub(super) fn recorded(&mut self, _policy: &Policy, trace: &Trace) {
        self.monitors.record_in(trace);
    }

    /// The trace changed from that position on: calls there differ, are gone, or are new.
    pub(super) fn changed_from(&mut self, _policy: &Policy, trace: &Trace, position: usize) {
        self.monitors.replay(trace, position);
        self.index.truncate(position);
    }

    /// Does the run, as it is, leave the formula unmet? Then in which way.
    pub(super) fn unmet(
        &self,
        formula: &Formula,
        trace: &Trace,
    ) -> Result<Option<String>, EvaluationError> {
        let finding = Run::new(trace).finding(formula)?;
        Ok((!finding.holds).then_some(finding.detail))
    }
}

/// The trace with a candidate at its end, which goes again even where judging unwinds.
struct Extended<'a>(&'a mut Trace);

impl<'a> Extended<'a> {
    fn new(trace: &'a mut Trace, candidate: ToolCall) -> Self {
        trace.push(candidate);
        Extended(trace)
    }
}

impl Drop for Extended<'_> {
    fn drop(&mut self) {
        self.0.calls_mut().pop();
    }
}
