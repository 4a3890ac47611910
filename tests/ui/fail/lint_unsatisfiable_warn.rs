#![deny(deprecated)]

use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    order: HARD_STOP = before("fetch", "save") & before("save", "fetch");
};

fn main() {
    let _ = &POLICY;
}
