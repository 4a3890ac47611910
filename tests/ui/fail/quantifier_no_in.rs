use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = forall x args("a", "x"): called_with("b", x=?x);
};

fn main() {}
