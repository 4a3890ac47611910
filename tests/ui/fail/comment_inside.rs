use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = before("a", "b") /// first a
            & called_n("a", <= 1);
};

fn main() {}
