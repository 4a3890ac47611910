use agentltl::{Policy, constraints};

const LEVEL: u32 = 1;

static POLICY: Policy = constraints! {
    order: LEVEL = before("a", "b");
};

fn main() {}
