use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = (!now("b")) U;
};

fn main() {}
