use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    order: HARDSTOP = before("a", "b");
};

fn main() {}
