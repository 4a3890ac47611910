use agentltl::{Policy, constraints};

const FLIGHTS: usize = 3;

static POLICY: Policy = constraints! {
    rule: TOLERATE = forall x in FLIGHTS: called_with("b", x=?x);
};

fn main() {}
