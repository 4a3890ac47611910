use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    order: HARD_STOP = before("a", "b");
    "order": HARD_STOP = before("b", "c");
};

fn main() {}
