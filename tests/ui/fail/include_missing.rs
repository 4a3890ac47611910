use agentltl::{Policy, constraints};

static POLICY: Policy = constraints!(include = "nowhere.toml");

fn main() {}
