use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #[inline]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
