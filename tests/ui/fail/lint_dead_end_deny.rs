use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    #![deny(dead_end)]
    #[applies_to_final_answer]
    reported: TOLERATE = called("report");
    close_last: HARD_STOP = G(now("close") -> G(!now("report")));
};

fn main() {
    let _ = &POLICY;
}
