use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = "G(calld(\"a\"))";
};

fn main() {}
