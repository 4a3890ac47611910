//! The token form of a formula: tokens to text, and the places of the text back to tokens.
//!
//! The text is what the one parser reads; it is never shown. Rust paths in it stand for the tokens
//! that the user wrote, which go to rustc unchanged.

use std::ops::Range;

use proc_macro2::{Delimiter, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

use crate::diagnostics::{Diagnostic, Place};
use crate::literal;

/// The text of a token form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    pub(crate) text: String,
    pieces: Vec<Piece>,
}

/// A token, or the tokens of a Rust path.
#[derive(Clone, Debug)]
struct Piece {
    range: Range<usize>,
    place: Place,
    /// What goes to rustc: for words and paths.
    path: Option<TokenStream>,
}

impl Source {
    /// The tokens that a part of the text stands for; at the end of the text, the last token.
    pub(crate) fn place(&self, range: &Range<usize>) -> Option<Place> {
        let first = self
            .pieces
            .partition_point(|piece| piece.range.end <= range.start)
            .min(self.pieces.len().checked_sub(1)?);
        let last = self
            .pieces
            .partition_point(|piece| piece.range.start < range.end)
            .saturating_sub(1)
            .max(first);
        Some(Place {
            first: self.pieces[first].place.first,
            last: self.pieces[last].place.last,
        })
    }

    /// The tokens of the Rust path that stands at a part of the text.
    pub(crate) fn path(&self, range: &Range<usize>) -> Option<&TokenStream> {
        let at = self
            .pieces
            .partition_point(|piece| piece.range.start < range.start);
        self.pieces.get(at)?.path.as_ref()
    }

    /// Every whole path of more than one segment, whatever it stands for.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&str, &TokenStream)> {
        self.pieces.iter().filter_map(|piece| {
            let text = &self.text[piece.range.clone()];
            let whole = text.contains("::") && !text.ends_with(':');
            whole.then_some(text).zip(piece.path.as_ref())
        })
    }
}

/// Renders tokens. Each token that cannot stand in a formula is an error; nothing else is checked.
pub(crate) fn render(tokens: Vec<TokenTree>, errors: &mut Vec<Diagnostic>) -> Option<Source> {
    let mut renderer = Renderer {
        source: Source::default(),
        glue: Glue::Any,
        refused: false,
        errors,
    };
    renderer.run(tokens);
    let refused = renderer.refused;
    (!refused).then_some(renderer.source)
}

struct Renderer<'e> {
    source: Source,
    glue: Glue,
    refused: bool,
    errors: &'e mut Vec<Diagnostic>,
}

/// What may follow the last token without a blank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Glue {
    /// Anything: the start, or an opening bracket.
    Any,
    /// Punctuation: it was joined to the last token.
    Punct,
    /// A word or literal: the sign before it is part of it.
    Operand,
    Nothing,
}

/// A group that is being rendered.
struct Frame {
    tokens: Vec<TokenTree>,
    at: usize,
    close: Option<(&'static str, Span)>,
}

impl Renderer<'_> {
    /// An explicit stack: rustc takes nesting that would overflow the stack here.
    fn run(&mut self, tokens: Vec<TokenTree>) {
        let mut stack = vec![Frame {
            tokens,
            at: 0,
            close: None,
        }];
        while let Some(frame) = stack.last_mut() {
            let rest = &frame.tokens[frame.at..];
            let Some(token) = rest.first() else {
                if let Some((close, span)) = frame.close {
                    self.push(close, span.into(), None, Glue::Nothing);
                }
                stack.pop();
                continue;
            };
            let path = path_length(rest, self.may_be_qualified());
            if path > 0 {
                self.path(&rest[..path]);
                frame.at += path;
                continue;
            }
            match token {
                TokenTree::Group(group) => {
                    frame.at += 1;
                    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                    let brackets = match group.delimiter() {
                        Delimiter::Parenthesis => Some(("(", ")")),
                        Delimiter::Bracket => Some(("[", "]")),
                        Delimiter::Brace => Some(("{", "}")),
                        // A fragment of a `macro_rules!` macro: what it holds stays together.
                        Delimiter::None if is_one(&tokens) => None,
                        Delimiter::None => Some(("(", ")")),
                    };
                    let close = brackets.map(|(open, close)| {
                        self.push(open, group.span_open().into(), None, Glue::Any);
                        (close, group.span_close())
                    });
                    stack.push(Frame {
                        tokens,
                        at: 0,
                        close,
                    });
                }
                TokenTree::Ident(ident) => {
                    self.word(ident);
                    frame.at += 1;
                }
                TokenTree::Literal(literal) => {
                    self.literal(literal);
                    frame.at += 1;
                }
                TokenTree::Punct(punct) => frame.at += self.punct(punct, &rest[1..]),
            }
        }
    }

    fn push(&mut self, text: &str, place: Place, path: Option<TokenStream>, glue: Glue) {
        let joins = match self.glue {
            Glue::Any => true,
            Glue::Punct => text.starts_with(|c: char| c.is_ascii_punctuation() && c != '"'),
            Glue::Operand => text.starts_with(|c: char| c.is_alphanumeric() || c == '_'),
            Glue::Nothing => false,
        } || matches!(text, ")" | "]" | "}" | ",");
        if !joins {
            self.source.text.push(' ');
        }
        let start = self.source.text.len();
        self.source.text.push_str(text);
        self.source.pieces.push(Piece {
            range: start..self.source.text.len(),
            place,
            path,
        });
        self.glue = glue;
    }

    fn refuse(&mut self, error: literal::Refused) {
        self.refused = true;
        self.errors.extend(error);
    }

    fn word(&mut self, ident: &Ident) {
        let name = ident.to_string();
        let tokens = TokenTree::from(ident.clone()).into();
        let name = name.strip_prefix("r#").unwrap_or(&name);
        self.push(name, ident.span().into(), Some(tokens), Glue::Nothing);
    }

    fn literal(&mut self, literal: &Literal) {
        let text = if literal::is_number(literal) {
            literal::number(literal)
        } else {
            literal::string(literal).map(|quoted| quote(&quoted.value))
        };
        match text {
            Ok(text) => self.push(&text, literal.span().into(), None, Glue::Nothing),
            Err(error) => self.refuse(error),
        }
    }

    /// Returns how many tokens it took.
    fn punct(&mut self, punct: &Punct, rest: &[TokenTree]) -> usize {
        match (punct.as_char(), rest.first()) {
            ('\'', Some(TokenTree::Ident(name))) => {
                let place = Place {
                    first: punct.span(),
                    last: name.span(),
                };
                let name = name.to_string();
                self.refuse(Some(
                    Diagnostic::new(place, "a string is written in double quotes")
                        .with_help(format!("write \"{name}\"")),
                ));
                2
            }
            ('#', Some(TokenTree::Group(group))) if group.delimiter() == Delimiter::Bracket => {
                let place = Place {
                    first: punct.span(),
                    last: group.span_close(),
                };
                self.refuse(Some(
                    Diagnostic::new(place, "an attribute or doc comment inside a formula")
                        .with_help(
                            "comment with `//` here; attributes stand before the constraint",
                        ),
                ));
                2
            }
            (sign, _) => {
                let glue = match (punct.spacing(), sign) {
                    (Spacing::Joint, _) => Glue::Punct,
                    (Spacing::Alone, '-' | '?' | '@') => Glue::Operand,
                    (Spacing::Alone, _) => Glue::Nothing,
                };
                self.push(
                    sign.encode_utf8(&mut [0; 4]),
                    punct.span().into(),
                    None,
                    glue,
                );
                1
            }
        }
    }

    fn path(&mut self, tokens: &[TokenTree]) {
        let place = Place::of(tokens, Span::call_site());
        let text = path_text(tokens);
        let tokens = tokens.iter().cloned().collect();
        self.push(&text, place, Some(tokens), Glue::Nothing);
    }

    /// Could `<` start `<T as Tool>::NAME` here, rather than compare?
    fn may_be_qualified(&self) -> bool {
        let text = self.source.text.trim_end();
        text.ends_with(['(', '[', ',']) || text.ends_with(" in")
    }
}

/// A string of the formula language.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// Do the tokens of a fragment read as one operand, so that no parentheses are needed?
fn is_one(tokens: &[TokenTree]) -> bool {
    match tokens {
        [] | [_] => true,
        [TokenTree::Punct(sign), TokenTree::Literal(_)] => sign.as_char() == '-',
        _ => path_length(tokens, true) == tokens.len(),
    }
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

fn is_separator(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [TokenTree::Punct(a), TokenTree::Punct(b), ..]
        if a.as_char() == ':' && b.as_char() == ':' && a.spacing() == Spacing::Joint)
}

/// How many tokens a Rust path with `::` has that starts here; 0 where none does.
fn path_length(tokens: &[TokenTree], qualified: bool) -> usize {
    let mut at = 0;
    let mut separators = 0;
    if is_separator(tokens) {
        (at, separators) = (2, 1);
    } else if qualified && is_punct(tokens.first(), '<') {
        let Some(TokenTree::Ident(_) | TokenTree::Group(_)) = tokens.get(1) else {
            return 0;
        };
        let close = generics_length(tokens);
        if close == 0 || !is_separator(&tokens[close..]) {
            return 0;
        }
        (at, separators) = (close + 2, 1);
    }
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(_)) => at += 1,
            // A `$t:ty` or `$p:path` in front of `::NAME`.
            Some(TokenTree::Group(group))
                if at == 0
                    && group.delimiter() == Delimiter::None
                    && is_separator(&tokens[1..]) =>
            {
                at += 1;
            }
            Some(TokenTree::Punct(_)) if separators > 0 => {
                let generics = generics_length(&tokens[at..]);
                if generics == 0 {
                    break;
                }
                at += generics;
            }
            _ => break,
        }
        if !is_separator(&tokens[at..]) {
            break;
        }
        at += 2;
        separators += 1;
    }
    if separators == 0 { 0 } else { at }
}

/// How many tokens `<..>` has; 0 where it is none.
fn generics_length(tokens: &[TokenTree]) -> usize {
    if !is_punct(tokens.first(), '<') {
        return 0;
    }
    let mut open = 0_usize;
    let mut arrow = false;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Punct(punct) => {
                match punct.as_char() {
                    '<' => open += 1,
                    '>' if !arrow => open -= 1,
                    ';' => return 0,
                    _ => {}
                }
                arrow = punct.as_char() == '-' && punct.spacing() == Spacing::Joint;
            }
            _ => arrow = false,
        }
        if open == 0 {
            return at + 1;
        }
    }
    0
}

/// The path as the formula's text names it: without generics, `<T as Tool>` as `T`.
fn path_text(tokens: &[TokenTree]) -> String {
    let mut text = String::new();
    let mut at = 0;
    if is_punct(tokens.first(), '<') {
        let end = generics_length(tokens);
        let subject: TokenStream = tokens[1..end - 1]
            .iter()
            .take_while(|token| !matches!(token, TokenTree::Ident(word) if *word == "as"))
            .cloned()
            .collect();
        text = as_name(&subject);
        at = end;
    }
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                text.push_str(name.strip_prefix("r#").unwrap_or(&name));
                at += 1;
            }
            TokenTree::Group(group) => {
                text.push_str(&as_name(&group.stream()));
                at += 1;
            }
            TokenTree::Punct(punct) if punct.as_char() == '<' => {
                at += generics_length(&tokens[at..]).max(1);
                // `check::<T>` is `check`.
                text.truncate(text.trim_end_matches(':').len());
            }
            _ => {
                text.push_str("::");
                at += 2;
            }
        }
    }
    text
}

/// The tokens of a type as one word or path.
fn as_name(tokens: &TokenStream) -> String {
    let text: String = tokens
        .to_string()
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let is_path = text.split("::").all(|segment| {
        !segment.is_empty() && segment.chars().all(|c| c == '_' || c.is_alphanumeric())
    });
    if is_path {
        return text;
    }
    let word: String = text
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect();
    format!("_{word}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn text(tokens: &str) -> String {
        let tokens: TokenStream = tokens.parse().unwrap();
        let mut errors = Vec::new();
        let source = render(tokens.into_iter().collect(), &mut errors);
        assert!(errors.is_empty(), "{errors:?}");
        source.unwrap().text
    }

    #[test]
    fn tokens_keep_their_meaning() {
        assert_eq!(text("a->b"), "a -> b");
        assert_eq!(text("a - > b"), "a - > b");
        assert_eq!(text("called_n(\"x\", <= -2)"), "called_n (\"x\", <= -2)");
        assert_eq!(text("k=?f"), "k =?f");
        assert_eq!(text("@2(!!a)"), "@2 (!! a)");
        assert_eq!(text(r##"called(r#"a"b\"#)"##), r#"called ("a\"b\\")"#);
        assert_eq!(text("forall x in a::b: c"), "forall x in a::b : c");
    }

    #[test]
    fn paths_stand_for_their_tokens() {
        assert_eq!(text("called(::a::B)"), "called (::a::B)");
        assert_eq!(
            text("called(<Deploy as Tool>::NAME)"),
            "called (Deploy::NAME)"
        );
        assert_eq!(
            text("called(<Vec<u8> as Tool>::NAME)"),
            "called (_Vec_u8_::NAME)"
        );
        assert_eq!(text("predicate(check::<fn() -> u8>)"), "predicate (check)");
        assert_eq!(text("predicate(a::<u8>::check)"), "predicate (a::check)");
        assert_eq!(text("called_n(A::B, < 2)"), "called_n (A::B, < 2)");
    }
}
