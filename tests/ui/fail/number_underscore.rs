use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = called_n("a", <= 1_000);
};

fn main() {}
