#![deny(deprecated)]

use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    /// At last.
    "done": ASK = F(now("report"));
};

fn main() {
    let _ = &POLICY;
}
