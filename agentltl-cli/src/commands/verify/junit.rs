//! The results as JUnit XML: a test suite a run, a test case a rule.

use std::fmt;
use std::io::{self, Write};

use super::summary::Summary;
use super::{Judged, Report};
use crate::error::BadInput;

pub(crate) struct Junit;

impl Report for Junit {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
        writeln!(out, r#"<testsuites name="agentltl">"#)
    }

    fn run(&mut self, out: &mut dyn Write, judged: Judged, met: bool) -> io::Result<()> {
        let name = judged.origin.to_string();
        let results = &judged.report.constraints;
        // A run that reaches the score has passed, whichever rules it violates: those are skipped
        // with the reason, so that they show and do not fail the build.
        let violated = judged.report.violated().count();
        let (failures, skipped) = if met { (0, violated) } else { (violated, 0) };
        writeln!(
            out,
            r#"  <testsuite name="{}" tests="{}" failures="{failures}" errors="0" skipped="{skipped}">"#,
            Xml(&name),
            results.len(),
        )?;
        writeln!(
            out,
            r#"    <properties><property name="compliance_score" value="{}"/></properties>"#,
            judged.report.compliance_score,
        )?;
        for result in results {
            write!(
                out,
                r#"    <testcase name="{}" classname="{}""#,
                Xml(&result.name),
                Xml(&name)
            )?;
            let detail = Xml(&result.detail);
            if result.passed {
                writeln!(out, "/>")?;
            } else if met {
                writeln!(out, r#"><skipped message="{detail}"/></testcase>"#)?;
            } else {
                let repair = Xml(&result.repair);
                writeln!(
                    out,
                    r#"><failure message="{detail}" type="violation">{repair}</failure></testcase>"#
                )?;
            }
        }
        writeln!(out, "  </testsuite>")
    }

    fn bad(&mut self, out: &mut dyn Write, error: &BadInput) -> io::Result<()> {
        let name = &error.source;
        let text = error.to_string();
        writeln!(
            out,
            r#"  <testsuite name="{0}" tests="1" failures="0" errors="1"><testcase name="read" classname="{0}"><error message="{1}" type="input"/></testcase></testsuite>"#,
            Xml(name),
            Xml(&text),
        )
    }

    fn end(&mut self, out: &mut dyn Write, _summary: &Summary) -> io::Result<()> {
        writeln!(out, "</testsuites>")
    }
}

/// Text in XML. XML 1.0 has no way to write most control characters.
struct Xml<'a>(&'a str);

impl fmt::Display for Xml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                '"' => f.write_str("&quot;")?,
                '\n' => f.write_str("&#10;")?,
                '\t' => f.write_str("&#9;")?,
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                    f.write_str("\u{fffd}")?;
                }
                c => fmt::Write::write_char(f, c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Xml;

    #[test]
    fn nothing_breaks_out() {
        assert_eq!(
            Xml("a<b>\"&\u{1b}\n'").to_string(),
            "a&lt;b&gt;&quot;&amp;\u{fffd}&#10;'"
        );
    }
}
