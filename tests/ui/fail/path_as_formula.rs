use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = checks::few;
};

fn main() {}
