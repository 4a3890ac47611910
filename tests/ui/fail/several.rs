use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    #![tools("a", "b")]
    one: HARDSTOP = before("a", "c");
    two: HARD_STOP = beforee("a", "b");
    #[weigth(1.0)]
    three: HARD_STOP = called("a");
    four: TOLERATE = called_n(MISSING, <= 1);
};

fn main() {}
