//! The results as one page that needs nothing else: the runs as data, and a script that draws them.

use std::io::{self, Write};

use agentltl::Policy;
use serde::Serialize;
use serde_json::json;

use super::picture::Picture;
use super::summary::Summary;
use super::{Judged, Report};
use crate::error::BadInput;

/// So many runs are drawn call by call. Of more, those that do not reach the score.
const DRAWN: usize = 200;
const DRAWN_NOT_MET: usize = 1_000;

pub(crate) struct Html {
    rules: serde_json::Value,
    drawn: usize,
}

#[derive(Serialize)]
struct Row<'a> {
    name: String,
    score: f64,
    label: &'static str,
    met: bool,
    passed: Vec<bool>,
    details: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<&'a Picture>,
}

impl Html {
    pub(crate) fn new(policy: &Policy) -> Self {
        let rules: Vec<_> = policy
            .constraints()
            .iter()
            .map(|rule| {
                json!({
                    "name": rule.name(),
                    "formula": rule.formula().to_string(),
                    "severity": policy.severity_of(rule).as_str(),
                    "weight": rule.weight(),
                    "description": rule.description(),
                })
            })
            .collect();
        Html {
            rules: rules.into(),
            drawn: 0,
        }
    }
}

impl Report for Html {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>AgentLTL report</title>\n<style>\n{}</style>\n<body>\n\
             <noscript>The report is drawn by a script in this file.</noscript>",
            include_str!("report.css")
        )?;
        data(out, "rules", &self.rules)
    }

    fn run(&mut self, out: &mut dyn Write, judged: Judged, met: bool) -> io::Result<()> {
        let limit = if met { DRAWN } else { DRAWN_NOT_MET };
        let picture = judged.picture.as_ref().filter(|_| self.drawn < limit);
        self.drawn += usize::from(picture.is_some());
        let results = &judged.report.constraints;
        data(
            out,
            "run",
            &Row {
                name: judged.origin.to_string(),
                score: judged.report.compliance_score,
                label: judged.report.compliance_label.as_str(),
                met,
                passed: results.iter().map(|result| result.passed).collect(),
                details: results
                    .iter()
                    .map(|result| result.detail.as_str())
                    .collect(),
                picture,
            },
        )
    }

    fn bad(&mut self, out: &mut dyn Write, error: &BadInput) -> io::Result<()> {
        data(out, "bad", &error.to_string())
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        data(out, "summary", summary)?;
        writeln!(
            out,
            "<script>\n{}</script>\n</body>\n</html>",
            include_str!("report.js")
        )
    }
}

/// Data for the script. Text in it can neither end the element nor start another.
fn data(out: &mut dyn Write, class: &str, value: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_string(value)?.replace('<', "\\u003c");
    writeln!(
        out,
        "<script type=\"application/json\" class=\"{class}\">{json}</script>"
    )
}
