//! The results as one JSON object.

use std::io::{self, Write};

use agentltl::ComplianceReport;
use serde::Serialize;

use super::summary::Summary;
use super::{Judged, Report};
use crate::input::Origin;

#[derive(Default)]
pub(crate) struct Json {
    runs: usize,
}

#[derive(Serialize)]
struct Run<'a> {
    #[serde(flatten)]
    origin: &'a Origin,
    met: bool,
    #[serde(flatten)]
    report: &'a ComplianceReport,
}

impl Report for Json {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\n\"runs\": [")
    }

    fn run(&mut self, out: &mut dyn Write, judged: Judged, met: bool) -> io::Result<()> {
        let comma = if self.runs == 0 { "" } else { "," };
        self.runs += 1;
        write!(out, "{comma}\n  ")?;
        let run = Run {
            origin: &judged.origin,
            met,
            report: &judged.report,
        };
        Ok(serde_json::to_writer(&mut *out, &run)?)
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        write!(out, "\n],\n\"errors\": ")?;
        serde_json::to_writer(&mut *out, &summary.bad)?;
        write!(out, ",\n\"summary\": ")?;
        serde_json::to_writer(&mut *out, summary)?;
        writeln!(out, "\n}}")
    }
}
