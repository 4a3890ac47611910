use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = called;
};

fn main() {}
