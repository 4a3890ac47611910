use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = called_with("a", x=1, x=2);
};

fn main() {}
