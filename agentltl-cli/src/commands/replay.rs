//! `agentltl replay`: what an enforcer would have said.

use std::io::Write;

use agentltl::testing::{Step, Transcript};
use agentltl::{Enforcer, Policy};
use serde_json::json;

use crate::Outcome;
use crate::args::{PlainFormat, Replay, Settings};
use crate::commands::runs::each;
use crate::error::Failure;
use crate::input::Origin;
use crate::policy;
use crate::screen::{BAD, DOUBTFUL, GOOD, Plain, STRONG, Screen, WEAK};

pub(crate) fn run(options: &Replay, screen: &mut Screen) -> Result<Outcome, Failure> {
    let policy = policy::load(&options.runs.policy, screen)?;
    let enforcer = enforcer(&policy, &options.settings)?;
    let mut outcome = Outcome::Met;
    let mut runs = 0;
    if options.format == PlainFormat::Json {
        write!(screen.out(), "[")?;
    }
    each(
        &options.runs,
        screen,
        |found| {
            let transcript = Transcript::with(&mut enforcer.clone(), &found.trace);
            (found.origin, transcript)
        },
        |screen, result| {
            let Ok((origin, transcript)) = result else {
                outcome = Outcome::BadInput;
                return Ok(());
            };
            if transcript.refused().next().is_some() || !transcript.end.allowed() {
                outcome = outcome.max(Outcome::NotMet);
            }
            runs += 1;
            match options.format {
                PlainFormat::Text => text(screen, &origin, &transcript, options.feedback),
                PlainFormat::Json => {
                    let comma = if runs == 1 { "\n" } else { ",\n" };
                    write!(screen.out(), "{comma}{}", json_of(&origin, &transcript))?;
                    Ok(())
                }
            }
        },
    )?;
    if options.format == PlainFormat::Json {
        writeln!(screen.out(), "\n]")?;
    }
    Ok(if runs == 0 {
        Outcome::BadInput
    } else {
        outcome
    })
}

/// An enforcer before its first call, to be copied for each run.
pub(crate) fn enforcer(policy: &Policy, settings: &Settings) -> Result<Enforcer, Failure> {
    Enforcer::builder(policy.clone())
        .latch_stop(settings.latch_stop)
        .max_soft_attempts(settings.max_soft_attempts)
        .nudge_max(settings.nudge_max)
        .max_termination_nudges(1)
        .build()
        .map_err(|error| Failure::Input(error.to_string()))
}

fn text(
    screen: &mut Screen,
    origin: &Origin,
    transcript: &Transcript,
    feedback: bool,
) -> Result<(), Failure> {
    let out = screen.out();
    let (calls, refused) = (transcript.steps.len(), transcript.refused().count());
    writeln!(
        out,
        "{STRONG}{}{STRONG:#}  {WEAK}{calls} calls, {refused} refused{WEAK:#}",
        Plain(&origin.to_string())
    )?;
    let text = transcript.to_string();
    for line in text.lines() {
        writeln!(out, "  {}", Plain(line))?;
    }
    if feedback {
        for (number, Step { decision, .. }) in (1..).zip(&transcript.steps) {
            if !decision.feedback.is_empty() {
                let style = if decision.allowed() { GOOD } else { DOUBTFUL };
                writeln!(out, "  {style}feedback for call {number}{style:#}")?;
                for line in decision.feedback.lines() {
                    writeln!(out, "    | {}", Plain(line))?;
                }
            }
        }
        if !transcript.end.allowed() {
            writeln!(out, "  {BAD}feedback at the end{BAD:#}")?;
            for line in transcript.end.feedback.lines() {
                writeln!(out, "    | {}", Plain(line))?;
            }
        }
    }
    writeln!(out)?;
    Ok(())
}

fn json_of(origin: &Origin, transcript: &Transcript) -> serde_json::Value {
    let calls: Vec<_> = transcript
        .steps
        .iter()
        .map(|step| {
            json!({
                "tool_name": step.call.tool_name,
                "arguments": step.call.arguments,
                "decision": step.decision,
            })
        })
        .collect();
    let mut run = serde_json::to_value(origin).unwrap_or_default();
    if let Some(fields) = run.as_object_mut() {
        fields.insert("calls".to_owned(), calls.into());
        fields.insert("end".to_owned(), json!(transcript.end));
    }
    run
}
