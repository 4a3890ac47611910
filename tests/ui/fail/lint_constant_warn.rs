#![deny(deprecated)]

use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    order: HARD_STOP = G(now("save") -> (O(now("fetch")) | !now("save")));
};

fn main() {
    let _ = &POLICY;
}
