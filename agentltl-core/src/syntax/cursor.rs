//! A place in the text: the token there, and the errors about it.

use std::ops::Range;

use super::ParseError;
use super::lexer::{Kind, Lexer, Token, unescape};
use super::words;
use crate::text::Text;

pub(super) struct Cursor<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    token: Token,
    last: Token,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut lexer = Lexer::new(text);
        let token = lexer.next();
        let last = Token {
            kind: Kind::End,
            start: 0,
            end: 0,
        };
        Cursor {
            text,
            lexer,
            token,
            last,
        }
    }

    /// The token here.
    pub(super) fn token(&self) -> Token {
        self.token
    }

    /// Is the token here of that kind?
    pub(super) fn at(&self, kind: Kind) -> bool {
        self.token.kind == kind
    }

    /// The word here.
    pub(super) fn word(&self) -> Option<&'t str> {
        self.at(Kind::Word).then(|| self.slice(self.token))
    }

    /// Is this keyword here?
    pub(super) fn at_word(&self, keyword: &str) -> bool {
        self.word()
            .is_some_and(|word| word.eq_ignore_ascii_case(keyword))
    }

    /// The end of the token before this one.
    pub(super) fn last_end(&self) -> usize {
        self.last.end
    }

    pub(super) fn slice(&self, token: Token) -> &'t str {
        &self.text[token.start..token.end]
    }

    /// Goes past the token here and returns it.
    pub(super) fn advance(&mut self) -> Token {
        self.last = self.token;
        self.token = self.lexer.next();
        self.last
    }

    /// Goes past the token here if it is of that kind.
    pub(super) fn eat(&mut self, kind: Kind) -> bool {
        let here = self.at(kind);
        if here {
            self.advance();
        }
        here
    }

    /// Goes past a token of that kind, or says that `what` was expected.
    pub(super) fn expect(&mut self, kind: Kind, what: &str) -> Result<Token, ParseError> {
        if self.at(kind) {
            Ok(self.advance())
        } else {
            Err(self.unexpected(what))
        }
    }

    /// A string, or the error that `what` was expected.
    pub(super) fn string(&mut self, what: &str) -> Result<Text, ParseError> {
        let token = self.expect(Kind::Str, what)?;
        Ok(self.content(token))
    }

    /// What a string token says.
    pub(super) fn content(&self, token: Token) -> Text {
        unescape(self.slice(token)).into()
    }

    /// A name or string: what a key or a variable is written as.
    pub(super) fn key(&mut self, what: &str) -> Result<(Text, Range<usize>), ParseError> {
        let token = self.token;
        let key = match token.kind {
            Kind::Word => Text::from(self.slice(token)),
            Kind::Str => self.content(token),
            _ => return Err(self.unexpected(what)),
        };
        self.advance();
        Ok((key, token.start..token.end))
    }

    /// INT, or the error that `what` was expected.
    pub(super) fn int(&mut self, what: &str) -> Result<i64, ParseError> {
        let start = self.token.start;
        let minus = self.eat(Kind::Minus);
        let token = self.expect(Kind::Int, what)?;
        let digits = self.slice(token);
        let number = if minus {
            format!("-{digits}").parse()
        } else {
            digits.parse()
        };
        number.map_err(|_| {
            ParseError::new(
                start..token.end,
                format!("{what} must lie between {} and {}", i64::MIN, i64::MAX),
            )
        })
    }

    /// The error that something else was expected here.
    pub(super) fn unexpected(&self, expected: &str) -> ParseError {
        let Token { kind, start, end } = self.token;
        let lexeme = self.slice(self.token);
        let found = match kind {
            Kind::End => "the end of the text".to_owned(),
            Kind::Unclosed => {
                // The quote that opens it is the place; the rest of the text may be long.
                return ParseError::new(
                    start..start + 1,
                    "the string that starts here has no closing quote",
                )
                .with_help("end it with `\"`; a quote inside a string is written `\\\"`");
            }
            Kind::Str => format!("the string {}", clip(lexeme)),
            _ => format!("`{}`", clip(lexeme)),
        };
        let error = ParseError::new(start..end, format!("expected {expected}, found {found}"));
        let sticks = self.last.kind == Kind::Str && self.last.end == start;
        if sticks && matches!(kind, Kind::Word | Kind::Int | Kind::Str) {
            return error.with_help(format!(
                "the string {} ends here; is a quote missing before?",
                clip(self.slice(self.last))
            ));
        }
        match words::mistake(kind, lexeme) {
            Some(help) => error.with_help(help),
            None => error,
        }
    }
}

/// The text, or its beginning where it is long.
pub(super) fn clip(text: &str) -> String {
    const LONGEST: usize = 40;
    let line = text.lines().next().unwrap_or(text);
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None if line.len() < text.len() => format!("{line}…"),
        None => line.to_owned(),
    }
}
