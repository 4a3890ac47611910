use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = predicate(few, safe=true);
};

fn main() {}
