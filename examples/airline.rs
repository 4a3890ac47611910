//! A policy file and a file of conversations in; how the runs did by each rule, their scores, and the
//! calls an enforcer would have refused out.
//!
//!     cargo run --example airline [POLICY.toml CONVERSATIONS.jsonl]
//!
//! A line of the second file is an object with `messages`, in OpenAI's chat format. Without files it
//! takes the recorded conversations beside the workspace, or else a small sample.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use agentltl::{
    Decision, Enforcer, EnforcerError, Policy, Proposal, ToolCall, Trace, classify_constraints,
    verify,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let (policy, conversations) = files()?;
    writeln!(
        out,
        "policy        {}\nconversations {}\n",
        policy.display(),
        conversations.display()
    )?;
    let policy = Policy::from_toml(&read(&policy)?).map_err(|error| in_file(&policy, error))?;
    let mut runs = Vec::new();
    for (number, line) in (1..).zip(read(&conversations)?.lines()) {
        let run = Trace::from_openai_text(line)
            .map_err(|error| in_file(&conversations, format!("conversation {number}: {error}")))?;
        runs.push(run);
    }

    let reports: Vec<_> = runs.iter().map(|run| verify(&policy, run)).collect();
    let mut refused = Vec::new();
    for (number, run) in (1..).zip(&runs) {
        for (position, decision) in refusals(&policy, run)? {
            refused.push((number, position, decision));
        }
    }

    writeln!(
        out,
        "{:26} {:16} {:>6} {:10} {:>9} {:>7}",
        "constraint", "severity", "weight", "class", "passed", "refused"
    )?;
    for (index, class) in classify_constraints(&policy).iter().enumerate() {
        let name = &class.constraint_name;
        let passed = reports
            .iter()
            .filter(|report| report.constraints[index].passed)
            .count();
        let refusals = refused
            .iter()
            .filter(|(.., decision)| decision.constraint_name() == Some(name));
        writeln!(
            out,
            "{name:26} {:16} {:6} {:10} {:>9} {:>7}",
            class.assigned_severity,
            policy.constraints()[index].weight(),
            class.classification,
            format!("{passed}/{}", runs.len()),
            refusals.count(),
        )?;
    }

    writeln!(out, "\nscores")?;
    let mut scores: BTreeMap<String, usize> = BTreeMap::new();
    for report in &reports {
        let score = format!("{:.6} {}", report.compliance_score, report.compliance_label);
        *scores.entry(score).or_default() += 1;
    }
    for (score, count) in scores.iter().rev() {
        writeln!(
            out,
            "  {score:18} {count:4} {}",
            "#".repeat((count * 50).div_ceil(runs.len()))
        )?;
    }

    writeln!(
        out,
        "\nrefused calls: {} of {}",
        refused.len(),
        runs.iter().map(|run| run.len()).sum::<usize>()
    )?;
    for (number, position, decision) in &refused {
        let tool = &runs[number - 1][*position].tool_name;
        let constraint = decision.constraint_name().unwrap_or("-");
        writeln!(
            out,
            "  #{number:<4} call {:<3} {:5} {tool:30} {constraint}",
            position + 1,
            decision.action
        )?;
    }
    Ok(())
}

/// The calls of a run that are refused, if those that are not refused run.
fn refusals(policy: &Policy, run: &[ToolCall]) -> Result<Vec<(usize, Decision)>, EnforcerError> {
    let mut enforcer = Enforcer::new(policy.clone())?;
    let mut refusals = Vec::new();
    for (position, call) in run.iter().enumerate() {
        // Each call as a completion of its own, so that repeating it is insisting on it.
        let decision = enforcer.check(Proposal::new(call).generation(position as i64));
        if decision.allowed() {
            enforcer.record(call.clone());
        } else {
            refusals.push((position, decision));
        }
    }
    Ok(refusals)
}

fn files() -> Result<(PathBuf, PathBuf), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match <[PathBuf; 2]>::try_from(arguments) {
        Ok([policy, conversations]) => Ok((policy, conversations)),
        Err(arguments) if arguments.is_empty() => {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            let recorded = root.join("../shared/traces");
            let files = (
                recorded.join("airline-policy.toml"),
                recorded.join("airline-gpt4o.jsonl"),
            );
            let sample = root.join("examples/data");
            Ok(if files.0.exists() && files.1.exists() {
                files
            } else {
                (
                    sample.join("airline-policy.toml"),
                    sample.join("airline.jsonl"),
                )
            })
        }
        Err(_) => Err("usage: airline [POLICY.toml CONVERSATIONS.jsonl]".into()),
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| in_file(path, error))
}

fn in_file(path: &Path, error: impl std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}
