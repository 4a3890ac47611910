use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = called_n("a", <= 0x10);
};

fn main() {}
