use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = r#"called("航班") & calld("b")"#;
};

fn main() {}
