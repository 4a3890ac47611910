use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = G(now("a") => X(now("b")));
};

fn main() {}
