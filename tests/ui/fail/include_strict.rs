use agentltl::{Policy, constraints};

static POLICY: Policy = constraints!(include = "include_strict.toml");

fn main() {}
