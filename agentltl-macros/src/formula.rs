//! One formula: from tokens or a string literal to what it means, with the way back to the tokens.

use std::ops::Range;

use agentltl_core::packed::Item;
use agentltl_core::{Formula, Host, Name, Node, NodeId, ParseError, Resolve, parse_with};
use proc_macro2::{Span, TokenStream, TokenTree};

use crate::ast::Written;
use crate::attributes::is_constant;
use crate::diagnostics::{Diagnostic, Place};
use crate::literal::Quoted;
use crate::parse;
use crate::tokens::{self, Source};
use crate::words::{Word, words};

/// A formula that was read.
pub(crate) struct Read {
    pub(crate) formula: Formula,
    /// For each node the bytes of its text in the origin.
    pub(crate) spans: Vec<Range<usize>>,
    pub(crate) origin: Origin,
}

/// Where a formula's text comes from.
pub(crate) enum Origin {
    Tokens(Source),
    Text(Quoted),
}

/// Reads a formula. Where it is wrong, the paths in its tokens come back all the same: rust-analyzer
/// completes them while the rest is being written.
pub(crate) fn read(
    tokens: Vec<TokenTree>,
    empty: Span,
    errors: &mut Vec<Diagnostic>,
) -> Result<Read, Vec<TokenStream>> {
    if tokens.is_empty() {
        errors.push(
            Diagnostic::new(empty, "expected a formula after this")
                .with_help("for example: before(\"search\", \"book\")"),
        );
        return Err(Vec::new());
    }
    let origin = match parse::written(tokens) {
        Ok(Written::Tokens(tokens)) => {
            let source = tokens::render(tokens, errors).ok_or_else(Vec::new)?;
            Origin::Tokens(source)
        }
        Ok(Written::Text(quoted)) => Origin::Text(quoted),
        Err(error) => {
            errors.extend(error);
            return Err(Vec::new());
        }
    };
    let parsed = match &origin {
        Origin::Tokens(source) => parse_with(&source.text, &mut InTokens),
        Origin::Text(quoted) => parse_with(&quoted.value, &mut InString),
    };
    match parsed {
        Ok(parsed) => Ok(Read {
            formula: parsed.formula,
            spans: parsed.spans,
            origin,
        }),
        Err(error) => {
            errors.push(origin.error(&error));
            Err(match &origin {
                Origin::Tokens(source) => source.paths().map(|(_, path)| path.clone()).collect(),
                Origin::Text(_) => Vec::new(),
            })
        }
    }
}

impl Origin {
    pub(crate) fn text(&self) -> &str {
        match self {
            Origin::Tokens(source) => &source.text,
            Origin::Text(quoted) => &quoted.value,
        }
    }

    /// The tokens of a part of the text.
    pub(crate) fn place(&self, range: &Range<usize>) -> Place {
        match self {
            Origin::Tokens(source) => source
                .place(range)
                .unwrap_or_else(|| Span::call_site().into()),
            Origin::Text(quoted) => quoted
                .subspan(range)
                .unwrap_or_else(|| quoted.span())
                .into(),
        }
    }

    /// The parser's error at its place; of a string, with the text, a mark under the place, and the
    /// line and column in the file.
    pub(crate) fn error(&self, error: &ParseError) -> Diagnostic {
        let place = self.place(&error.range);
        match self {
            Origin::Tokens(source) => {
                // There is a text only in here.
                let message = error.message.replace("the end of the text", "the end");
                let diagnostic = Diagnostic::new(place, message);
                let word = source.text.get(error.range.clone()).unwrap_or_default();
                let mut paths = source.paths().map(|(text, _)| text);
                let path = paths.find(|path| path.starts_with(&format!("{word}::")));
                match (path, &error.help) {
                    (Some(path), _) if !word.is_empty() => diagnostic
                        .with_help(format!("a Rust function is asked so: predicate({path})")),
                    (_, Some(help)) => diagnostic.with_help(help),
                    _ => diagnostic,
                }
            }
            Origin::Text(quoted) => {
                let mut message = error.render(&quoted.value);
                if let Some(location) = quoted.location(error.range.start) {
                    message.push_str("\nat ");
                    message.push_str(&location);
                }
                Diagnostic::new(place, message)
            }
        }
    }
}

impl Origin {
    /// An error about a part of the text that the parser has no quarrel with.
    pub(crate) fn refuse(
        &self,
        range: Range<usize>,
        message: String,
        help: Option<String>,
    ) -> Diagnostic {
        let mut error = ParseError::new(range, message);
        error.help = help;
        self.error(&error)
    }
}

impl Read {
    /// Where each tool of the formula is named, in order.
    pub(crate) fn tools(&self) -> Vec<(&Name, Range<usize>)> {
        let mut found = Vec::new();
        for (id, node) in self.formula.nodes().iter().enumerate() {
            let mut search = Search::new(self, id);
            node.tools(&mut |name| {
                let wanted = if name.is_path() {
                    Word::Name(name.as_str())
                } else {
                    Word::Text(name.as_str().to_owned())
                };
                found.push((name, search.find(&wanted)));
            });
        }
        found
    }

    /// The tokens of the Rust items of a node, asked for in the order of its fields.
    pub(crate) fn items(&self) -> Items<'_> {
        Items {
            read: self,
            search: None,
        }
    }
}

/// Finds what a node names, from left to right.
struct Search<'r> {
    read: &'r Read,
    whole: Range<usize>,
    at: usize,
}

impl<'r> Search<'r> {
    fn new(read: &'r Read, node: NodeId) -> Self {
        let whole = read.spans[node].clone();
        // `forall x in` and the names of atoms are no tools.
        let skip = match read.formula.nodes()[node] {
            Node::Forall(..) | Node::Exists(..) => 3,
            _ => 1,
        };
        let at = words(read.origin.text(), whole.clone())
            .nth(skip - 1)
            .map_or(whole.start, |(range, _)| range.end);
        Search { read, whole, at }
    }

    fn find(&mut self, wanted: &Word<'_>) -> Range<usize> {
        words(self.read.origin.text(), self.at..self.whole.end)
            .find(|(_, word)| word == wanted)
            .map_or_else(
                || self.whole.clone(),
                |(range, _)| {
                    self.at = range.end;
                    range
                },
            )
    }
}

pub(crate) struct Items<'r> {
    read: &'r Read,
    search: Option<(NodeId, Search<'r>)>,
}

impl Items<'_> {
    /// The tokens of the next item of the node.
    pub(crate) fn next(&mut self, node: NodeId, item: Item<'_>) -> Option<TokenStream> {
        let (Item::Name(path) | Item::Host(path)) = item;
        if self.search.as_ref().is_none_or(|(at, _)| *at != node) {
            self.search = Some((node, Search::new(self.read, node)));
        }
        let (_, search) = self.search.as_mut()?;
        let range = search.find(&Word::Name(path));
        match &self.read.origin {
            Origin::Tokens(source) => source.path(&range).cloned(),
            Origin::Text(_) => None,
        }
    }
}

/// Tokens: a path goes to rustc as it is.
struct InTokens;

impl Resolve for InTokens {
    fn tool(&mut self, path: &str) -> Result<Name, String> {
        if path.contains("::") || is_constant(path) {
            Ok(Name::path(path))
        } else {
            Err(format!(
                "write \"{path}\"; a constant that holds the name is written in capitals or with its path"
            ))
        }
    }

    fn predicate(&mut self, path: &str) -> Result<Host, String> {
        Ok(Host::path(path))
    }

    fn domain(&mut self, path: &str) -> Result<Host, String> {
        Ok(Host::path(path))
    }
}

/// A string: it has no tokens that rustc could resolve.
struct InString;

const NO_RUST: &str =
    "a string cannot name Rust code; write the formula without the quotes around it";

impl Resolve for InString {
    fn tool(&mut self, path: &str) -> Result<Name, String> {
        Err(format!(
            "a tool is named by a string here, such as \"{path}\"; to name a Rust constant, write the \
             formula without the quotes around it"
        ))
    }

    fn predicate(&mut self, _path: &str) -> Result<Host, String> {
        Err(NO_RUST.to_owned())
    }

    fn domain(&mut self, _path: &str) -> Result<Host, String> {
        Err(NO_RUST.to_owned())
    }
}
