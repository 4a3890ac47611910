use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = r#"
            before("a", "b")
            & clled("c")
        "#;
};

fn main() {}
