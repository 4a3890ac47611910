use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #[applies_to_final_answer(true)]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
