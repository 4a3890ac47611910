#![deny(deprecated)]

use agentltl::{Policy, constraints};

static POLICY: Policy = constraints!(include = "include_warning.toml");

fn main() {
    let _ = &POLICY;
}
