//! The parser.

use std::ops::Range;
use std::str::FromStr;

use super::{NoHost, ParseError, Resolve};
use crate::formula::Formula;

/// A formula and where its nodes stand in the text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Parsed {
    /// The formula.
    pub formula: Formula,
    /// For each node, by its index in [`Formula::nodes`], the byte range of the whole subformula.
    pub spans: Vec<Range<usize>>,
}

/// Reads a formula, asking `host` what the Rust paths in it stand for.
///
/// # Errors
/// The first place where the text is not a formula.
pub fn parse_with(text: &str, host: &mut dyn Resolve) -> Result<Parsed, ParseError> {
    let _ = (text, host);
    Err(ParseError {
        range: 0..0,
        message: String::new(),
        help: None,
    })
}

impl Formula {
    /// Reads a formula in which no Rust path stands.
    ///
    /// # Errors
    /// The first place where the text is not a formula.
    pub fn parse(text: &str) -> Result<Formula, ParseError> {
        parse_with(text, &mut NoHost).map(|parsed| parsed.formula)
    }
}

impl FromStr for Formula {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        Formula::parse(text)
    }
}
