use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    1: HARD_STOP = before("a", "b");
};

fn main() {}
