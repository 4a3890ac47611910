use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = called_with("a", city=SEA);
};

fn main() {}
