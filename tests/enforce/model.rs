//! The enforcer against a plain model under random operations. The model asks the evaluator about the
//! whole trace and keeps one list of events, from which every counter and log follows by definition.

use agentltl::build::*;
use agentltl::{
    Action, Args, CallId, Chain, Cmp, Constraint, Decision, Domain, Enforcer, EnforcerBuilder,
    Formula, Generation, Judgement, Proposal, Severity, SoftBlockMode, ToolCall, Value, holds,
    judge,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value as Json, json};

use crate::policy;

#[derive(Clone, Debug)]
struct Setup {
    constraints: Vec<(Formula, Severity, bool)>,
    replacement: Vec<(Formula, Severity, bool)>,
    mode: SoftBlockMode,
    max_soft: u64,
    max_row: u64,
    ask: bool,
    latch: bool,
    nudges: u64,
}

#[derive(Clone, Debug)]
enum Op {
    Check(ToolCall, Option<i64>),
    /// Checks, and records with the result where allowed.
    Run(ToolCall, Option<i64>, Option<Json>),
    CheckAndStart(ToolCall, Option<i64>),
    Chain(Vec<ToolCall>, Option<i64>, bool),
    /// Which call in flight: an index, wrapped around.
    Complete(usize, Json),
    Abandon(usize),
    Withdraw(usize),
    Termination,
    ResetNudges,
    Resume,
    BeginGeneration,
    Replace,
}

/// What happened, as the model sees it.
#[derive(Clone, Debug)]
enum Event {
    /// A check that judged the constraints: how many, and how many were violated before.
    Judged(u64, u64),
    Noted(String),
    Refused(Refusal),
    Allowed,
    Overridden(Refusal, i64),
    Sent(Vec<String>),
    NudgesReset,
    Resumed,
    /// The trace or the constraints changed.
    Changed,
}

#[derive(Clone, Debug)]
struct Refusal {
    name: String,
    severity: Severity,
    call: ToolCall,
    step: i64,
    generation: u64,
    escalated: bool,
    stops: bool,
}

struct Model {
    setup: Setup,
    replaced: bool,
    /// Each call with the number it had when it started, if it is in flight.
    calls: Vec<(Option<u64>, ToolCall)>,
    started: u64,
    events: Vec<Event>,
    generation: u64,
    key: Option<i64>,
    blocked_chain: Option<Vec<(String, Json)>>,
}

/// A decision, as far as the model says it.
#[derive(Debug, PartialEq)]
struct Said {
    action: Action,
    violations: Vec<String>,
    notes: Vec<String>,
    escalated: bool,
    attempts: u64,
    overridden: Option<String>,
    latched: bool,
    index: Option<usize>,
}

impl Said {
    fn new(action: Action) -> Self {
        Said {
            action,
            violations: vec![],
            notes: vec![],
            escalated: false,
            attempts: 0,
            overridden: None,
            latched: false,
            index: None,
        }
    }

    fn of(decision: &Decision) -> Self {
        let names = |violations: &[agentltl::Violation]| {
            violations
                .iter()
                .map(|violation| violation.constraint_name.clone())
                .collect()
        };
        Said {
            action: decision.action,
            violations: names(&decision.violations),
            notes: names(&decision.notes),
            escalated: decision.escalated,
            attempts: decision.attempts,
            overridden: decision.overridden.clone(),
            latched: decision.latched,
            index: decision.index,
        }
    }
}

impl Model {
    fn new(setup: &Setup) -> Self {
        Model {
            setup: setup.clone(),
            replaced: false,
            calls: vec![],
            started: 0,
            events: vec![],
            generation: 0,
            key: None,
            blocked_chain: None,
        }
    }

    fn rules(&self) -> &[(Formula, Severity, bool)] {
        if self.replaced {
            &self.setup.replacement
        } else {
            &self.setup.constraints
        }
    }

    fn refusals(&self) -> impl DoubleEndedIterator<Item = &Refusal> {
        self.events.iter().filter_map(|event| match event {
            Event::Refused(refusal) => Some(refusal),
            _ => None,
        })
    }

    /// Refusals of a SOFT_BLOCK constraint that count: those since its last escalation to ASK and,
    /// in a row, since the last allowed call.
    fn soft_count(&self, name: &str, in_a_row: bool) -> u64 {
        let mut count = 0;
        for event in &self.events {
            match event {
                Event::Refused(refusal)
                    if refusal.name == name && refusal.severity == Severity::SoftBlock =>
                {
                    count += 1;
                    if refusal.escalated && self.setup.ask {
                        count = 0;
                    }
                }
                Event::Allowed if in_a_row && self.setup.mode != SoftBlockMode::Cumulative => {
                    count = 0;
                }
                _ => {}
            }
        }
        count
    }

    /// The refusal that can be insisted on, and whether something changed since: the last warning
    /// that no allowed call and no override came after.
    fn pending_warning(&self) -> Option<(&Refusal, bool)> {
        let mut changed = false;
        for event in self.events.iter().rev() {
            match event {
                Event::Refused(refusal) if refusal.severity == Severity::BlockAndWarn => {
                    return Some((refusal, changed));
                }
                Event::Allowed | Event::Overridden(..) => return None,
                Event::Changed => changed = true,
                _ => {}
            }
        }
        None
    }

    fn latched(&self) -> Option<&Refusal> {
        let last = self.events.iter().rev().find(|event| {
            matches!(event, Event::Resumed)
                || matches!(event, Event::Refused(refusal) if refusal.stops)
        })?;
        match last {
            Event::Refused(refusal) if self.setup.latch => Some(refusal),
            _ => None,
        }
    }

    fn enter(&mut self, key: Option<i64>) {
        if key.is_some() && key != self.key {
            self.generation += 1;
            self.key = key;
        }
    }

    fn check(&mut self, call: &ToolCall, extra: &[ToolCall]) -> Said {
        let step = (self.calls.len() + extra.len() + 1) as i64;
        if let Some(refusal) = self.latched() {
            let mut said = Said::new(Action::Stop);
            said.violations = vec![refusal.name.clone()];
            said.latched = true;
            return said;
        }
        let insisted = self
            .pending_warning()
            .filter(|(refusal, _)| refusal.call == *call && refusal.generation != self.generation);
        // A call refused in a chain may come alone now, or the other way round.
        let insisted =
            insisted.map(|(refusal, changed)| (refusal.clone(), changed || refusal.step != step));
        if let Some((refusal, false)) = &insisted {
            return self.override_with(refusal.clone(), step);
        }
        let mut calls: Vec<ToolCall> = self.calls.iter().map(|(_, call)| call.clone()).collect();
        calls.extend_from_slice(extra);
        calls.push(call.clone());
        let (mut already, mut broken) = (0, vec![]);
        for (index, (formula, severity, _)) in self.rules().iter().enumerate() {
            match judge(formula, &calls).unwrap() {
                Judgement::Allowed => {}
                Judgement::AlreadyBroken => already += 1,
                Judgement::Broken(_) => broken.push((format!("k{index}"), *severity)),
                other => panic!("{other:?}"),
            }
        }
        if let Some((refusal, true)) = insisted
            && broken
                .iter()
                .all(|(_, severity)| *severity >= Severity::BlockAndWarn)
        {
            return self.override_with(refusal, step);
        }
        self.events
            .push(Event::Judged(self.rules().len() as u64, already));
        let notes: Vec<String> = broken
            .iter()
            .filter(|(_, severity)| *severity == Severity::Tolerate)
            .map(|(name, _)| name.clone())
            .collect();
        for note in &notes {
            self.events.push(Event::Noted(note.clone()));
        }
        let strongest = broken.iter().map(|(_, severity)| *severity).min();
        let Some(severity) = strongest.filter(|severity| *severity != Severity::Tolerate) else {
            self.events.push(Event::Allowed);
            let mut said = Said::new(Action::Allow);
            said.notes = notes;
            return said;
        };
        let (name, _) = broken
            .iter()
            .find(|(_, other)| *other == severity)
            .unwrap()
            .clone();
        let mut said = Said::new(Action::from(severity));
        said.notes = notes;
        said.violations = vec![name.clone()];
        if severity == Severity::SoftBlock {
            let total = self.soft_count(&name, false) + 1;
            let row = self.soft_count(&name, true) + 1;
            said.attempts = total;
            let by_total = total >= self.setup.max_soft;
            let by_row = row >= self.setup.max_row;
            said.escalated = match self.setup.mode {
                SoftBlockMode::Cumulative => by_total,
                SoftBlockMode::Consecutive => by_row,
                SoftBlockMode::Hybrid => by_total || by_row,
            };
            if said.escalated {
                said.action = if self.setup.ask {
                    Action::Ask
                } else {
                    Action::Stop
                };
            }
        }
        self.events.push(Event::Refused(Refusal {
            name,
            severity,
            call: call.clone(),
            step,
            generation: self.generation,
            escalated: said.escalated,
            stops: said.action == Action::Stop,
        }));
        said
    }

    fn override_with(&mut self, refusal: Refusal, step: i64) -> Said {
        let mut said = Said::new(Action::Allow);
        said.overridden = Some(refusal.name.clone());
        self.events.push(Event::Overridden(refusal, step));
        said
    }

    fn chain(&mut self, calls: &[ToolCall]) -> Said {
        let identity: Vec<_> = calls
            .iter()
            .map(|call| (call.tool_name.clone(), Json::Object(call.arguments.clone())))
            .collect();
        let again = self.blocked_chain.as_ref() == Some(&identity);
        let mut all = Said::new(Action::Allow);
        for (index, call) in calls.iter().enumerate() {
            let pending = self
                .pending_warning()
                .map(|(refusal, changed)| (refusal.clone(), changed));
            let said = self.check(call, &calls[..index]);
            all.notes.extend(said.notes.iter().cloned());
            if !said.action.allows() {
                self.blocked_chain = Some(identity);
                return Said {
                    index: Some(index),
                    notes: all.notes,
                    ..said
                };
            }
            if again
                && said.overridden.is_none()
                && let Some((refusal, changed)) = pending
            {
                self.revive(refusal, changed);
            }
            all.overridden = all.overridden.or(said.overridden);
        }
        self.blocked_chain = None;
        all
    }

    /// The chance to insist outlasts the allowed call that came last: as if it had come before.
    fn revive(&mut self, refusal: Refusal, changed: bool) {
        let position = self.events.iter().rposition(
            |event| matches!(event, Event::Refused(other) if other.step == refusal.step && other.severity == Severity::BlockAndWarn),
        );
        let allowed = self
            .events
            .iter()
            .rposition(|event| matches!(event, Event::Allowed));
        if let (Some(position), Some(allowed)) = (position, allowed) {
            let event = self.events.remove(allowed);
            let _ = changed;
            self.events.insert(position, event);
        }
    }

    fn push(&mut self, started: bool, call: ToolCall) {
        let number = started.then_some(self.started);
        self.started += u64::from(started);
        self.calls.push((number, call));
        self.events.push(Event::Changed);
    }

    /// The position of a call in flight.
    fn in_flight(&self, which: usize) -> Option<usize> {
        let open: Vec<_> = (0..self.calls.len())
            .filter(|at| self.calls[*at].0.is_some())
            .collect();
        (!open.is_empty()).then(|| open[which % open.len()])
    }

    fn terminate(&mut self) -> Said {
        let since = self
            .events
            .iter()
            .rposition(|event| matches!(event, Event::NudgesReset));
        let nudges = self.events[since.map_or(0, |at| at + 1)..]
            .iter()
            .filter(|event| matches!(event, Event::Sent(_)))
            .count() as u64;
        if nudges >= self.setup.nudges {
            return Said::new(Action::Allow);
        }
        let calls: Vec<ToolCall> = self.calls.iter().map(|(_, call)| call.clone()).collect();
        let rules = self.rules().iter().enumerate();
        let unmet: Vec<String> = rules
            .filter(|(_, (formula, _, last))| *last && !holds(formula, &calls).unwrap())
            .map(|(index, _)| format!("k{index}"))
            .collect();
        if unmet.is_empty() {
            return Said::new(Action::Allow);
        }
        self.events.push(Event::Sent(unmet.clone()));
        let mut said = Said::new(Action::Block);
        said.violations = unmet;
        said
    }

    /// The status, from the events.
    fn status(&self) -> Json {
        let count = |severities: &[Severity]| -> serde_json::Map<String, Json> {
            let mut counts = serde_json::Map::new();
            for refusal in self.refusals().filter(|r| severities.contains(&r.severity)) {
                let count = counts.entry(refusal.name.clone()).or_insert(json!(0));
                *count = json!(count.as_u64().unwrap() + 1);
            }
            counts
        };
        let soft: Vec<&str> = self
            .refusals()
            .filter(|refusal| refusal.severity == Severity::SoftBlock)
            .map(|refusal| refusal.name.as_str())
            .collect();
        let row = |name: &&str| -> Option<(String, Json)> {
            let refused_since = self.events.iter().rev().take_while(|event| {
                self.setup.mode == SoftBlockMode::Cumulative || !matches!(event, Event::Allowed)
            });
            let mut refused_since = refused_since.filter(
                |event| matches!(event, Event::Refused(r) if r.name == **name && r.severity == Severity::SoftBlock),
            );
            refused_since.next()?;
            Some(((*name).to_owned(), json!(self.soft_count(name, true))))
        };
        let stop = self
            .events
            .iter()
            .rev()
            .find_map(|event| match event {
                Event::Resumed => Some(None),
                Event::Refused(refusal) if refusal.stops => Some(Some(refusal.name.clone())),
                _ => None,
            })
            .flatten();
        let overridden: Vec<(&Refusal, i64)> = self
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Overridden(refusal, step) => Some((refusal, *step)),
                _ => None,
            })
            .collect();
        let since = self
            .events
            .iter()
            .rposition(|event| matches!(event, Event::NudgesReset));
        let sent = |events: &[Event]| -> Vec<String> {
            events
                .iter()
                .filter_map(|event| match event {
                    Event::Sent(names) => names.first().cloned(),
                    _ => None,
                })
                .collect()
        };
        json!({
            "status": if stop.is_some() { "stopped" } else { "completed" },
            "stopped_by": stop,
            "constraint_checks": self.events.iter().map(|event| match event {
                Event::Judged(asked, _) => *asked,
                _ => 0,
            }).sum::<u64>(),
            "already_violated_skips": self.events.iter().map(|event| match event {
                Event::Judged(_, already) => *already,
                _ => 0,
            }).sum::<u64>(),
            "soft_block_counts": soft.iter().map(|name| ((*name).to_owned(), json!(self.soft_count(name, false)))).collect::<serde_json::Map<_, _>>(),
            "soft_block_mode": self.setup.mode.as_str(),
            "consecutive_soft_block_counts": soft.iter().filter_map(row).collect::<serde_json::Map<_, _>>(),
            "block_and_warn_counts": count(&[Severity::BlockAndWarn]),
            "persistent_block_counts": count(&[Severity::PersistentBlock, Severity::Ask]),
            "block_and_warn_override_count": overridden.len(),
            "block_and_warn_overrides": overridden.iter().map(|(refusal, step)| json!({
                "step": step,
                "tool_name": refusal.call.tool_name,
                "tool_args": refusal.call.arguments,
                "constraint_name": refusal.name,
                "blocked_at_step": refusal.step,
            })).collect::<Vec<_>>(),
            "termination_nudges": sent(&self.events[since.map_or(0, |at| at + 1)..]).len(),
            "termination_nudged_names": sent(&self.events),
            "completed_trace": self.calls.iter().map(|(_, call)| call).collect::<Vec<_>>(),
            "in_flight": self.calls.iter().filter_map(|(id, _)| *id).collect::<Vec<_>>(),
        })
    }

    fn violation_log(&self) -> Vec<(String, String)> {
        self.events
            .iter()
            .filter_map(|event| match event {
                Event::Noted(name) => Some((name.clone(), "TOLERATE".to_owned())),
                Event::Refused(refusal) => {
                    Some((refusal.name.clone(), refusal.severity.as_str().to_owned()))
                }
                Event::Sent(names) => Some((names[0].clone(), "termination_nudge".to_owned())),
                _ => None,
            })
            .collect()
    }
}

fn rules(rules: &[(Formula, Severity, bool)]) -> Vec<Constraint> {
    let rule = |(index, (formula, severity, last)): (usize, &(Formula, Severity, bool))| {
        let constraint =
            Constraint::new(format!("k{index}"), formula.clone()).with_severity(*severity);
        if *last {
            constraint.on_final_answer()
        } else {
            constraint
        }
    };
    rules.iter().enumerate().map(rule).collect()
}

fn builder(setup: &Setup, replaced: bool) -> EnforcerBuilder {
    let chosen = if replaced {
        &setup.replacement
    } else {
        &setup.constraints
    };
    Enforcer::builder(policy(rules(chosen)))
        .soft_block_mode(setup.mode)
        .max_soft_attempts(setup.max_soft)
        .max_consecutive_soft_attempts(setup.max_row)
        .escalate_to(if setup.ask {
            Severity::Ask
        } else {
            Severity::HardStop
        })
        .latch_stop(setup.latch)
        .max_termination_nudges(setup.nudges)
}

/// The enforcer under test, and what it says of an operation.
fn apply(e: &mut Enforcer, op: &Op, setup: &Setup) -> Option<Decision> {
    let proposal = |call, key: Option<i64>| {
        let proposal = Proposal::new(call);
        key.map_or(proposal.clone(), |key| proposal.generation(key))
    };
    let in_flight = |e: &Enforcer, which: usize| -> Option<CallId> {
        let open: Vec<_> = e.in_flight().map(|(id, _)| id).collect();
        (!open.is_empty()).then(|| open[which % open.len()])
    };
    match op {
        Op::Check(call, key) => return Some(e.check(proposal(call, *key))),
        Op::Run(call, key, result) => {
            let decision = e.check(proposal(call, *key));
            if decision.allowed() {
                let mut call = call.clone();
                call.result.clone_from(result);
                e.record(call);
            }
            return Some(decision);
        }
        Op::CheckAndStart(call, key) => return Some(e.check_and_start(proposal(call, *key)).0),
        Op::Chain(calls, key, run) => {
            let chain = Chain::new(calls);
            let chain = key.map_or(chain.clone(), |key| chain.generation(key));
            let decision = e.check_chain(chain);
            if decision.allowed() && *run {
                calls.iter().for_each(|call| e.record(call.clone()));
            }
            return Some(decision);
        }
        Op::Complete(which, result) => {
            if let Some(id) = in_flight(e, *which) {
                e.complete(id, result.clone(), None).unwrap();
            }
        }
        Op::Abandon(which) => {
            if let Some(id) = in_flight(e, *which) {
                e.abandon(id).unwrap();
            }
        }
        Op::Withdraw(which) => {
            if let Some(id) = in_flight(e, *which) {
                e.withdraw(id).unwrap();
            }
        }
        Op::Termination => return Some(e.check_termination()),
        Op::ResetNudges => e.reset_termination_nudges(),
        Op::Resume => e.resume(),
        Op::BeginGeneration => e.begin_generation(None::<Generation>),
        Op::Replace => e.set_policy(policy(rules(&setup.replacement))).unwrap(),
    }
    None
}

/// What the model says of it.
fn expect(model: &mut Model, op: &Op) -> Option<Said> {
    match op {
        Op::Check(call, key) => {
            model.enter(*key);
            Some(model.check(call, &[]))
        }
        Op::Run(call, key, result) => {
            model.enter(*key);
            let said = model.check(call, &[]);
            if said.action.allows() {
                let mut call = call.clone();
                call.result.clone_from(result);
                model.push(false, call);
            }
            Some(said)
        }
        Op::CheckAndStart(call, key) => {
            model.enter(*key);
            let said = model.check(call, &[]);
            if said.action.allows() {
                model.push(true, call.clone());
            }
            Some(said)
        }
        Op::Chain(calls, key, run) => {
            model.enter(*key);
            let said = model.chain(calls);
            if said.action.allows() && *run {
                calls
                    .iter()
                    .for_each(|call| model.push(false, call.clone()));
            }
            Some(said)
        }
        Op::Complete(which, result) => {
            if let Some(at) = model.in_flight(*which) {
                model.calls[at].0 = None;
                model.calls[at].1.result = Some(result.clone());
                model.events.push(Event::Changed);
            }
            None
        }
        Op::Abandon(which) => {
            if let Some(at) = model.in_flight(*which) {
                model.calls[at].0 = None;
            }
            None
        }
        Op::Withdraw(which) => {
            if let Some(at) = model.in_flight(*which) {
                model.calls.remove(at);
                model.events.push(Event::Changed);
            }
            None
        }
        Op::Termination => Some(model.terminate()),
        Op::ResetNudges => {
            model.events.push(Event::NudgesReset);
            None
        }
        Op::Resume => {
            model.events.push(Event::Resumed);
            None
        }
        Op::BeginGeneration => {
            model.generation += 1;
            model.key = None;
            None
        }
        Op::Replace => {
            model.replaced = true;
            model.events.push(Event::Changed);
            None
        }
    }
}

fn formula() -> impl Strategy<Value = Formula> {
    let passed = |tool: &'static str| called_with_result(tool, "ok", Args::default());
    proptest::sample::select(vec![
        globally(!now("a")),
        globally(!now("b")),
        !called("c"),
        called_n("a", Cmp::Le, 1),
        called_n("b", Cmp::Le, 2),
        called_n("b", Cmp::Eq, 1),
        called_n("c", Cmp::Ge, 1),
        before("a", "b"),
        before("b", "a") & before("c", "a"),
        called("a"),
        in_order(["a", "b"]),
        within_steps("a", "b", 2),
        branch_called_not("a", "b"),
        globally(now("a") >> next(globally(!now("a")))),
        globally(now("b") >> previous(since(!now("c"), now("a")))),
        globally(now("b") >> passed("a")),
        passed("a"),
        globally(now("b") >> exists("r", Domain::Results("a".into(), None), truth(true))),
        forall(
            "v",
            Domain::Args("a".into(), "n".into()),
            called_with("b", Args::new([("n", Value::var("v"))])),
        ),
        globally(count_before(now("a"), Cmp::Le, 1)),
        called_with("a", Args::new([("n", Value::from(1))])) >> eventually(now("c")),
        historically(called_n("c", Cmp::Lt, 2)),
    ])
}

fn any_rules() -> impl Strategy<Value = Vec<(Formula, Severity, bool)>> {
    // Warnings and soft blocks have the most to get wrong.
    let severity = prop_oneof![
        1 => proptest::sample::select(Severity::ALL.to_vec()),
        1 => proptest::sample::select(vec![Severity::BlockAndWarn, Severity::SoftBlock]),
    ];
    let rule = (formula(), severity, any::<bool>());
    proptest::collection::vec(rule, 0..4)
}

fn setup() -> impl Strategy<Value = Setup> {
    let settings = (
        proptest::sample::select(SoftBlockMode::ALL.to_vec()),
        0..4_u64,
        1..3_u64,
        any::<bool>(),
        proptest::bool::weighted(0.3),
        0..3_u64,
    );
    (any_rules(), any_rules(), settings).prop_map(
        |(constraints, replacement, (mode, max_soft, max_row, ask, latch, nudges))| Setup {
            constraints,
            replacement,
            mode,
            max_soft,
            max_row,
            ask,
            latch,
            nudges,
        },
    )
}

fn tool_call() -> impl Strategy<Value = ToolCall> {
    (
        proptest::sample::select(vec!["a", "b", "c", "d"]),
        proptest::option::of(1..3_i64),
    )
        .prop_map(|(tool, argument)| match argument {
            Some(number) => ToolCall::new(tool).with_argument("n", number),
            None => ToolCall::new(tool),
        })
}

fn op() -> impl Strategy<Value = Op> {
    let key = || proptest::option::weighted(0.8, 0..3_i64);
    let result = || proptest::sample::select(vec![json!("ok"), json!("no"), json!(null)]);
    prop_oneof![
        6 => (tool_call(), key()).prop_map(|(call, key)| Op::Check(call, key)),
        4 => (tool_call(), key(), proptest::option::of(result()))
            .prop_map(|(call, key, result)| Op::Run(call, key, result)),
        4 => (tool_call(), key()).prop_map(|(call, key)| Op::CheckAndStart(call, key)),
        5 => (proptest::collection::vec(tool_call(), 0..4), key(), any::<bool>())
            .prop_map(|(calls, key, run)| Op::Chain(calls, key, run)),
        3 => (0..4_usize, result()).prop_map(|(which, result)| Op::Complete(which, result)),
        1 => (0..4_usize).prop_map(Op::Abandon),
        2 => (0..4_usize).prop_map(Op::Withdraw),
        1 => Just(Op::Termination),
        1 => Just(Op::ResetNudges),
        1 => Just(Op::Resume),
        1 => Just(Op::BeginGeneration),
        1 => Just(Op::Replace),
    ]
}

/// Some operations come again at once: insisting, and chains issued twice, would else be rare.
fn ops() -> impl Strategy<Value = Vec<Op>> {
    let again = |op: Op, shift: i64| match op {
        Op::Check(call, key) => Op::Check(call, key.map(|key| key + shift)),
        Op::Run(call, key, result) => Op::Run(call, key.map(|key| key + shift), result),
        Op::Chain(calls, key, run) => Op::Chain(calls, key.map(|key| key + shift), run),
        op => op,
    };
    let between = prop_oneof![
        3 => Just(None),
        1 => op().prop_map(Some),
        1 => prop_oneof![
            Just(Op::Replace),
            Just(Op::BeginGeneration),
            (0..4_usize).prop_map(|which| Op::Complete(which, json!("ok"))),
            (0..4_usize).prop_map(Op::Withdraw),
        ].prop_map(Some),
    ];
    let repeated = proptest::option::weighted(0.5, (between, 0..3_i64));
    let step = (op(), repeated).prop_map(move |(op, repeated)| match repeated {
        None => vec![op],
        Some((between, shift)) => {
            let last = again(op.clone(), shift);
            std::iter::once(op).chain(between).chain([last]).collect()
        }
    });
    proptest::collection::vec(step, 1..10).prop_map(|steps| steps.concat())
}

fn compare(e: &Enforcer, model: &Model) -> Result<(), TestCaseError> {
    let found = serde_json::to_value(e.status()).unwrap();
    for (key, expected) in model.status().as_object().unwrap() {
        prop_assert_eq!(&found[key], expected, "{}", key);
    }
    let log: Vec<_> = e
        .status()
        .violations
        .iter()
        .map(|record| (record.constraint_name.clone(), record.severity.clone()))
        .collect();
    prop_assert_eq!(log, model.violation_log());
    Ok(())
}

/// 20,000 runs where they are quick, that is in a release build; `PROPTEST_CASES` sets another number.
fn runs() -> Config {
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => config,
        None => Config {
            cases: if cfg!(debug_assertions) { 500 } else { 20_000 },
            ..config
        },
    }
}

#[test]
fn the_enforcer_does_what_the_model_says() {
    let run = |(setup, ops): (Setup, Vec<Op>)| {
        let mut model = Model::new(&setup);
        let mut e = builder(&setup, false).build().unwrap();
        for op in &ops {
            let expected = expect(&mut model, op);
            let found = apply(&mut e, op, &setup);
            prop_assert_eq!(found.as_ref().map(Said::of), expected, "{:?}", op);
        }
        compare(&e, &model)
    };
    TestRunner::new(runs()).run(&(setup(), ops()), run).unwrap();
}

#[test]
fn saving_and_loading_after_every_operation_changes_nothing() {
    let run = |(setup, ops): (Setup, Vec<Op>)| {
        let mut e = builder(&setup, false).build().unwrap();
        let mut twin = builder(&setup, false).build().unwrap();
        let mut replaced = false;
        for op in &ops {
            prop_assert_eq!(
                apply(&mut e, op, &setup),
                apply(&mut twin, op, &setup),
                "{:?}",
                op
            );
            replaced |= matches!(op, Op::Replace);
            let text = twin.to_state().to_string();
            twin = builder(&setup, replaced).build().unwrap();
            twin.restore(&serde_json::from_str(&text).unwrap()).unwrap();
            prop_assert_eq!(twin.to_state().to_string(), text);
        }
        prop_assert_eq!(e.status(), twin.status());
        Ok(())
    };
    TestRunner::new(runs()).run(&(setup(), ops()), run).unwrap();
}
