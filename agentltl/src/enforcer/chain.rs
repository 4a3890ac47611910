//! Calls that run together.

use super::Enforcer;
use super::decision::{Action, Decision};
use super::proposal::Chain;
use crate::matching::equal;

impl Enforcer {
    /// Judges calls that run together, such as a shell command line: all or none.
    ///
    /// Each is judged with the earlier ones in the trace. The first refusal decides, and
    /// [`Decision::index`] says of which call; nothing is recorded. To insist on a BLOCK_AND_WARN the
    /// agent issues the same chain again.
    ///
    /// ```
    /// use agentltl::{Enforcer, Policy, ToolCall};
    /// let mut enforcer = Enforcer::new(Policy::default())?;
    /// let calls = [ToolCall::new("test"), ToolCall::new("deploy")];
    /// if enforcer.check_chain(&calls).allowed() {
    ///     for call in calls {
    ///         enforcer.record(call.with_result("done"));
    ///     }
    /// }
    /// assert_eq!(enforcer.trace().len(), 2);
    /// # Ok::<(), agentltl::EnforcerError>(())
    /// ```
    pub fn check_chain<'a>(&mut self, chain: impl Into<Chain<'a>>) -> Decision {
        let chain = chain.into();
        self.run.enter_generation(chain.generation_key());
        let identity = chain.identity();
        let again = self
            .run
            .blocked_chain
            .as_ref()
            .is_some_and(|blocked| equal(blocked, &identity));
        if chain.key.is_some() {
            // The key says that the chain is the same; that its calls are is not taken for granted.
            self.run.outdate_last_blocked();
        }
        let before = self.run.trace.len();
        let decision = self.decide_chain(&chain, again);
        if self.run.trace.len() > before {
            self.run.trace.calls_mut().truncate(before);
            self.judges
                .changed_from(&self.policy, &self.run.trace, before);
        }
        self.run.blocked_chain = (!decision.allowed()).then_some(identity);
        decision
    }

    fn decide_chain(&mut self, chain: &Chain<'_>, again: bool) -> Decision {
        let mut notes = Vec::new();
        let mut overridden = None;
        for (index, call) in chain.calls.iter().enumerate() {
            let pointer = self.run.last_blocked.clone();
            let mut decision = self.decide(call, chain.step_number);
            notes.append(&mut decision.notes);
            if !decision.allowed() {
                decision.index = Some(index);
                decision.notes = notes;
                return decision;
            }
            // An allowed call ends the chance to insist. Where the chain is issued again, it lasts
            // until the call that was refused is reached.
            if again && decision.overridden.is_none() && self.run.last_blocked.is_none() {
                self.run.last_blocked = pointer;
            }
            overridden = overridden.or(decision.overridden);
            self.run
                .trace
                .push(super::proposal::candidate(call).into_owned());
            self.judges.recorded(&self.policy, &self.run.trace);
        }
        let mut decision = Decision::new(Action::Allow);
        decision.notes = notes;
        decision.overridden = overridden;
        decision
    }
}
