use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = GF(now("a"));
};

fn main() {}
