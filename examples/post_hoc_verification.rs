//! Finished runs and their scores: a run that complies, one that does in part, one that does not at
//! all, and one read from an agent's log.
#![allow(clippy::print_stdout)]

use agentltl::{Policy, Trace, Verification, constraints, verify};

static POLICY: Policy = constraints! {
    #![tools("fetch_data", "clean_data", "save_results")]

    #[weight(2.0)]
    fetch_first = before("fetch_data", "clean_data");

    #[weight(2.0)]
    clean_first = before("clean_data", "save_results");

    // Only scored: it is unmet until the first save, so it must not block.
    save_once: TOLERATE = called_n("save_results", == 1);
};

/// What an agent left behind, in the Python library's form.
const LOG: &str = r#"{"tool_calls": [
    {"tool_name": "fetch_data", "tool_args": {"source": "db"}, "tool_result": "120 records"},
    {"tool_name": "clean_data", "tool_args": {}, "tool_result": "118 records"},
    {"tool_name": "save_results", "tool_args": {"to": "results.csv"}, "tool_result": null}
]}"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs = [
        ("by the rules", Trace::from_metrics_text(LOG)?),
        (
            "saved twice",
            Trace::from_names(["fetch_data", "clean_data", "save_results", "save_results"]),
        ),
        (
            "cleaned first",
            Trace::from_names(["clean_data", "fetch_data"]),
        ),
    ];
    for (name, run) in &runs {
        println!("# {name}\n{}", verify(&POLICY, run));
    }

    let (_, twice) = &runs[1];
    let report = Verification::new(&POLICY)
        .with_weight("save_once", 6.0)?
        .run(twice);
    println!(
        "saved twice, with more weight on it: {}",
        report.compliance_score
    );
    println!("as JSON: {}", serde_json::to_string(&report)?);
    Ok(())
}
