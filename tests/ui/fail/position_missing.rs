use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = @x(now("a"));
};

fn main() {}
