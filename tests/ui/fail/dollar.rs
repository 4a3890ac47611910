use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = called("a") $ called("b");
};

fn main() {}
