use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = before("a", "b") before("b", "c");
};

fn main() {}
