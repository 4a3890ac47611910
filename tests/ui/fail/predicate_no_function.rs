use agentltl::{Policy, constraints};

const FEW: usize = 3;

static POLICY: Policy = constraints! {
    rule: TOLERATE = predicate(FEW);
};

fn main() {}
