use agentltl::{Policy, constraints};

use agentltl::Severity;

const LEVEL: Severity = Severity::Ask;

static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    #![default_severity(LEVEL)]
    done = called("report");
};

fn main() {}
