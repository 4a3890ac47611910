use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = called_n("a", <= 9223372036854775808);
};

fn main() {}
