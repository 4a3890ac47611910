use agentltl::{Policy, constraints};

struct Cancel;
impl Cancel {
    const NAME: &str = "cancel";
}

static POLICY: Policy = constraints! {
    #![tools("search", "book")]
    order: HARD_STOP = before(Cancel::NAME, "book");
};

fn main() {}
