use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![deny(vacuous)]
    order: HARD_STOP = r#"G(now("save") -> O(now("save")))"#;
};

fn main() {
    let _ = &POLICY;
}
