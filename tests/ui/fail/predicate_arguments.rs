use agentltl::{Policy, constraints};

use agentltl::ToolCall;

fn few(calls: &[ToolCall]) -> bool {
    calls.len() < 3
}

static POLICY: Policy = constraints! {
    rule: TOLERATE = predicate(few);
};

fn main() {}
