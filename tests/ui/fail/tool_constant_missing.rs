use agentltl::{Policy, constraints};

struct Search;

static POLICY: Policy = constraints! {
    rule: TOLERATE = called(Search::NAME);
};

fn main() {}
