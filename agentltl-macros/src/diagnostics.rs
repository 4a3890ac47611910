//! Errors at the user's tokens.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// A stretch of the user's tokens: from the first to the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) first: Span,
    pub(crate) last: Span,
}

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        Place {
            first: span,
            last: span,
        }
    }
}

impl Place {
    /// From the first to the last of the tokens; `empty` where there is none.
    pub(crate) fn of(tokens: &[TokenTree], empty: Span) -> Self {
        match tokens {
            [] => empty.into(),
            [first, .., last] => Place {
                first: first.span(),
                last: last.span(),
            },
            [only] => only.span().into(),
        }
    }
}

/// An error: where, what is wrong, and what would be right.
#[derive(Clone, Debug)]
pub(crate) struct Diagnostic {
    pub(crate) place: Place,
    pub(crate) message: String,
}

impl Diagnostic {
    pub(crate) fn new(place: impl Into<Place>, message: impl Into<String>) -> Self {
        Diagnostic {
            place: place.into(),
            message: message.into(),
        }
    }

    pub(crate) fn with_help(mut self, help: impl AsRef<str>) -> Self {
        self.message.push_str("\nhelp: ");
        self.message.push_str(help.as_ref());
        self
    }

    /// The error as an item that makes rustc report it. There is no joined span on stable Rust, but
    /// rustc joins the spans of a macro call's path and of its arguments.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        let Place { first, last } = self.place;
        let colon = |spacing| {
            let mut colon = Punct::new(':', spacing);
            colon.set_span(first);
            TokenTree::from(colon)
        };
        let word = |name| TokenTree::from(Ident::new(name, first));
        let mut bang = Punct::new('!', Spacing::Alone);
        bang.set_span(first);
        let mut text = Literal::string(&self.message);
        text.set_span(last);
        let mut group = Group::new(Delimiter::Brace, TokenTree::from(text).into());
        group.set_span(last);
        TokenStream::from_iter([
            colon(Spacing::Joint),
            colon(Spacing::Alone),
            word("core"),
            colon(Spacing::Joint),
            colon(Spacing::Alone),
            word("compile_error"),
            bang.into(),
            group.into(),
        ])
    }
}
