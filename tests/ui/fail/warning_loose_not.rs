#![deny(deprecated)]

use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![allow(vacuous)]
    since: TOLERATE = G(now("c") -> !now("b") S now("a"));
};

fn main() {
    let _ = &POLICY;
}
