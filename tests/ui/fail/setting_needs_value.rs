use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![tools]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
