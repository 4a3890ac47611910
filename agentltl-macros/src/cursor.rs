//! A walk over tokens.

use proc_macro2::{Delimiter, Group, Spacing, Span, TokenTree};

pub(crate) struct Cursor {
    tokens: Vec<TokenTree>,
    at: usize,
    /// Where the end is, for errors about it.
    end: Span,
}

impl Cursor {
    pub(crate) fn new(tokens: Vec<TokenTree>, end: Span) -> Self {
        let end = tokens.last().map_or(end, |token| match token {
            TokenTree::Group(group) => group.span_close(),
            _ => token.span(),
        });
        Cursor { tokens, at: 0, end }
    }

    pub(crate) fn peek(&self) -> Option<&TokenTree> {
        self.rest().first()
    }

    pub(crate) fn rest(&self) -> &[TokenTree] {
        &self.tokens[self.at..]
    }

    pub(crate) fn next(&mut self) -> Option<TokenTree> {
        let token = self.peek().cloned()?;
        self.at += 1;
        Some(token)
    }

    pub(crate) fn take(&mut self, count: usize) -> Vec<TokenTree> {
        let taken = self.rest()[..count].to_vec();
        self.at += count;
        taken
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.peek().is_none()
    }

    /// The next token's span; the last one's at the end.
    pub(crate) fn span(&self) -> Span {
        self.peek().map_or(self.end, TokenTree::span)
    }

    pub(crate) fn at_punct(&self, wanted: char) -> bool {
        is_punct(self.peek(), wanted)
    }

    pub(crate) fn eat_punct(&mut self, wanted: char) -> Option<Span> {
        let span = self.span();
        self.at_punct(wanted).then(|| {
            self.at += 1;
            span
        })
    }

    /// How many tokens come before the first that is `stop` on the top level.
    pub(crate) fn until(&self, stop: impl Fn(&[TokenTree], usize) -> bool) -> usize {
        let rest = self.rest();
        (0..rest.len())
            .find(|at| stop(rest, *at))
            .unwrap_or(rest.len())
    }

    /// Gives the last token back.
    pub(crate) fn back(&mut self) {
        self.at -= 1;
    }

    /// Goes on after the next `;`.
    pub(crate) fn recover(&mut self) {
        let skipped = self.until(|tokens, at| is_punct(tokens.get(at), ';'));
        self.at = (self.at + skipped + 1).min(self.tokens.len());
    }
}

pub(crate) fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

pub(crate) fn is_bracket(token: Option<&TokenTree>) -> Option<&Group> {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => Some(group),
        _ => None,
    }
}

/// Is the token at this index a `=` of its own, not part of `==`, `<=`, `=>` or the like?
pub(crate) fn is_assign(tokens: &[TokenTree], at: usize) -> bool {
    let joined = |token: Option<&TokenTree>, signs: &str| {
        matches!(token, Some(TokenTree::Punct(punct))
            if punct.spacing() == Spacing::Joint && signs.contains(punct.as_char()))
    };
    let Some(TokenTree::Punct(punct)) = tokens.get(at) else {
        return false;
    };
    let after = matches!(tokens.get(at + 1), Some(TokenTree::Punct(next))
        if "=><".contains(next.as_char()));
    punct.as_char() == '='
        && !(punct.spacing() == Spacing::Joint && after)
        && !(at > 0 && joined(tokens.get(at - 1), "=<>!"))
}

/// The token inside a fragment of a `macro_rules!` macro that holds just one.
pub(crate) fn peel(mut token: TokenTree) -> TokenTree {
    while let TokenTree::Group(group) = &token {
        if group.delimiter() != Delimiter::None {
            break;
        }
        let mut inner = group.stream().into_iter();
        match (inner.next(), inner.next()) {
            (Some(only), None) => token = only,
            _ => break,
        }
    }
    token
}

/// What an error calls the token.
pub(crate) fn describe(token: Option<&TokenTree>) -> String {
    match token {
        None => "the end".to_owned(),
        Some(TokenTree::Group(group)) => match group.delimiter() {
            Delimiter::Parenthesis => "`(`".to_owned(),
            Delimiter::Brace => "`{`".to_owned(),
            Delimiter::Bracket => "`[`".to_owned(),
            Delimiter::None => "a macro fragment".to_owned(),
        },
        Some(token) => {
            let text: String = token.to_string().chars().take(60).collect();
            format!("`{text}`")
        }
    }
}
