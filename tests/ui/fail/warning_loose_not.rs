#![deny(deprecated)]

use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    since: TOLERATE = G(now("c") -> !now("b") S now("a"));
};

fn main() {
    let _ = &POLICY;
}
