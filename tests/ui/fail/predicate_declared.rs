use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = predicate(few, runtime_safe=yes);
};

fn main() {}
