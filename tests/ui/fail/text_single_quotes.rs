use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = "called('a')";
};

fn main() {}
