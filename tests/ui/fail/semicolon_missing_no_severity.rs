use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    order: HARD_STOP = before("a", "b")
    once = called_n("a", <= 1);
};

fn main() {}
