use agentltl::{Policy, constraints};

struct Search;

static POLICY: Policy = constraints! {
    order: HARD_STOP = before(Search::, "b")
};

fn main() {}
