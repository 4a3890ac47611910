use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = branch_called("a", "b", contxt="when it rains");
};

fn main() {}
