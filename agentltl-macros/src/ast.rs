//! What the user wrote, before anything of it is judged.

use agentltl_core::Severity;
use proc_macro2::{Span, TokenStream, TokenTree};

use crate::diagnostics::Place;
use crate::lints::Levels;
use crate::literal::Quoted;

/// The arguments of `constraints!`.
#[derive(Default)]
pub(crate) struct Rules {
    pub(crate) settings: Settings,
    pub(crate) rules: Vec<Rule>,
}

/// `#![..]`
#[derive(Default)]
pub(crate) struct Settings {
    pub(crate) strict: bool,
    pub(crate) default_severity: Option<Level>,
    pub(crate) tools: Option<Vec<Tool>>,
    /// `#![allow(..)]` and its kin.
    pub(crate) lints: Levels,
}

/// `#[..] name: SEVERITY = formula;`
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) severity: Option<Level>,
    pub(crate) formula: Vec<TokenTree>,
    /// The `=`, where an error goes that has no token of its own.
    pub(crate) assign: Span,
    /// Where a `;` is missing.
    pub(crate) unfinished: Option<Place>,
    pub(crate) attributes: Attributes,
}

/// `#[..]` and `/// ..`
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) description: String,
    pub(crate) repair: Option<Words>,
    pub(crate) weight: Option<Weight>,
    pub(crate) final_answer: bool,
    /// `#[allow(..)]` and its kin with lints of rustc, for the warnings of this rule.
    pub(crate) lints: TokenStream,
    /// The same with lints of policies.
    pub(crate) levels: Levels,
}

/// A severity: one of the six, or a Rust constant.
#[derive(Clone)]
pub(crate) enum Level {
    Known(Severity, Span),
    Code(Vec<TokenTree>),
    /// None of the two; that has been reported.
    Wrong,
}

impl Level {
    /// Where a warning about the severity stands: a single token.
    pub(crate) fn span(&self) -> Option<Span> {
        match self {
            Level::Known(_, span) => Some(*span),
            Level::Code(tokens) => tokens.first().map(TokenTree::span),
            Level::Wrong => None,
        }
    }
}

/// A text: a literal, or a Rust constant.
pub(crate) enum Words {
    Known(String),
    Code(Vec<TokenTree>),
}

/// A weight: a number, or a Rust constant.
pub(crate) enum Weight {
    Known(f64),
    Code(Vec<TokenTree>),
}

/// A tool of `#![tools(..)]`.
pub(crate) enum Tool {
    Known(Quoted),
    Code(Vec<TokenTree>),
}

/// A formula as it was written.
pub(crate) enum Written {
    Tokens(Vec<TokenTree>),
    Text(Quoted),
}
