use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = (!now("b")) until now("a");
};

fn main() {}
