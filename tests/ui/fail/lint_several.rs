use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    #![deny(redundant)]
    #![tools("fetch", "save", "report")]
    order: HARD_STOP = before("fetch", "save");
    each_save: HARD_STOP = G(now("save") -> O(now("fetch")));
    budget: HARD_STOP = called_n("fetch", <= 1);
    one_save: PERSISTENT_BLOCK = called_n("save", <= 1);
    no_report: ASK = G(!now("report"));
};

fn main() {
    let _ = &POLICY;
}
