//! Text: one lexer, one parser, one printer, for the macro and the program alike.
//!
//! `lexer` cuts the text into tokens and `cursor` walks over them; `parse` reads operators, `arguments`
//! and `values` what stands in an atom's parentheses, with the names in `words`. `print` is the way
//! back.

mod arguments;
mod cursor;
mod error;
mod lexer;
mod parse;
mod print;
mod resolve;
mod values;
mod words;

pub use error::ParseError;
pub use parse::{MAX_NODES, Parsed, parse_with};
pub use resolve::{NoHost, Resolve};
