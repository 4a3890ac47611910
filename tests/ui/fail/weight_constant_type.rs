use agentltl::{Policy, constraints};

const HEAVY: u32 = 2;

static POLICY: Policy = constraints! {
    #[weight(HEAVY)]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
