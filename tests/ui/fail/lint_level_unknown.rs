use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![forbid(wedge)]
    #![expect(redundant)]
    #![alow(vacuous)]
    #![warn]
    order: HARD_STOP = before("fetch", "save");
};

fn main() {
    let _ = &POLICY;
}
