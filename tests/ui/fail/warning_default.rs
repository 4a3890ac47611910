#![deny(deprecated)]

use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    done = called("report");
};

fn main() {
    let _ = &POLICY;
}
