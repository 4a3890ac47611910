//! Random policies, against the enforcer and all short runs.

use agentltl::analysis::{Finding, Lint};
use agentltl::{
    Action, Constraint, Enforcer, Formula, Node, Policy, Severity, ToolCall, Trace, holds,
};
use proptest::prelude::*;

use super::{config, plain, runs};

const TOOLS: [&str; 3] = ["a", "b", "c"];

fn policies() -> impl Strategy<Value = Policy> {
    let rule = (
        plain(),
        proptest::sample::select(Severity::ALL.to_vec()),
        any::<bool>(),
    );
    (prop::collection::vec(rule, 1..=4), any::<bool>())
        .prop_map(|(rules, closed)| policy_of(rules, closed))
}

/// The policy of some rules, which may be about the final answer.
pub(super) fn policy_of(rules: Vec<(Formula, Severity, bool)>, closed: bool) -> Policy {
    let rules = (0..).zip(rules).map(|(number, (formula, severity, last))| {
        let rule = Constraint::new(format!("r{number}"), formula).with_severity(severity);
        if last { rule.on_final_answer() } else { rule }
    });
    let builder = Policy::builder().constraints(rules);
    let builder = if closed {
        builder.tools(TOOLS)
    } else {
        builder
    };
    builder.build().unwrap()
}

/// The calls there are under a policy of plain formulas.
fn calls_of(policy: &Policy) -> Vec<ToolCall> {
    let mut tools = TOOLS.to_vec();
    if policy.tools().is_empty() {
        tools.push("another_tool");
    }
    tools.into_iter().map(ToolCall::new).collect()
}

/// What happens to a call after a run.
pub(super) fn action(policy: &Policy, run: &[ToolCall], call: &ToolCall) -> Action {
    let mut enforcer = Enforcer::new(policy.clone()).unwrap();
    for call in run {
        enforcer.record(call.clone());
    }
    enforcer.check(call).action
}

/// The severity of a refusal; `None` where there is none.
fn refusal(policy: &Policy, run: &[ToolCall], call: &ToolCall) -> Option<Severity> {
    let mut enforcer = Enforcer::new(policy.clone()).unwrap();
    for call in run {
        enforcer.record(call.clone());
    }
    let decision = enforcer.check(call);
    if decision.allowed() {
        return None;
    }
    decision
        .violations
        .iter()
        .filter_map(|violation| violation.severity)
        .min()
}

fn is_stuck(policy: &Policy, run: &[ToolCall]) -> bool {
    calls_of(policy)
        .iter()
        .all(|call| refusal(policy, run, call).is_some_and(Severity::is_blocking))
}

/// The runs in which every call is allowed.
fn obedient(policy: &Policy, longest: usize) -> Vec<Trace> {
    let mut all = vec![Trace::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for i in from..to {
            for call in calls_of(policy) {
                if action(policy, &all[i], &call) == Action::Allow {
                    let mut run = all[i].clone();
                    run.push(call);
                    all.push(run);
                }
            }
        }
        from = to;
    }
    all
}

fn names_of(policy: &Policy, names: &[String]) -> Vec<Formula> {
    names
        .iter()
        .map(|name| policy.get(name).unwrap().formula().clone())
        .collect()
}

/// Is what the finding says so, as far as short runs tell?
pub(super) fn check(policy: &Policy, finding: &Finding) -> Result<(), TestCaseError> {
    let formulas = names_of(policy, &finding.constraints);
    let all = runs(&calls_of(policy), 4);
    let run = finding.run.as_ref().map(Trace::from);
    let so = |formula: &Formula, run: &Trace| holds(formula, run).unwrap();
    // What an obedient agent does is allowed.
    if let (Some(run), Lint::Wedge | Lint::DeadEnd) = (&run, finding.lint) {
        for i in 0..run.len() {
            let action = action(policy, &run[..i], &run[i]);
            prop_assert_eq!(action, Action::Allow, "{:?} of {}", run[i], finding);
        }
    }
    match finding.lint {
        Lint::Unsatisfiable => {
            prop_assert!(!all.iter().any(|run| so(&formulas[0], run)));
            // The first call that the rule alone refuses is the last of the run.
            let alone = Policy::new([Constraint::new("r", formulas[0].clone())]).unwrap();
            if let Some(run) = &run {
                for i in 0..run.len() {
                    let is_last = i + 1 == run.len();
                    let allowed = action(&alone, &run[..i], &run[i]) == Action::Allow;
                    prop_assert_eq!(allowed, !is_last, "{:?} of {}", run[i], finding);
                }
            }
        }
        Lint::Vacuous => {
            prop_assert!(all.iter().all(|run| so(&formulas[0], run)));
            let alone = Policy::new([Constraint::new("r", formulas[0].clone())]).unwrap();
            for run in &all {
                for call in calls_of(policy) {
                    prop_assert_eq!(action(&alone, run, &call), Action::Allow);
                }
            }
        }
        Lint::Contradiction => {
            prop_assert!(
                !all.iter()
                    .any(|run| formulas.iter().all(|formula| so(formula, run)))
            );
            for left_out in 0..formulas.len() {
                let mut rest = formulas.clone();
                rest.remove(left_out);
                let rest = rest.into_iter().reduce(|f, g| f & g).unwrap();
                // Of code it is not known what it can answer.
                prop_assert!(rest.is_satisfiable().unwrap_or(true));
            }
            // After the run one of them is never met, whatever follows.
            if let Some(run) = &run {
                let more = runs(&calls_of(policy), 3);
                let lost = formulas.iter().any(|formula| {
                    !more.iter().any(|more| {
                        let longer = run.iter().chain(more.iter()).cloned();
                        so(formula, &longer.collect())
                    })
                });
                prop_assert!(lost, "{}", finding);
            }
        }
        Lint::Wedge => prop_assert!(is_stuck(policy, &run.unwrap()), "{}", finding),
        Lint::DeadEnd => {
            for more in runs(&calls_of(policy), 3) {
                let mut longer = run.clone().unwrap();
                let mut made = true;
                for call in more.iter() {
                    let severity = refusal(policy, &longer, call);
                    made &= severity.is_none_or(|severity| {
                        matches!(severity, Severity::BlockAndWarn | Severity::Ask)
                    });
                    longer.push(call.clone());
                }
                prop_assert!(
                    !made || !so(&formulas[0], &longer),
                    "{} is met by {:?}",
                    finding,
                    longer
                );
            }
        }
        Lint::UnusableTool => {
            let call = ToolCall::new(finding.tool.as_ref().unwrap().as_str());
            for run in obedient(policy, 3) {
                let severity = refusal(policy, &run, &call);
                prop_assert!(
                    severity.is_some_and(
                        |severity| severity <= Severity::SoftBlock && severity != Severity::Ask
                    ),
                    "{}",
                    finding
                );
            }
        }
        Lint::Redundant => {
            let (rule, others) = formulas.split_first().unwrap();
            if let Some(run) = &run {
                let objects = |formula: &Formula| {
                    let alone = Policy::new([Constraint::new("r", formula.clone())]).unwrap();
                    let (last, before) = run.split_last().unwrap();
                    action(&alone, before, last) != Action::Allow
                };
                prop_assert!(objects(rule) && others.iter().any(objects), "{}", finding);
            }
            for run in &all {
                prop_assert!(
                    so(rule, run) || !others.iter().all(|other| so(other, run)),
                    "{}",
                    finding
                );
            }
            let without = |rule: &Constraint| rule.name() != finding.constraints[0];
            let rest = policy
                .constraints()
                .iter()
                .filter(|rule| without(rule))
                .cloned();
            let rest = Policy::builder()
                .constraints(rest)
                .default_severity(policy.default_severity())
                .build()
                .unwrap();
            for run in obedient(&rest, 3) {
                for call in calls_of(policy) {
                    prop_assert_eq!(
                        action(policy, &run, &call) == Action::Allow,
                        action(&rest, &run, &call) == Action::Allow,
                        "{} after {:?}",
                        finding,
                        run
                    );
                }
            }
        }
        Lint::Constant => {
            // One such part, with one of the constants in its place, says the same.
            let part = finding.part.as_ref().unwrap();
            let calls = calls_of(policy);
            let all = runs(&calls, 3);
            let same = changed(&formulas[0], part)
                .into_iter()
                .any(|other| says_the_same(&formulas[0], &other, &all, &calls));
            prop_assert!(same, "{}", finding);
        }
        _ => {}
    }
    Ok(())
}

/// The formula with `true` or `false` in the place of the part, wherever that stands.
fn changed(formula: &Formula, part: &Formula) -> Vec<Formula> {
    let tree = formula.tree();
    let places = (0..tree.root()).filter(|id| tree.subformula(*id) == *part);
    places
        .flat_map(|id| {
            [Node::True, Node::False].map(|literal| {
                let mut nodes = formula.nodes().to_vec();
                nodes.splice(tree.extent(id), [literal]);
                Formula::from_static(Box::leak(nodes.into_boxed_slice()))
            })
        })
        .collect()
}

/// Do they hold on the same of these runs, and refuse the same calls after them?
fn says_the_same(one: &Formula, other: &Formula, runs: &[Trace], calls: &[ToolCall]) -> bool {
    let alone = |formula: &Formula| Policy::new([Constraint::new("r", formula.clone())]).unwrap();
    let (one_alone, other_alone) = (alone(one), alone(other));
    runs.iter().all(|run| {
        let same = |call| action(&one_alone, run, call) == action(&other_alone, run, call);
        holds(one, run).unwrap() == holds(other, run).unwrap() && calls.iter().all(same)
    })
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn findings_are_real(policy in policies()) {
        for finding in &policy.analyze().findings {
            check(&policy, finding)?;
        }
    }

    #[test]
    fn nothing_is_denied(policy in policies()) {
        let analysis = policy.analyze();
        if !analysis.gaps.is_empty() {
            return Ok(());
        }
        let has = |lint| analysis.of(lint).next().is_some();
        let stuck = obedient(&policy, 3).into_iter().find(|run| is_stuck(&policy, run));
        let wedge = analysis.of(Lint::Wedge).next().map(|finding| finding.run.as_ref().unwrap().len());
        if let Some(run) = stuck {
            prop_assert_eq!(wedge, Some(run.len()), "{:?} is stuck: {}", run, policy);
        }
        // Fewer tools can do less, so that is asked where there are all.
        if policy.tools().is_empty() {
            for rule in policy.constraints() {
                let formula = rule.formula();
                let unmet = analysis.of(Lint::Unsatisfiable).any(|finding| finding.constraints == [rule.name()]);
                prop_assert_eq!(unmet, !formula.is_satisfiable().unwrap());
            }
        }
        if !has(Lint::Unsatisfiable) && policy.tools().is_empty() {
            let all = policy.constraints().iter().map(|rule| rule.formula().clone());
            let all = all.reduce(|f, g| f & g).unwrap();
            prop_assert_eq!(has(Lint::Contradiction), !all.is_satisfiable().unwrap(), "{}", policy);
        }
    }
}
