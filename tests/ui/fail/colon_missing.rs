use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    order HARD_STOP = before("a", "b");
};

fn main() {}
