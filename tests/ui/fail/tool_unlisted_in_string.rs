use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![tools("search", "book")]
    order: HARD_STOP = r#"now("book") -> O now("serach")"#;
};

fn main() {}
