//! The parser's error.

use std::fmt;
use std::ops::Range;

/// Why a text is not a formula: where, what is wrong, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseError {
    /// The byte range in the text that is at fault; empty at the end of the text.
    pub range: Range<usize>,
    /// What is wrong, in words: ``expected a formula, found `)` ``.
    pub message: String,
    /// What would be right, where something is near: ``did you mean `called`? ``.
    pub help: Option<String>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}..{}: {}",
            self.range.start, self.range.end, self.message
        )
    }
}

impl std::error::Error for ParseError {}
