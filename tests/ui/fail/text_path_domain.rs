use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = r#"forall x in flights: called_with("b", x=?x)"#;
};

fn main() {}
