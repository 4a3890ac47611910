use agentltl::{Policy, constraints};

const BOOK: u32 = 1;

static POLICY: Policy = constraints! {
    #![tools("search", BOOK)]
    order: HARD_STOP = before("search", "book");
};

fn main() {}
