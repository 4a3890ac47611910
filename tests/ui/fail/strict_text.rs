use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    done: PERSISTENT_BLOCK = r#"before("a", "b") & called("report")"#;
};

fn main() {}
