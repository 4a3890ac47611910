use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = called_n("a", <= 2u32);
};

fn main() {}
