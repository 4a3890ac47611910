use agentltl::{Policy, constraints};

static POLICY: Policy = constraints!(include = "include_wrong.toml");

fn main() {}
