//! Policy files: read by their kind, and shown with the place where something is wrong.

use std::fs;
use std::io::Read;
use std::path::Path;

use agentltl::{Policy, PolicyError, PolicyProblem, Problem};
use anstyle::Style;

use crate::error::Failure;
use crate::screen::{BAD, DOUBTFUL, Plain, STRONG, Screen, WEAK};

/// How a policy is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

/// The text of a policy file.
pub(crate) struct PolicyText {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) text: String,
}

impl PolicyText {
    /// Reads a file, or standard input for `-`.
    pub(crate) fn load(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let bytes = if name == "-" {
            let mut bytes = Vec::new();
            std::io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .map(|_| bytes)
        } else {
            fs::read(path)
        };
        let bytes =
            bytes.map_err(|error| Failure::Input(format!("{name}: cannot be read: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
            Failure::Input(format!("{name}:{line}: not UTF-8"))
        })?;
        let text = text
            .strip_prefix('\u{feff}')
            .map_or_else(|| text.clone(), str::to_owned);
        // A policy in TOML cannot start with a brace, and one in JSON starts with nothing else.
        let kind = match path.extension().and_then(|ending| ending.to_str()) {
            Some("toml") => Kind::Toml,
            Some("json") => Kind::Json,
            _ if text.trim_start().starts_with('{') => Kind::Json,
            _ => Kind::Toml,
        };
        Ok(PolicyText { name, kind, text })
    }

    pub(crate) fn parse(&self) -> Result<Policy, PolicyError> {
        match self.kind {
            Kind::Toml => Policy::from_toml(&self.text),
            Kind::Json => Policy::from_json(&self.text),
        }
    }

    /// The line and column of the formula of each rule of the policy that the text is.
    pub(crate) fn places(&self) -> Vec<(usize, usize)> {
        let places = match self.kind {
            Kind::Toml => Policy::__from_toml_with_places(&self.text),
            Kind::Json => Policy::__from_json_with_places(&self.text),
        };
        let places = places.map(|(_, places)| places).unwrap_or_default();
        places.iter().map(|at| (at.line, at.column)).collect()
    }

    /// Shows each rule whose class does not suit its severity; is there one?
    pub(crate) fn show_mismatches(
        &self,
        policy: &Policy,
        is_error: bool,
        screen: &mut Screen,
    ) -> bool {
        let (style, label) = if is_error {
            (BAD, "error")
        } else {
            (DOUBTFUL, "warning")
        };
        let mut found = false;
        for message in policy
            .classify()
            .into_iter()
            .filter_map(|report| report.message)
        {
            found = true;
            let name = Plain(&self.name);
            let text = format!("{}\n  {WEAK}-->{WEAK:#} {name}", Plain(&message));
            screen.report(style, label, &text);
        }
        found
    }

    /// Shows each problem with its place.
    pub(crate) fn show(&self, error: &PolicyError, screen: &mut Screen) {
        for problem in error.problems() {
            screen.report(BAD, "error", &self.render(problem));
        }
    }

    /// A problem with file, line, column and a mark under the place.
    fn render(&self, problem: &PolicyProblem) -> String {
        let (message, help, width) = match &problem.problem {
            Problem::Formula { error, .. } => {
                (error.message.clone(), error.help.clone(), error.range.len())
            }
            other => (other.to_string(), None, 0),
        };
        let about = match (&problem.constraint, &problem.problem) {
            (_, Problem::Mismatch(_)) | (None, _) => String::new(),
            (Some(name), _) => format!("constraint `{name}`: "),
        };
        let mut text = format!("{STRONG}{}{STRONG:#}", Plain(&format!("{about}{message}")));
        if let Some(position) = problem.position {
            let (line, column) = (position.line, position.column);
            let name = Plain(&self.name);
            text.push_str(&format!("\n  {WEAK}-->{WEAK:#} {name}:{line}:{column}"));
            text.push_str(&excerpt(&self.text, position.offset, width, BAD));
        } else {
            text.push_str(&format!("\n  {WEAK}-->{WEAK:#} {}", Plain(&self.name)));
        }
        if let Some(help) = help {
            text.push_str(&format!("\n  {STRONG}help{STRONG:#}: {}", Plain(&help)));
        }
        text
    }
}

/// The line of a place, marked.
fn excerpt(text: &str, offset: usize, width: usize, style: Style) -> String {
    let offset = text.floor_char_boundary(offset.min(text.len()));
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..]
        .find('\n')
        .map_or(text.len(), |at| offset + at);
    let number = 1 + text[..offset].matches('\n').count();
    let (before, after) = (&text[start..offset], text[offset..end].trim_end());
    let marked = match width {
        0 => word(after),
        width => after
            .char_indices()
            .take_while(|(at, _)| *at < width)
            .count(),
    };
    // Tabs are as wide as the terminal makes them, so they are kept in the line of marks too.
    let indent: String = before
        .chars()
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let gutter = number.to_string();
    let margin = " ".repeat(gutter.len());
    format!(
        "\n {margin} {WEAK}|{WEAK:#}\n {WEAK}{gutter} |{WEAK:#} {}\n {margin} {WEAK}|{WEAK:#} {indent}{style}{}{style:#}",
        Plain(&format!("{before}{after}")),
        "^".repeat(marked.max(1)),
    )
}

/// How many characters the word or string at the start of the text has.
fn word(text: &str) -> usize {
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => text[1..]
            .find(quote)
            .map_or(1, |at| text[..at + 2].chars().count()),
        _ => text
            .chars()
            .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
            .count(),
    }
}

/// Reads one of several policies that a command looks at; `None` where something is wrong with it,
/// which is shown: one bad file does not hide what is to be said of the others.
pub(crate) fn one_of_several(
    path: &Path,
    screen: &mut Screen,
) -> Result<Option<(PolicyText, Policy)>, Failure> {
    let text = match PolicyText::load(path) {
        Ok(text) => text,
        Err(Failure::Input(message)) => {
            screen.error(&message);
            return Ok(None);
        }
        Err(failure) => return Err(failure),
    };
    Ok(match text.parse() {
        Ok(policy) => Some((text, policy)),
        Err(error) => {
            text.show(&error, screen);
            None
        }
    })
}

/// Reads a policy that a command works with; what is wrong with it is shown.
pub(crate) fn load(path: &Path, screen: &mut Screen) -> Result<Policy, Failure> {
    let text = PolicyText::load(path)?;
    match text.parse() {
        Ok(policy) => {
            text.show_mismatches(&policy, false, screen);
            Ok(policy)
        }
        Err(error) => {
            text.show(&error, screen);
            let name = &text.name;
            Err(Failure::Input(format!("{name} is not a policy")))
        }
    }
}
