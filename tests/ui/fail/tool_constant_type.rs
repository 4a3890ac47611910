use agentltl::{Policy, constraints};

const SEARCH: u32 = 1;

static POLICY: Policy = constraints! {
    rule: TOLERATE = called(SEARCH);
};

fn main() {}
