use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![tools("search", "book")]
    order: HARD_STOP = before("serach", "book");
};

fn main() {}
