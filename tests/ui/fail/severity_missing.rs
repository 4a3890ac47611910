use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    order: = before("a", "b");
};

fn main() {}
