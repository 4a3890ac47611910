//! What is found of a policy is allowed, warned of or refused: for the policy or a constraint, and the
//! last word counts.
#![deny(warnings)]

use agentltl::{Policy, constraints};

static ALLOWED: Policy = constraints! {
    #![strict_runtime_safety]
    #![tools("fetch", "save")]
    #![deny(redundant, vacuous)]
    #![allow(unsatisfiable, vacuous, contradiction, wedge, dead_end, unusable_tool, redundant, constant)]
    never: HARD_STOP = before("fetch", "save") & before("save", "fetch");
    always: HARD_STOP = G(now("save") -> O(now("save")));
    save_needs_fetch: HARD_STOP = before("fetch", "save");
    fetch_needs_save: HARD_STOP = before("save", "fetch");
    #[applies_to_final_answer]
    saved: HARD_STOP = called("save");
};

static VACUOUS: Policy = constraints! {
    #![deny(vacuous)]
    #[allow(vacuous, deprecated, reason = "an example")]
    order: HARD_STOP = G(now("save") -> O(now("save")));
};

static CONTRADICTION: Policy = constraints! {
    #![strict_runtime_safety]
    #[allow(contradiction)]
    save_needs_fetch: HARD_STOP = before("fetch", "save");
    fetch_needs_save: HARD_STOP = before("save", "fetch");
};

static WEDGE: Policy = constraints! {
    #![strict_runtime_safety]
    #![tools("fetch")]
    #[allow(wedge)]
    once: HARD_STOP = called_n("fetch", <= 1);
};

static DEAD_END: Policy = constraints! {
    #![allow(dead_end)]
    #[applies_to_final_answer]
    reported: TOLERATE = called("report");
    close_last: HARD_STOP = G(now("close") -> G(!now("report")));
};

static UNUSABLE_TOOL: Policy = constraints! {
    #![tools("fetch", "save")]
    #![allow(unusable_tool, reason = "the agent is told that it is there")]
    read_only: HARD_STOP = G(!now("save"));
};

static REDUNDANT: Policy = constraints! {
    order: HARD_STOP = before("fetch", "save");
    #[deny(redundant)]
    #[allow(redundant)]
    each_save: HARD_STOP = G(now("save") -> O(now("fetch")));
};

static UNSATISFIABLE: Policy = constraints! {
    #![strict_runtime_safety]
    #[allow(unsatisfiable)]
    order: HARD_STOP = before("fetch", "save") & before("save", "fetch");
};

/// Warnings of policies are rustc's `deprecated`, too.
#[allow(deprecated)]
static RUSTC: Policy = constraints! {
    order: HARD_STOP = G(now("save") -> O(now("save")));
};

static FILE: Policy = constraints!(#![allow(contradiction)] include = "../fail/include_lint.toml");

mod unknown_here {
    //! Nothing is said that depends on a value which only rustc knows.
    use agentltl::{Policy, Severity, constraints};

    const LEVEL: Severity = Severity::BlockAndWarn;
    const OTHER: &str = "other";
    const FETCH: &str = "fetch";

    // With a severity that blocks, this were a wedge.
    static SEVERITY: Policy = constraints! {
        #![strict_runtime_safety]
        #![tools("fetch")]
        once: LEVEL = called_n("fetch", <= 1);
    };

    // The other tool can be called.
    static TOOLS: Policy = constraints! {
        #![strict_runtime_safety]
        #![tools("fetch", OTHER)]
        once: HARD_STOP = called_n("fetch", <= 1);
    };

    // They are the same tool.
    static NAMES: Policy = constraints! {
        order: HARD_STOP = before("fetch", "save");
        other: HARD_STOP = before("save", FETCH) | before(FETCH, "save");
    };

    pub fn count() -> usize {
        [&SEVERITY, &TOOLS, &NAMES].map(|policy| policy.constraints().len()).iter().sum()
    }
}

fn main() {
    let policies = [
        &ALLOWED, &VACUOUS, &CONTRADICTION, &WEDGE, &DEAD_END, &UNUSABLE_TOOL, &REDUNDANT, &UNSATISFIABLE, &RUSTC,
        &FILE,
    ];
    assert!(policies.iter().all(|policy| !policy.constraints().is_empty()));
    assert_eq!(unknown_here::count(), 4);
}
