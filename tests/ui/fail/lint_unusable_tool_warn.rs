#![deny(deprecated)]

use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![tools("fetch", "save")]
    read_only: HARD_STOP = G(!now("save"));
};

fn main() {
    let _ = &POLICY;
}
