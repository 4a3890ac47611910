use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![tools("a")]
    #![tools("b")]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
