#![deny(deprecated)]

use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    save_needs_fetch: HARD_STOP = before("fetch", "save");
    fetch_needs_save: HARD_STOP = before("save", "fetch");
};

fn main() {
    let _ = &POLICY;
}
