//! Everything a policy may hold, under lints that forbid almost everything.
#![deny(warnings, clippy::pedantic)]
#![forbid(unsafe_code)]

use agentltl::{Answer, Policy, Severity, ToolCall, constraints};

struct DeployTool;

impl DeployTool {
    const NAME: &'static str = "deploy";
}

trait Tool {
    const NAME: &'static str;
}

impl Tool for DeployTool {
    const NAME: &'static str = "deploy";
}

fn is_short(calls: &[ToolCall], _position: usize) -> bool {
    calls.len() <= 100
}

fn says_why(_calls: &[ToolCall], position: usize) -> Answer {
    Answer::new(position < 100).because("it gets long")
}

fn flights(calls: &[ToolCall]) -> Vec<serde_json::Value> {
    calls.iter().filter_map(|call| call.arguments.get("flight").cloned()).collect()
}

const STRENGTH: Severity = Severity::SoftBlock;
const WEIGHT: f64 = 0.5;
const REPAIR: &str = "Be brief.";

static POLICY: Policy = constraints! {
    //! The policy of the tests.
    #![strict_runtime_safety]
    #![default_severity(SOFT_BLOCK)]
    #![tools("fetch_data", "process_data", DeployTool::NAME, "save_results", "pytest")]

    /// Raw data is fetched
    /// before it is processed.
    #[weight(2.0)]
    #[repair("Call fetch_data first.")]
    fetch_first: HARD_STOP = before("fetch_data", "process_data");

    "one-deploy": BLOCK_AND_WARN = r#"G(now("deploy") -> X(G(!now("deploy"))))"#;
    deploy_once: PERSISTENT_BLOCK = called_n(DeployTool::NAME, <= 1);
    deploy_once_more: ASK = called_n(<DeployTool as Tool>::NAME, <= 1);

    #[applies_to_final_answer]
    tests_ran: HARD_STOP = called("pytest");

    #[weight(WEIGHT)]
    #[repair(REPAIR)]
    short: STRENGTH = predicate(is_short, runtime_safe = true);
    #[weight(3)]
    why: Severity::Ask = predicate(self::says_why, runtime_safe = true);
    known: if cfg!(test) { Severity::Ask } else { Severity::Tolerate } =
        forall f in flights: called_with("save_results", flight = ?f, type = ["x", -1.5, null]);
    r#type = now("deploy") -> O(now("pytest"));
};

fn main() {
    let report = POLICY.to_string();
    for line in [
        "fetch_first: HARD_STOP, weight 2, SAFE",
        "    description: Raw data is fetched\nbefore it is processed.",
        "one-deploy: BLOCK_AND_WARN",
        r#"called_n("deploy", <= 1)"#,
        "applies to the final answer",
        "short: SOFT_BLOCK, weight 0.5",
        "    repair: Be brief.",
        "why: ASK, weight 3",
        "predicate(self::says_why, runtime_safe=true)",
        "known: TOLERATE",
        "type: SOFT_BLOCK",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
    assert!(agentltl::verdict(POLICY.constraints()[6].formula(), &[]).is_ok());
}
