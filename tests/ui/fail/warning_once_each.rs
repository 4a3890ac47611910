#![deny(deprecated)]

use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![allow(wedge)]
    first: HARD_STOP = called("a");
    #[allow(deprecated)]
    second: HARD_STOP = called("b");
    third: HARD_STOP = called("c");
};

fn main() {
    let _ = &POLICY;
}
