use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    order: HARD_STOP = before("fetch", "save") & before("save", "fetch");
};

fn main() {
    let _ = &POLICY;
}
