//! A warning is allowed and expected like any lint: around the macro, or at a constraint.
#![deny(warnings)]

use agentltl::{Policy, constraints};

#[allow(deprecated)]
static ALLOWED: Policy = constraints! {
    done: HARD_STOP = called("report");
};

#[expect(deprecated)]
fn expected() -> Policy {
    constraints! { done: HARD_STOP = called("report"); }
}

static AT_THE_RULE: Policy = constraints! {
    #[allow(deprecated)]
    done: HARD_STOP = called("report");
    #[expect(deprecated)]
    last: HARD_STOP = F(now("report"));
    #[allow(deprecated)]
    order: HARD_STOP = before("a", "b");
};

fn main() {
    assert_eq!(ALLOWED.constraints(), expected().constraints());
    assert_eq!(AT_THE_RULE.constraints().len(), 3);
}
