use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = called_with("a", x=1e999);
};

fn main() {}
