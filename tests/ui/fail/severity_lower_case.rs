use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    order: hard_stop = before("a", "b");
};

fn main() {}
