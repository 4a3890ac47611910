use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![default_severity(SOFTBLOCK)]
    order = before("a", "b");
};

fn main() {}
