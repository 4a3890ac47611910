use agentltl::{Policy, constraints};

use agentltl::ToolCall;

fn flights(calls: &[ToolCall]) -> Vec<String> {
    calls.iter().map(|call| call.tool_name.clone()).collect()
}

static POLICY: Policy = constraints! {
    rule: TOLERATE = forall x in flights: called_with("b", x=?x);
};

fn main() {}
