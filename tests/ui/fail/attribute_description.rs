use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #[description("Order.")]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
