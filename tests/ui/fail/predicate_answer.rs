use agentltl::{Policy, constraints};

use agentltl::ToolCall;

fn few(calls: &[ToolCall], _position: usize) -> usize {
    calls.len()
}

static POLICY: Policy = constraints! {
    rule: TOLERATE = predicate(few);
};

fn main() {}
