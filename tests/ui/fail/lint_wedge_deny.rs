use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![deny(wedge)]
    #![tools("fetch")]
    once: HARD_STOP = called_n("fetch", <= 1);
};

fn main() {
    let _ = &POLICY;
}
