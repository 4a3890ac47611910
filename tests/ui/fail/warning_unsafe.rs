#![deny(deprecated)]

use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    done: HARD_STOP = called("report");
};

fn main() {
    let _ = &POLICY;
}
