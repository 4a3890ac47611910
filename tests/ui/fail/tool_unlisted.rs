use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![tools("search", "book")]
    order: HARD_STOP = G(now("book") -> O(now("approve")));
};

fn main() {}
