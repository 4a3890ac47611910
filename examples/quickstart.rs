//! A policy, a run that complies, a call that is refused, and the scores of both.
#![allow(clippy::print_stdout)]

use agentltl::{Constraint, Enforcer, Formula, Policy, Severity, ToolCall, Trace, verify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = Policy::new([
        Constraint::new(
            "fetch_first",
            r#"before("fetch_data", "process_data")"#.parse()?,
        )
        .with_severity(Severity::PersistentBlock)
        .with_weight(2.0)
        .with_description("Raw data is fetched before it is processed.")
        .with_repair("Call fetch_data first."),
        Constraint::new(
            "one_deploy",
            Formula::parse(r#"G(now("deploy") -> X(G(!now("deploy"))))"#)?,
        )
        .with_severity(Severity::BlockAndWarn),
        Constraint::new("saved", r#"called("save_results")"#.parse()?)
            .with_severity(Severity::Tolerate)
            .on_final_answer(),
    ])?;
    policy.check_strict()?;
    println!("The policy:\n\n{policy}");

    let mut enforcer = Enforcer::new(policy.clone())?;
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
        verify(&policy, enforcer.trace())
    );
    let unguarded = Trace::from_names(["process_data", "fetch_data", "deploy", "deploy"]);
    println!(
        "A run that nobody enforced:\n\n{}",
        verify(&policy, &unguarded)
    );
    Ok(())
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("    {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}
