//! Policies that ask Rust code or have quantifiers: what is found is so whatever the code answers.

use std::hash::{DefaultHasher, Hash, Hasher};

use agentltl::analysis::Lint;
use agentltl::build::{called, globally, next, now, truth};
use agentltl::testing::{FormulaParams, formulas_with};
use agentltl::{Constraint, Formula, Node, Policy, Severity, ToolCall, matches_pattern, predicate};
use proptest::prelude::*;

use super::policies::{check, policy_of};
use super::rules::kinds;
use super::{config, plain};

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
    #![proptest_config(config(100))]

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
