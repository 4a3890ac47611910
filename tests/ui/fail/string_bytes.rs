use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = called(b"search");
};

fn main() {}
