//! All runs of two tools and any other up to length 6: nothing happens there that the analysis denies,
//! and nothing that it finds is missing.

use agentltl::analysis::Lint;
use agentltl::{Enforcer, Formula, Policy, Severity, ToolCall, Trace, holds};
use proptest::prelude::*;

use super::policies::policy_of;
use super::{config, plain, runs};

const LONGEST: usize = 6;

/// Plain formulas about two tools.
fn about_two() -> impl Strategy<Value = Formula> {
    plain().prop_map(|formula| {
        let text = formula.to_string().replace("\"c\"", "\"b\"");
        text.parse().unwrap()
    })
}

fn policies() -> impl Strategy<Value = Policy> {
    let severity = proptest::sample::select(Severity::ALL.to_vec());
    let rule = (about_two(), severity, any::<bool>());
    prop::collection::vec(rule, 1..=3).prop_map(|rules| policy_of(rules, false))
}

/// A run, with what the enforcer says of each call that could follow.
struct Seen {
    run: Vec<ToolCall>,
    enforcer: Enforcer,
    obedient: bool,
    /// Was a call made that was blocked?
    blocked: bool,
}

/// All runs by their length, and whether each is one after which every call is blocked.
fn explore(policy: &Policy, calls: &[ToolCall]) -> Vec<(Seen, bool)> {
    let mut all: Vec<(Seen, bool)> = Vec::new();
    let mut layer = vec![Seen {
        run: Vec::new(),
        enforcer: Enforcer::new(policy.clone()).unwrap(),
        obedient: true,
        blocked: false,
    }];
    for length in 0..=LONGEST {
        let mut next = Vec::new();
        for seen in layer {
            let mut stuck = true;
            for call in calls {
                let decision = seen.enforcer.clone().check(call);
                let severities = decision.violations.iter();
                let severity = severities.filter_map(|violation| violation.severity).min();
                let refused = severity.filter(|_| !decision.allowed());
                stuck &= refused.is_some_and(Severity::is_blocking);
                if length < LONGEST {
                    let mut enforcer = seen.enforcer.clone();
                    enforcer.record(call.clone());
                    let stops =
                        |severity: Severity| severity.is_blocking() && severity != Severity::Ask;
                    next.push(Seen {
                        run: [&seen.run[..], std::slice::from_ref(call)].concat(),
                        enforcer,
                        obedient: seen.obedient
                            && decision.allowed()
                            && decision.violations.is_empty(),
                        blocked: seen.blocked || refused.is_some_and(stops),
                    });
                }
            }
            all.push((seen, stuck));
        }
        layer = next;
    }
    all
}

proptest! {
    #![proptest_config(config(30))]

    #[test]
    fn what_is_said_of_policies_is_so_of_all_short_runs(policy in policies()) {
        let analysis = policy.analyze();
        let calls: Vec<_> = ["a", "b", "another_tool"].map(ToolCall::new).into();
        let seen = explore(&policy, &calls);
        let stuck = seen.iter().find(|(seen, stuck)| seen.obedient && *stuck);
        let stuck = stuck.map(|(seen, _)| seen.run.len());
        let wedge = analysis.of(Lint::Wedge).next();
        let wedge = wedge.map(|finding| finding.run.as_ref().unwrap().len());
        if analysis.gaps.is_empty() || wedge.is_some() {
            prop_assert_eq!(stuck, wedge.filter(|length| *length <= LONGEST), "{}", policy);
        }
        let met = |name: &str, run: &[ToolCall]| {
            let trace: Trace = run.iter().cloned().collect();
            holds(policy.get(name).unwrap().formula(), &trace).unwrap()
        };
        for finding in &analysis.findings {
            let names = &finding.constraints;
            for (seen, _) in &seen {
                let all_met = names.iter().all(|name| met(name, &seen.run));
                match finding.lint {
                    Lint::Unsatisfiable | Lint::Contradiction => {
                        prop_assert!(!all_met, "{}: {:?}", finding, seen.run);
                    }
                    Lint::Vacuous => prop_assert!(all_met, "{}: {:?}", finding, seen.run),
                    Lint::Redundant => {
                        let others = names[1..].iter().all(|name| met(name, &seen.run));
                        prop_assert!(all_met || !others, "{}: {:?}", finding, seen.run);
                    }
                    _ => {}
                }
            }
        }
        // From where an obedient agent is there is a way to what must hold in the end.
        for rule in policy.constraints().iter().filter(|rule| rule.applies_to_final_answer()) {
            let is_this = |finding: &&agentltl::analysis::Finding| finding.constraints == [rule.name()];
            let dead_end = analysis.of(Lint::DeadEnd).find(is_this);
            let Some(run) = dead_end.and_then(|finding| finding.run.as_ref()).map(Trace::from) else {
                continue;
            };
            for (seen, _) in seen.iter().filter(|(seen, _)| seen.run.starts_with(&run)) {
                let way = seen.blocked || !met(rule.name(), &seen.run);
                prop_assert!(way, "{} in {}: {:?}", rule.name(), policy, seen.run);
            }
        }
        // What some run meets altogether does not contradict itself.
        let names = policy.constraints().iter().map(|rule| rule.name());
        let all_met = |run: &[ToolCall]| names.clone().all(|name| met(name, run));
        if seen.iter().any(|(seen, _)| all_met(&seen.run)) {
            prop_assert_eq!(analysis.of(Lint::Contradiction).count(), 0);
            prop_assert_eq!(analysis.of(Lint::Unsatisfiable).count(), 0);
        } else if analysis.gaps.is_empty() {
            let all = policy.constraints().iter().map(|rule| rule.formula().clone());
            let all = all.reduce(|f, g| f & g).unwrap();
            let said = analysis.of(Lint::Contradiction).chain(analysis.of(Lint::Unsatisfiable));
            prop_assert_eq!(said.count() == 0, all.is_satisfiable().unwrap(), "{}", policy);
        }
    }

    #[test]
    fn what_is_said_of_formulas_is_so_of_all_short_runs(f in about_two(), g in about_two()) {
        let (Ok(implies), Ok(met)) = (f.implies(&g), f.witness()) else { return Ok(()) };
        let calls: Vec<_> = ["a", "b", "another_tool"].map(ToolCall::new).into();
        let mut shortest = None;
        for run in runs(&calls, LONGEST) {
            let f_holds = holds(&f, &run).unwrap();
            if f_holds && shortest.is_none() {
                shortest = Some(run.len());
            }
            prop_assert!(!(implies && f_holds) || holds(&g, &run).unwrap(), "{:?}", run);
        }
        let met = met.map(|run| run.len());
        prop_assert_eq!(shortest, met.filter(|length| *length <= LONGEST));
    }
}
