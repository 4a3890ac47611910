use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    "": HARD_STOP = before("a", "b");
};

fn main() {}
