use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #[repair("Call a first.", "Then b.")]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
