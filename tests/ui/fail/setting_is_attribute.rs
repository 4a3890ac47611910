use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![weight(2.0)]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
