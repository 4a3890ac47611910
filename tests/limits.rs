//! Formulas as wide and as deep as a policy accepts are judged, in time and without overflowing a
//! stack; deeper ones are an error.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::{Duration, Instant};

use agentltl::build::*;
use agentltl::{
    Action, Cmp, Constraint, Domain, Enforcer, Formula, Judgement, MAX_DEPTH, MAX_QUANTIFIERS,
    Policy, ToolCall, Verdict, holds, judge, verdict,
};

fn enforcer(formula: Formula) -> Enforcer {
    Enforcer::new(Policy::new([Constraint::new("rule", formula)]).unwrap()).unwrap()
}

#[test]
fn a_wide_conjunction_is_enforced() {
    let start = Instant::now();
    let rules = (0..20_000).map(|i| called_n(format!("tool {i}"), Cmp::Le, 1));
    let mut enforcer = enforcer(Formula::all(rules));
    let call = ToolCall::new("tool 7");
    assert!(enforcer.check(&call).allowed());
    enforcer.record(call.clone());
    assert_eq!(enforcer.check(&call).action, Action::Stop);
    // A second or two; many minutes where each side is asked about the tools of all others.
    assert!(start.elapsed() < Duration::from_secs(120));
}

#[test]
fn the_deepest_quantifiers_are_judged() {
    let entities = || Domain::Args("a".into(), "x".into());
    let call = ToolCall::new("a").with_argument("x", 1);
    for quantify in [
        forall as fn(&'static str, Domain, Formula) -> Formula,
        exists,
    ] {
        let nested = |depth| (0..depth).fold(!called("a"), |f, _| quantify("v", entities(), f));
        let deepest = nested(MAX_QUANTIFIERS);
        let calls = [call.clone(), call.clone()];
        assert!(!holds(&deepest, &calls).unwrap());
        assert!(!enforcer(deepest).check(&call).allowed());

        let error = verdict(&nested(MAX_QUANTIFIERS + 1), &calls).unwrap_err();
        assert_eq!(
            error.message,
            "it nests 129 quantifiers in each other; at most 128 may be"
        );
    }
}

#[test]
fn deeper_operators_are_not_judged() {
    let nested = |depth: usize| (1..depth).fold(called("a"), |f, _| !f);
    let calls = [ToolCall::new("a")];
    assert_eq!(verdict(&nested(MAX_DEPTH), &calls), Ok(Verdict::False));
    let broken = judge(&nested(MAX_DEPTH), &calls).unwrap();
    assert!(matches!(broken, Judgement::Broken(_)));
    assert!(judge(&nested(1_000_000), &calls).is_err());
}
