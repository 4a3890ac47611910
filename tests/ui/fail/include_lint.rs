use agentltl::{Policy, constraints};

static POLICY: Policy = constraints!(include = "include_lint.toml");

fn main() {
    let _ = &POLICY;
}
