//! Policies that ask Rust code or have quantifiers: what is found is so whatever the code answers.

use std::hash::{DefaultHasher, Hash, Hasher};

use agentltl::analysis::Lint;
use agentltl::build::{called, globally, next, now, truth};
use agentltl::testing::{FormulaParams, formulas_with};
use agentltl::{
    Action, Constraint, Formula, Node, Policy, Severity, ToolCall, holds, matches_pattern,
    predicate,
};
use proptest::prelude::*;

use super::policies::{action, check, policy_of};
use super::rules::kinds;
use super::{config, plain, runs, small, some_calls};

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// A predicate or a pattern whose answers are anything, but the same for the same question.
fn code(seed: u64) -> Node {
    let formula = match seed % 3 {
        0 => matches_pattern(
            "pattern",
            move |call: &ToolCall| hash((&call.tool_name, seed)).is_multiple_of(2),
            false,
        ),
        // An answer for good would be one for all longer runs.
        _ => predicate("code", None, move |calls: &[ToolCall], at| {
            let names: Vec<_> = calls.iter().map(|call| &call.tool_name).collect();
            hash((names, at, seed)).is_multiple_of(2)
        }),
    };
    formula.nodes()[0].clone()
}

/// Formulas that ask code where plain ones have a look at the call, or a quantifier in their place.
fn asking() -> impl Strategy<Value = Formula> {
    let params = FormulaParams::default().with_size(2, 6).with_odd(false);
    let quantified = formulas_with(&params.with_quantifiers(true));
    let code = (plain(), prop::collection::vec(0..100_u64, 1..=2)).prop_map(|(formula, seeds)| {
        let mut seeds = seeds.into_iter().cycle();
        let nodes: Vec<Node> = formula
            .nodes()
            .iter()
            .map(|node| match node {
                Node::Now(_) | Node::Called(_) => code(seeds.next().unwrap_or(0)),
                other => other.clone(),
            })
            .collect();
        Formula::from_static(Box::leak(nodes.into_boxed_slice()))
    });
    prop_oneof![3 => code, 1 => quantified, 1 => plain()]
}

fn policies() -> impl Strategy<Value = Policy> {
    let severity = proptest::sample::select(Severity::ALL.to_vec());
    let rule = (asking(), severity, any::<bool>());
    (prop::collection::vec(rule, 1..=3), any::<bool>())
        .prop_map(|(rules, closed)| policy_of(rules, closed))
}

proptest! {
    #![proptest_config(config(25))]

    #[test]
    fn what_no_value_breaks_is_broken_by_none(f in small(), form in 0..4) {
        let f = f.to_string().replace("x=1,", "x=?v,").replace("x=1)", "x=?v)");
        let body = match form {
            0 => f,
            1 => format!("({f}) -> ({f})"),
            2 => format!(r#"called_with("a", x=?v) | ({f})"#),
            _ => format!(r#"called_with("a", x=?v) & G(({f}) -> ({f}))"#),
        };
        let rule = format!(r#"forall v in args("a", "x"): {body}"#);
        let rule = Constraint::new("rule", rule.parse::<Formula>().unwrap());
        let policy = Policy::new([rule]).unwrap();
        if policy.analyze().of(Lint::Vacuous).next().is_none() {
            return Ok(());
        }
        let mut calls = some_calls();
        calls.push(ToolCall::new("a").with_argument("x", "s"));
        for run in runs(&calls, 2) {
            let formula = policy.constraints()[0].formula();
            prop_assert!(holds(formula, &run).unwrap(), "{}: {:?}", formula, run);
            for call in &calls {
                prop_assert_eq!(action(&policy, &run, call), Action::Allow, "{}: {:?}", formula, run);
            }
        }
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn findings_are_real_whatever_is_answered(policy in policies()) {
        for finding in &policy.analyze().findings {
            check(&policy, finding)?;
        }
    }
}

#[test]
fn what_holds_whatever_is_answered_is_found() {
    let asks = || {
        predicate("code", None, |calls: &[ToolCall], _| {
            calls.len().is_multiple_of(2)
        })
    };
    let code = asks();
    let found = |formula: Formula, severity: Severity| {
        let rule = Constraint::new("rule", formula).with_severity(severity);
        Policy::new([rule]).unwrap().analyze()
    };
    let never = found(next(code.clone() & !code.clone()), Severity::Tolerate);
    assert_eq!(kinds(&never), [Lint::Unsatisfiable]);
    let always = found(
        globally(now("a") >> (code.clone() | now("a"))),
        Severity::Tolerate,
    );
    assert_eq!(kinds(&always), []);
    // Two objects of one name are two predicates.
    let either = found(next(code.clone() & !asks()), Severity::Tolerate);
    assert_eq!(kinds(&either), []);
    assert_eq!(either.free.len(), 2);
    // Whether it refuses a call is up to the code; it is no wedge that it may refuse all.
    let open = found(globally(code), Severity::HardStop);
    assert!(open.findings.is_empty() && open.gaps.is_empty());
}

#[test]
fn what_code_makes_a_human_approve_is_no_dead_end() {
    let code = predicate("code", None, |_: &[ToolCall], _| false);
    let rules = [
        Constraint::new("done", called("b"))
            .with_severity(Severity::Tolerate)
            .on_final_answer(),
        // It refuses the first call, unless that is approved.
        Constraint::new("never", truth(false)).with_severity(Severity::SoftBlock),
        Constraint::new("asks", code).with_severity(Severity::Ask),
    ];
    let analysis = Policy::new(rules).unwrap().analyze();
    assert_eq!(analysis.of(Lint::DeadEnd).count(), 0, "{analysis}");
}
