use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    order: reject = before("a", "b");
};

fn main() {}
