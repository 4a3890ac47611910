#![deny(deprecated)]

use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    answer: TOLERATE = G(called("a") -> X(now("b")));
};

fn main() {
    let _ = &POLICY;
}
