use agentltl::{Policy, constraints};

const ADVICE: u32 = 2;

static POLICY: Policy = constraints! {
    #[repair(ADVICE)]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
