//! The macros of AgentLTL: `constraints!` and `formula!`. Use them through the crate `agentltl`.
//!
//! They are a thin skin over `agentltl-core`, whose parser and classifier they run inside the
//! compiler. In the order data flows: `parse` reads the structure, `tokens` turns the tokens of a
//! formula into text and back into places, `formula` reads it, `tools` and `advice` judge it, `lints`
//! judges them together, `tables` and `expand` write the expression.

mod advice;
mod ast;
mod attributes;
mod cursor;
mod diagnostics;
mod expand;
mod formula;
mod include;
mod lints;
mod literal;
mod parse;
mod tables;
#[cfg(test)]
mod tests;
mod tokens;
mod tools;
mod words;

use proc_macro2::{TokenStream, TokenTree};

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// What `agentltl::constraints!` calls, with the path of that crate in brackets in front.
#[doc(hidden)]
#[proc_macro]
pub fn __constraints(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let (krate, tokens) = split(input.into());
    expand::constraints(&krate, tokens).into()
}

/// What `agentltl::formula!` calls, with the path of that crate in brackets in front.
#[doc(hidden)]
#[proc_macro]
pub fn __formula(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let (krate, tokens) = split(input.into());
    expand::formula(&krate, tokens).into()
}

/// The path of the crate `agentltl`, and what the user wrote.
fn split(input: TokenStream) -> (TokenStream, Vec<TokenTree>) {
    let mut tokens = input.into_iter();
    let krate = match tokens.next() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => TokenStream::new(),
    };
    (krate, tokens.collect())
}
