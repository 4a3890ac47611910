//! The results for people: a run by itself in full, several a line each.

use std::io::{self, Write};

use agentltl::ComplianceReport;

use super::summary::Summary;
use super::{Judged, Report};
use crate::screen::{BAD, DOUBTFUL, GOOD, Plain, STRONG, WEAK};

pub(crate) struct Text {
    details: bool,
    /// The first run, until it is known whether it is the only one.
    first: Option<(Judged, bool)>,
    runs: usize,
}

impl Text {
    pub(crate) fn new(details: bool) -> Self {
        Text {
            details,
            first: None,
            runs: 0,
        }
    }

    fn line(&self, out: &mut dyn Write, judged: &Judged, met: bool) -> io::Result<()> {
        let report = &judged.report;
        let origin = judged.origin.to_string();
        if self.details {
            writeln!(out, "{STRONG}{}{STRONG:#}", Plain(&origin))?;
            return full(out, report);
        }
        let style = if met { GOOD } else { BAD };
        write!(
            out,
            "{}  {style}{:.2} {}{style:#}",
            Plain(&origin),
            report.compliance_score,
            report.compliance_label,
        )?;
        let failed: Vec<&str> = report.violated().collect();
        if !failed.is_empty() {
            write!(out, "  {}", Plain(&failed.join(", ")))?;
        }
        writeln!(out)
    }
}

impl Report for Text {
    fn run(&mut self, out: &mut dyn Write, judged: Judged, met: bool) -> io::Result<()> {
        self.runs += 1;
        if self.runs == 1 {
            self.first = Some((judged, met));
            return Ok(());
        }
        if let Some((first, met)) = self.first.take() {
            self.line(out, &first, met)?;
        }
        self.line(out, &judged, met)
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        let bad = summary.bad.len();
        if let Some((only, _)) = self.first.take() {
            writeln!(out, "run       : {}", Plain(&only.origin.to_string()))?;
            full(out, &only.report)?;
        } else if summary.runs > 1 {
            totals(out, summary)?;
        }
        if bad > 0 {
            let (runs, plural) = (summary.runs, if bad == 1 { "" } else { "s" });
            writeln!(
                out,
                "\n{DOUBTFUL}{bad} input{plural} could not be read{DOUBTFUL:#}; {runs} judged"
            )?;
        }
        Ok(())
    }
}

fn full(out: &mut dyn Write, report: &ComplianceReport) -> io::Result<()> {
    for line in report.to_string().lines() {
        // Only the marks at the start of a line are coloured, whatever else the line says.
        let (mark, style) = match line.trim_start() {
            rest if rest.starts_with("[PASS]") => ("[PASS]", GOOD),
            rest if rest.starts_with("[FAIL]") => ("[FAIL]", BAD),
            _ => ("", STRONG),
        };
        match line.split_once(mark) {
            Some((before, after)) if !mark.is_empty() => {
                writeln!(out, "{before}{style}{mark}{style:#}{}", Plain(after))?;
            }
            _ => writeln!(out, "{}", Plain(line))?,
        }
    }
    writeln!(out)
}

fn totals(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    let Summary {
        runs,
        met,
        not_met,
        min_score,
        ..
    } = summary;
    let mean = summary.mean_score.unwrap_or(1.0);
    writeln!(
        out,
        "\n{STRONG}{runs} runs{STRONG:#}: {met} reach the score {min_score}, {not_met} do not; mean score {mean:.3}",
    )?;
    let width = summary
        .constraints
        .iter()
        .map(|count| count.name.chars().count())
        .max()
        .unwrap_or(0);
    for count in &summary.constraints {
        let (violated, name) = (count.violated, Plain(&count.name));
        let style = if violated == 0 { WEAK } else { STRONG };
        writeln!(
            out,
            "  {name:width$}  {style}violated in {violated}{style:#}"
        )?;
    }
    Ok(())
}
