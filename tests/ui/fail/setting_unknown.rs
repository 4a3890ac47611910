use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![strict]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
