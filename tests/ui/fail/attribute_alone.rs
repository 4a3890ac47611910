use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    order: HARD_STOP = before("a", "b");
    #[weight(2.0)]
};

fn main() {}
