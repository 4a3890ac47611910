use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #[severity(HARD_STOP)]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
