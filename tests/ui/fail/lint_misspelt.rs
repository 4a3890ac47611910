use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![allow(redundent, dead-end)]
    #![warn(vacous, unused)]
    #![deny(deprecated)]
    order: HARD_STOP = before("fetch", "save");
};

fn main() {
    let _ = &POLICY;
}
