use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![deny(redundant)]
    order: HARD_STOP = before("fetch", "save");
    each_save: HARD_STOP = G(now("save") -> O(now("fetch")));
};

fn main() {
    let _ = &POLICY;
}
