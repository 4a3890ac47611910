use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = invoked_recently("a");
};

fn main() {}
