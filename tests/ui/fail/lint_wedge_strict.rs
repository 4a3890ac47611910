use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    #![tools("fetch")]
    once: HARD_STOP = called_n("fetch", <= 1);
};

fn main() {
    let _ = &POLICY;
}
