use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = "predicate(few)";
};

fn main() {}
