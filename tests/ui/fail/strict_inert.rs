use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    done: SOFT_BLOCK = F(now("report"));
};

fn main() {}
