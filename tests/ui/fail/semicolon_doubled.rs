use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    order: HARD_STOP = before("a", "b");;
    once: HARD_STOP = called_n("a", <= 1);
};

fn main() {}
