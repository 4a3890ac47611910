//! The lexer: text to tokens, one at a time.

use crate::node::Cmp;

/// A token: what it is and which bytes it covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or keyword; which of the two is up to the parser.
    Word,
    /// A string with its quotes.
    Str,
    /// A string that is never closed: the rest of the text.
    Unclosed,
    /// Digits only.
    Int,
    /// Digits with a fraction or an exponent.
    Float,
    Bang,
    Amp,
    Pipe,
    Arrow,
    OpenParen,
    CloseParen,
    OpenList,
    CloseList,
    OpenObject,
    CloseObject,
    Comma,
    Colon,
    PathSep,
    Assign,
    Compare(Cmp),
    At,
    Question,
    Minus,
    /// Anything that is no token; as long as it reads as one thing, such as `=>`.
    Unknown,
    /// The end of the text.
    End,
}

/// May a name start with this?
pub(super) fn starts_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// May a name go on with this?
pub(super) fn continues_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Is the text a NAME, so that a key can be written without quotes?
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(starts_name) && text.chars().all(continues_name)
}

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

/// What is no token, and yet often written.
const MISTAKES: [&str; 7] = ["=>", "=<", "!=", "<>", "//", "/*", ":="];

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Lexer { text, at: 0 }
    }

    pub(super) fn next(&mut self) -> Token {
        self.at += self.rest().len() - self.rest().trim_start().len();
        let start = self.at;
        let (kind, len) = self.token();
        self.at += len;
        Token {
            kind,
            start,
            end: self.at,
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn token(&self) -> (Kind, usize) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return (Kind::End, 0);
        };
        if first == '"' {
            return string(rest);
        }
        if first.is_ascii_digit() {
            return number(rest);
        }
        if let Some(word) = word(rest) {
            return (Kind::Word, word);
        }
        if let Some(mistake) = MISTAKES.iter().find(|m| rest.starts_with(**m)) {
            return (Kind::Unknown, mistake.len());
        }
        const SYMBOLS: [(&str, Kind); 24] = [
            ("&&", Kind::Amp),
            ("&", Kind::Amp),
            ("||", Kind::Pipe),
            ("|", Kind::Pipe),
            ("->", Kind::Arrow),
            ("-", Kind::Minus),
            ("!", Kind::Bang),
            ("(", Kind::OpenParen),
            (")", Kind::CloseParen),
            ("[", Kind::OpenList),
            ("]", Kind::CloseList),
            ("{", Kind::OpenObject),
            ("}", Kind::CloseObject),
            (",", Kind::Comma),
            ("::", Kind::PathSep),
            (":", Kind::Colon),
            ("==", Kind::Compare(Cmp::Eq)),
            ("=", Kind::Assign),
            (">=", Kind::Compare(Cmp::Ge)),
            ("<=", Kind::Compare(Cmp::Le)),
            (">", Kind::Compare(Cmp::Gt)),
            ("<", Kind::Compare(Cmp::Lt)),
            ("@", Kind::At),
            ("?", Kind::Question),
        ];
        SYMBOLS
            .iter()
            .find(|(symbol, _)| rest.starts_with(symbol))
            .map_or_else(
                || (Kind::Unknown, unknown(rest, first)),
                |(symbol, kind)| (*kind, symbol.len()),
            )
    }
}

/// A word, `$crate` and raw identifiers included; both occur in Rust paths alone.
fn word(rest: &str) -> Option<usize> {
    let prefix = if rest.starts_with("r#") {
        2
    } else {
        usize::from(rest.starts_with('$'))
    };
    let name = &rest[prefix..];
    name.starts_with(starts_name)
        .then(|| prefix + name.find(|c| !continues_name(c)).unwrap_or(name.len()))
}

fn string(rest: &str) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let mut at = 1;
    loop {
        match bytes.get(at) {
            None => return (Kind::Unclosed, rest.len()),
            Some(b'"') => return (Kind::Str, at + 1),
            Some(b'\\') if matches!(bytes.get(at + 1), Some(b'"' | b'\\')) => at += 2,
            Some(_) => at += 1,
        }
    }
}

/// A number; what sticks to it (`1st`, `1.`, `0x1f`) makes it none.
fn number(rest: &str) -> (Kind, usize) {
    let digits = |from: usize| {
        rest[from..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len() - from)
    };
    let mut kind = Kind::Int;
    let mut len = digits(0);
    if rest[len..].starts_with('.') && digits(len + 1) > 0 {
        kind = Kind::Float;
        len += 1 + digits(len + 1);
    }
    if rest[len..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[len + 1..].starts_with(['+', '-']));
        let exponent = digits(len + 1 + sign);
        if exponent > 0 {
            kind = Kind::Float;
            len += 1 + sign + exponent;
        }
    }
    let stuck = rest[len..]
        .find(|c| c != '.' && !continues_name(c))
        .unwrap_or(rest.len() - len);
    if stuck > 0 {
        kind = Kind::Unknown;
    }
    (kind, len + stuck)
}

/// How much reads as one thing: a string in other quotes on one line, else one character.
fn unknown(rest: &str, first: char) -> usize {
    let close = match first {
        '\'' => '\'',
        '`' => '`',
        '\u{2018}' => '\u{2019}',
        '\u{201c}' => '\u{201d}',
        _ => return first.len_utf8(),
    };
    rest.char_indices()
        .skip(1)
        .take_while(|(_, c)| *c != '\n')
        .find(|(_, c)| *c == close)
        .map_or(first.len_utf8(), |(at, c)| at + c.len_utf8())
}

/// The content of a string token, escapes resolved.
pub(super) fn unescape(token: &str) -> String {
    let content = token
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(token);
    let mut text = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.chars().next() {
            Some(escaped @ ('"' | '\\')) => {
                text.push(escaped);
                rest = &rest[1..];
            }
            _ => text.push('\\'),
        }
    }
    text.push_str(rest);
    text
}
