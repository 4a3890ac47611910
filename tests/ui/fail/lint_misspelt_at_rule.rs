use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #[allow(vacous)]
    order: HARD_STOP = before("fetch", "save");
    #[forbid(wedge)]
    other: HARD_STOP = before("a", "b");
};

fn main() {
    let _ = &POLICY;
}
