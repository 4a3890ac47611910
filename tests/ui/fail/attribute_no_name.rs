use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #["weight"]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
