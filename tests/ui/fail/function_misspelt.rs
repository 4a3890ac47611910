use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = calld("a");
};

fn main() {}
