//! `agentltl classify`: does refusing calls for a rule make sense?

use std::io::Write;

use agentltl::{ClassificationReport, RuntimeSafety, Severity};
use serde_json::{Value as Json, json};

use crate::Outcome;
use crate::args::{Classify, PlainFormat};
use crate::commands::explain::formula;
use crate::error::Failure;
use crate::policy::PolicyText;
use crate::screen::{BAD, DOUBTFUL, GOOD, Plain, STRONG, Screen};

pub(crate) fn run(options: &Classify, screen: &mut Screen) -> Result<Outcome, Failure> {
    let reports = match (&options.formula, &options.policy) {
        (Some(text), _) => {
            let formula = formula(text, screen)?;
            // Without a severity there is nothing that the class could not suit.
            let severity = options.severity.unwrap_or(Severity::Tolerate);
            vec![ClassificationReport::new(
                "formula", &formula, severity, false,
            )]
        }
        (None, Some(path)) => {
            let text = PolicyText::load(path)?;
            match text.parse() {
                Ok(policy) => policy.classify(),
                Err(error) => {
                    text.show(&error, screen);
                    return Ok(Outcome::BadInput);
                }
            }
        }
        (None, None) => Vec::new(),
    };
    let with_severity = options.policy.is_some() || options.severity.is_some();
    match options.format {
        PlainFormat::Json => {
            let list: Vec<Json> = reports.iter().map(|r| json_of(r, with_severity)).collect();
            let text = serde_json::to_string_pretty(&list).unwrap_or_default();
            writeln!(screen.out(), "{text}")?;
        }
        PlainFormat::Text => {
            for report in &reports {
                text_of(report, with_severity, screen)?;
            }
        }
    }
    Ok(if reports.iter().all(|report| report.compatible) {
        Outcome::Met
    } else {
        Outcome::NotMet
    })
}

fn text_of(
    report: &ClassificationReport,
    with_severity: bool,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let style = match report.classification {
        _ if !report.compatible => BAD,
        RuntimeSafety::Safe => GOOD,
        _ => DOUBTFUL,
    };
    let out = screen.out();
    if with_severity {
        write!(
            out,
            "{STRONG}{}{STRONG:#}: {}, ",
            Plain(&report.constraint_name),
            report.assigned_severity
        )?;
    }
    let class = report.classification;
    writeln!(out, "{style}{class}{style:#} {}", report.reachable)?;
    writeln!(out, "    {}", Plain(&report.formula))?;
    if report.applies_to_final_answer {
        writeln!(out, "    applies to the final answer")?;
    }
    if let Some(message) = &report.message {
        writeln!(out, "    {BAD}mismatch{BAD:#}: {}", Plain(message))?;
    }
    Ok(())
}

fn json_of(report: &ClassificationReport, with_severity: bool) -> Json {
    let reachable: Vec<&str> = report.reachable.iter().map(|v| v.as_str()).collect();
    let mut json = json!({
        "constraint_name": report.constraint_name,
        "formula": report.formula,
        "classification": report.classification.to_string(),
        "reachable": reachable,
        "assigned_severity": report.assigned_severity.as_str(),
        "applies_to_final_answer": report.applies_to_final_answer,
        "compatible": report.compatible,
        "message": report.message,
    });
    if !with_severity && let Some(fields) = json.as_object_mut() {
        for key in [
            "constraint_name",
            "assigned_severity",
            "compatible",
            "message",
        ] {
            fields.remove(key);
        }
    }
    json
}
