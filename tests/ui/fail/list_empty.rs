use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = in_order([]);
};

fn main() {}
