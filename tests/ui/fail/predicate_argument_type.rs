use agentltl::{Policy, constraints};

fn few(calls: &str, _position: usize) -> bool {
    calls.len() < 3
}

static POLICY: Policy = constraints! {
    rule: TOLERATE = predicate(few);
};

fn main() {}
