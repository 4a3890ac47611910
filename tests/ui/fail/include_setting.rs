use agentltl::{Policy, constraints};

static POLICY: Policy = constraints!(#![strict_runtime_safety] #![allow(wedg)] include = "include_warning.toml");

fn main() {
    let _ = &POLICY;
}
