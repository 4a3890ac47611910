//! A policy, a run that complies, a call that is refused, and the scores of both.
#![allow(clippy::print_stdout)]

use agentltl::{Enforcer, Policy, ToolCall, Trace, constraints, verify};

// Checked when this file is compiled: misspell a tool or a function, or make a rule block that
// would refuse calls for an obligation still open, and the compiler says so.
static POLICY: Policy = constraints! {
    #![strict_runtime_safety]
    #![tools("fetch_data", "process_data", "deploy", "save_results")]

    /// Raw data is fetched before it is processed.
    #[weight(2.0)]
    #[repair("Call fetch_data first.")]
    fetch_first: PERSISTENT_BLOCK = before("fetch_data", "process_data");

    one_deploy: BLOCK_AND_WARN = G(now("deploy") -> X(G(!now("deploy"))));

    #[applies_to_final_answer]
    saved: TOLERATE = called("save_results");
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("The policy:\n\n{POLICY}");

    let mut enforcer = Enforcer::new(POLICY.clone())?;
    for tool in [
        "process_data",
        "fetch_data",
        "process_data",
        "deploy",
        "save_results",
    ] {
        let call = ToolCall::new(tool);
        let decision = enforcer.check(&call);
        println!("{tool}: {}", decision.action);
        if decision.allowed() {
            enforcer.record(call.with_result("ok"));
        } else {
            println!("\n{}\n", indented(&decision.feedback));
        }
    }

    println!(
        "\nThe run that was enforced:\n\n{}",
        verify(&POLICY, enforcer.trace())
    );
    let unguarded = Trace::from_names(["process_data", "fetch_data", "deploy", "deploy"]);
    println!(
        "A run that nobody enforced:\n\n{}",
        verify(&POLICY, &unguarded)
    );
    Ok(())
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("    {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}
