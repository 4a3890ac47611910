//! Text: one lexer, one parser, one printer, for the macro and the program alike.

mod error;
mod parse;
mod print;
mod resolve;

pub use error::ParseError;
pub use parse::{Parsed, parse_with};
pub use resolve::{NoHost, Resolve};
