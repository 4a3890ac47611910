use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = forall flight in args("search", "flight"): called_with("book", flight=?fligth);
};

fn main() {}
