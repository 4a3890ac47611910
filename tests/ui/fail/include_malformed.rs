use agentltl::{Policy, constraints};

static POLICY: Policy = constraints!(include = "include_malformed.toml");

fn main() {}
