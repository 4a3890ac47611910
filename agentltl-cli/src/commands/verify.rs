//! `agentltl verify`: scores finished runs.

mod html;
mod json;
mod junit;
mod picture;
mod summary;
mod text;

use std::fs::File;
use std::io::{self, BufWriter, Write};

use agentltl::{ComplianceReport, Policy, verify};

use crate::Outcome;
use crate::args::{ReportFormat, Verify};
use crate::commands::runs::{Each, each};
use crate::error::{BadInput, Failure};
use crate::input::{Found, Origin};
use crate::policy;
use crate::screen::Screen;
use picture::Picture;
use summary::Summary;

/// A run and how it did.
pub(crate) struct Judged {
    origin: Origin,
    report: ComplianceReport,
    /// The verdicts after each call, where they are to be shown.
    picture: Option<Picture>,
}

/// A way to write the results. What it writes goes to `out` as it comes, so that many runs take no
/// more memory than few.
trait Report {
    fn start(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    fn run(&mut self, out: &mut dyn Write, judged: Judged, met: bool) -> io::Result<()>;
    fn bad(&mut self, _out: &mut dyn Write, _error: &BadInput) -> io::Result<()> {
        Ok(())
    }
    fn end(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()>;
}

pub(crate) fn run(options: &Verify, screen: &mut Screen) -> Result<Outcome, Failure> {
    let policy = policy::load(&options.runs.policy, screen)?;
    let mut report: Box<dyn Report> = match options.format {
        ReportFormat::Text => Box::new(text::Text::new(options.details)),
        ReportFormat::Json => Box::new(json::Json::default()),
        ReportFormat::Junit => Box::new(junit::Junit),
        ReportFormat::Html => Box::new(html::Html::new(&policy)),
    };
    let mut file = match &options.output {
        None => None,
        Some(path) => {
            let file = File::create(path)
                .map_err(|error| Failure::Write(path.display().to_string(), error))?;
            // A file is no terminal.
            Some(BufWriter::new(anstream::StripStream::new(file)))
        }
    };
    let mut summary = Summary::new(&policy, options.min_score);
    let with_picture = options.format == ReportFormat::Html;
    report.start(out(&mut file, screen))?;
    each(
        &options.runs,
        screen,
        |found| judge(&policy, found, with_picture),
        |screen, result: Each<Judged>| {
            let out = out(&mut file, screen);
            match result {
                Ok(judged) => {
                    let met = summary.add(&judged.report);
                    Ok(report.run(out, judged, met)?)
                }
                Err(error) => {
                    report.bad(out, &error)?;
                    summary.bad.push(error);
                    Ok(())
                }
            }
        },
    )?;
    let out = out(&mut file, screen);
    report.end(out, &summary)?;
    out.flush()?;
    Ok(summary.outcome())
}

/// Where the report goes.
fn out<'a, W: Write>(file: &'a mut Option<W>, screen: &'a mut Screen) -> &'a mut dyn Write {
    match file {
        Some(file) => file,
        None => screen.out(),
    }
}

fn judge(policy: &Policy, found: Found, with_picture: bool) -> Judged {
    Judged {
        report: verify(policy, &found.trace),
        picture: with_picture.then(|| Picture::of(policy, &found.trace)),
        origin: found.origin,
    }
}
