use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #[weight(1e999)]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
