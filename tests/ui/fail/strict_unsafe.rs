use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    done: HARD_STOP = before("a", "b") & called("report");
};

fn main() {}
