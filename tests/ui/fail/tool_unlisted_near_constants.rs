use agentltl::{Policy, constraints};

const BOOK: &str = "book";

static POLICY: Policy = constraints! {
    #![tools("search", BOOK)]
    order: HARD_STOP = before("serach", BOOK);
};

fn main() {
    let _ = &POLICY;
}
