//! A policy file beside the source.
#![deny(warnings)]

use agentltl::{Policy, Severity, constraints};

static POLICY: Policy = constraints!(include = "include.toml");

fn main() {
    let [order, once] = POLICY.constraints() else {
        panic!("two constraints");
    };
    assert_eq!(order.name(), "order");
    assert_eq!(order.severity(), Some(Severity::Ask));
    assert_eq!(order.weight(), 2.5);
    assert_eq!(order.description(), "First things first.");
    assert_eq!(order.repair(), "Call a.");
    assert_eq!(once.formula(), &agentltl::formula!(called_n("a", <= 1)));
    assert_eq!(POLICY.severity_of(once), Severity::SoftBlock);
    assert!(POLICY.is_strict());
    assert_eq!(POLICY.tools().len(), 2);
}
