//! The parser's error.

use std::fmt;
use std::fmt::Write as _;
use std::ops::Range;

/// Why a text is not a formula: where, what is wrong, and what would be right.
///
/// ```
/// use agentltl_core::Formula;
/// let text = r#"before("a", "b") & calld("c")"#;
/// let error = Formula::parse(text).unwrap_err();
/// assert_eq!(&text[error.range.clone()], "calld");
/// assert_eq!(error.help.as_deref(), Some("did you mean `called`?"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseError {
    /// The byte range in the text that is at fault; empty at the end of the text.
    pub range: Range<usize>,
    /// What is wrong, in words: ``expected a formula, found `)` ``.
    pub message: String,
    /// What would be right, where that can be said: ``did you mean `called`? ``.
    pub help: Option<String>,
}

impl ParseError {
    /// An error about a part of a text, for what is found out after parsing.
    ///
    /// ```
    /// use agentltl_core::ParseError;
    /// let error = ParseError::new(7..10, "unknown tool");
    /// assert!(error.render("called(\"x\")").starts_with("unknown tool\n1 | called(\"x\")"));
    /// ```
    #[must_use]
    pub fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        ParseError {
            range,
            message: message.into(),
            help: None,
        }
    }

    /// The error with a help; one that is already there stays, as it was closer to the place.
    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help.get_or_insert_with(|| help.into());
        self
    }

    /// The error for people: the message, the line of `text` it is about with a mark under the exact
    /// characters, and the help. `text` is the text that was parsed; of a long line the part around
    /// the place is shown.
    ///
    /// ```
    /// use agentltl_core::Formula;
    /// let text = "called(\"a\") and now(\"b\")";
    /// let error = Formula::parse(text).unwrap_err();
    /// assert_eq!(
    ///     error.render(text),
    ///     "expected an operator or the end of the formula, found `and`
    /// 1 | called(\"a\") and now(\"b\")
    ///   |             ^^^
    /// help: `and` is written `&`"
    /// );
    /// ```
    #[must_use]
    pub fn render(&self, text: &str) -> String {
        let excerpt = Excerpt::of(text, &self.range);
        let mut out = self.message.clone();
        let number = excerpt.number.to_string();
        let _ = write!(out, "\n{number} | {}", excerpt.line);
        let _ = write!(
            out,
            "\n{:number$} | {:before$}{}",
            "",
            "",
            "^".repeat(excerpt.width),
            number = number.len(),
            before = excerpt.before,
        );
        if let Some(help) = &self.help {
            let _ = write!(out, "\nhelp: {help}");
        }
        out
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.range;
        write!(f, "{start}..{end}: {}", self.message)?;
        self.help
            .iter()
            .try_for_each(|help| write!(f, "; help: {help}"))
    }
}

impl std::error::Error for ParseError {}

/// The part of a line around a place.
struct Excerpt {
    /// The line's number, from 1.
    number: usize,
    /// What is shown of the line.
    line: String,
    /// How many columns are before the mark, and how many the mark has.
    before: usize,
    width: usize,
}

/// How many characters are shown before the place, and how many from it on.
const SHOWN: (usize, usize) = (60, 60);

impl Excerpt {
    fn of(text: &str, range: &Range<usize>) -> Self {
        let start = text.floor_char_boundary(range.start);
        let end = text.floor_char_boundary(range.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let (head, tail) = (&text[line_start..start], &text[start..line_end]);
        let marked = &text[start..end.min(line_end)];

        let from = head
            .char_indices()
            .rev()
            .nth(SHOWN.0)
            .map_or(0, |(at, c)| at + c.len_utf8());
        let to = tail
            .char_indices()
            .nth(SHOWN.1)
            .map_or(tail.len(), |(at, _)| at);
        let mut line = String::new();
        if from > 0 {
            line.push('…');
        }
        shown(&head[from..], &mut line);
        let before = line.chars().count();
        shown(&marked[..marked.len().min(to)], &mut line);
        let width = (line.chars().count() - before).max(1);
        shown(&tail[marked.len().min(to)..to], &mut line);
        if to < tail.len() {
            line.push('…');
        }
        Excerpt {
            number: 1 + text[..start].matches('\n').count(),
            line,
            before,
            width,
        }
    }
}

/// Appends what can be shown in one line: tabs as blanks, no other control characters.
fn shown(part: &str, line: &mut String) {
    for c in part.chars() {
        match c {
            '\t' => line.push_str("    "),
            '\r' => {}
            c if c.is_control() => line.push(char::REPLACEMENT_CHARACTER),
            c => line.push(c),
        }
    }
}
