use agentltl::{Policy, constraints};

static POLICY: Policy = constraints!(include = b"policy.toml");

fn main() {}
