use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![tools(search, "book")]
    order: HARD_STOP = before("search", "book");
};

fn main() {}
