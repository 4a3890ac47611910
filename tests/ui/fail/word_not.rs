use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = not now("a");
};

fn main() {}
