use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![strict_runtime_safety(true)]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
