use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![deny(constant)]
    order: HARD_STOP = G(now("save") -> (O(now("fetch")) | !now("save")));
};

fn main() {
    let _ = &POLICY;
}
