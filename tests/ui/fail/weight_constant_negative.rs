use agentltl::{Policy, constraints};

const LIGHT: f64 = -2.0;

static POLICY: Policy = constraints! {
    #[weight(LIGHT)]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
