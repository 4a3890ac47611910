use agentltl::{Policy, constraints};

use agentltl::Severity;

static POLICY: Policy = constraints! {
    order: Severity::Strict = before("a", "b");
};

fn main() {}
