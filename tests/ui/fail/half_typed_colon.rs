use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    order: 
};

fn main() {}
