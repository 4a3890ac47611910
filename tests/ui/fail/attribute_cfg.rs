use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #[cfg(test)]
    order: HARD_STOP = before("a", "b");
};

fn main() {}
