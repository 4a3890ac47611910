use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    #![default_severity(ASK)]
    done = called("report");
};

fn main() {}
