//! Standard output and error: colour where wanted, and nothing that a trace could send to a terminal.

use std::fmt;
use std::io::{self, BufWriter, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use crate::error::Failure;

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const DOUBTFUL: Style = AnsiColor::Yellow.on_default();
pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const WEAK: Style = Style::new().dimmed();

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Where results and messages go.
pub(crate) struct Screen {
    out: BufWriter<AutoStream<StdoutLock<'static>>>,
    choice: ColorChoice,
}

impl Screen {
    pub(crate) fn new(color: Color) -> Self {
        let choice = match color {
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
            Color::Auto => AutoStream::choice(&io::stdout()),
        };
        Screen {
            out: BufWriter::new(AutoStream::new(io::stdout().lock(), choice)),
            choice: match color {
                Color::Auto => AutoStream::choice(&io::stderr()),
                _ => choice,
            },
        }
    }

    /// Standard output.
    pub(crate) fn out(&mut self) -> &mut impl Write {
        &mut self.out
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    /// A message on standard error, after what is on standard output. The text may be styled.
    pub(crate) fn report(&mut self, style: Style, label: &str, text: &str) {
        // Where not even standard error can be written, the exit code has to say it.
        let _ = self.out.flush();
        let mut err = AutoStream::new(io::stderr(), self.choice);
        let _ = writeln!(err, "{style}{label}{style:#}: {text}");
    }

    pub(crate) fn error(&mut self, text: &str) {
        self.report(BAD, "error", &Plain(text).to_string());
    }
}

/// Text from outside, without characters that a terminal would act on.
pub(crate) struct Plain<'a>(pub(crate) &'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.chars().any(is_unsafe) {
            return f.pad(self.0);
        }
        let shown: String = self
            .0
            .chars()
            .map(|c| if is_unsafe(c) { '\u{fffd}' } else { c })
            .collect();
        f.pad(&shown)
    }
}

fn is_unsafe(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        // What turns the direction of text around can show a formula as another one.
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_a_trace_do_not_reach_the_terminal() {
        let shown = Plain("a\u{1b}[31mb\r\u{202e}c\n\td").to_string();
        assert_eq!(shown, "a\u{fffd}[31mb\u{fffd}\u{fffd}c\n\td");
        assert_eq!(format!("{:5}|", Plain("ab")), "ab   |");
    }
}
