//! The Rust code of a policy: tables that the packed text refers to by number.

use agentltl_core::Node;
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

/// The tables, and the items in front of them.
pub(crate) struct Tables<'k> {
    krate: &'k TokenStream,
    pub(crate) items: TokenStream,
    constants: usize,
    names: Vec<TokenStream>,
    hosts: Vec<TokenStream>,
    severities: Vec<TokenStream>,
    weights: Vec<TokenStream>,
}

/// A condition that rustc checks on a constant: a `const fn`, what it takes besides the constant, and
/// what to say where it is false.
pub(crate) struct Check {
    pub(crate) function: TokenStream,
    pub(crate) arguments: TokenStream,
    pub(crate) message: String,
}

impl Check {
    pub(crate) fn condition(&self, value: &TokenStream) -> TokenStream {
        let (function, arguments) = (&self.function, &self.arguments);
        quote!(#function(#value, #arguments))
    }
}

impl<'k> Tables<'k> {
    pub(crate) fn new(krate: &'k TokenStream) -> Self {
        Tables {
            krate,
            items: TokenStream::new(),
            constants: 0,
            names: Vec::new(),
            hosts: Vec::new(),
            severities: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// A constant that names a tool, or holds another text.
    pub(crate) fn name(&mut self, code: TokenStream, check: Option<Check>) -> usize {
        let entry = match check {
            None => code,
            Some(check) => self.checked(quote!(&'static ::core::primitive::str), code, &check),
        };
        push(&mut self.names, entry)
    }

    pub(crate) fn severity(&mut self, code: TokenStream, check: Option<Check>) -> usize {
        let entry = match check {
            None => code,
            Some(check) => {
                let krate = self.krate;
                self.checked(quote!(#krate::Severity), code, &check)
            }
        };
        push(&mut self.severities, entry)
    }

    pub(crate) fn weight(&mut self, code: TokenStream, check: &Check) -> usize {
        let entry = self.checked(quote!(::core::primitive::f64), code, check);
        push(&mut self.weights, entry)
    }

    /// The function of a `predicate(..)` or of a quantifier's domain.
    pub(crate) fn host(&mut self, node: &Node, name: &str, code: &TokenStream) -> usize {
        let krate = self.krate;
        // At the path: that is where a wrong type belongs. Not the user's own code, though, for lints.
        let span = located(code);
        let function = if matches!(node, Node::Predicate { .. }) {
            quote_spanned! {span=>
                #krate::PredicateFn::from_static(
                    &|calls: &[#krate::ToolCall], position: ::core::primitive::usize|
                        -> #krate::Answer { ::core::convert::Into::into(#code(calls, position)) }
                )
            }
        } else {
            quote_spanned! {span=>
                #krate::DomainFn::try_from_static(
                    &|calls: &[#krate::ToolCall]| -> #krate::__private::Entities {
                        // By a name that stands at the path: rustc joins the spans of what it blames.
                        use #krate::DomainResult as __DomainResult;
                        __DomainResult::into_entities(#code(calls))
                    }
                )
            }
        };
        push(
            &mut self.hosts,
            quote_spanned!(span=> #krate::Host::from_static(#name, const { &#function })),
        )
    }

    /// The table entry for a constant that rustc has to check.
    fn checked(&mut self, kind: TokenStream, code: TokenStream, check: &Check) -> TokenStream {
        let span = located(&code);
        let message = &check.message;
        if in_generics(&code) {
            let condition = check.condition(&quote_spanned!(span=> value));
            return quote_spanned! {span=> {
                let value: #kind = #code;
                ::core::assert!(#condition, "{}", #message);
                value
            }};
        }
        // An item is checked wherever it stands; a constant block in a function only when code is
        // generated for it.
        let name = self.constant(&kind, &code);
        self.assert(span, &check.condition(&name), message);
        name
    }

    /// An item with the value of the code, so that rustc complains about the code once.
    pub(crate) fn constant(&mut self, kind: &TokenStream, code: &TokenStream) -> TokenStream {
        let name = Ident::new(
            &format!("__AGENTLTL_{}", self.constants),
            Span::mixed_site(),
        );
        self.constants += 1;
        self.items.extend(quote!(const #name: #kind = #code;));
        quote!(#name)
    }

    /// A condition without a constant of its own.
    pub(crate) fn assert(&mut self, span: Span, condition: &TokenStream, message: &str) {
        let span = Span::mixed_site().located_at(span);
        self.items.extend(quote_spanned! {span=>
            const _: () = ::core::assert!(#condition, "{}", #message);
        });
    }

    /// The packed text with the tables it needs.
    pub(crate) fn packed(&self, text: &str) -> TokenStream {
        let (krate, names, hosts) = (self.krate, &self.names, &self.hosts);
        let text = Literal::string(text);
        quote! {
            #krate::__private::Packed {
                text: #text,
                names: &[#(#names),*],
                hosts: &[#(#hosts),*],
            }
        }
    }

    pub(crate) fn severities(&self) -> &[TokenStream] {
        &self.severities
    }

    pub(crate) fn weights(&self) -> &[TokenStream] {
        &self.weights
    }
}

fn push(table: &mut Vec<TokenStream>, entry: TokenStream) -> usize {
    table.push(entry);
    table.len() - 1
}

/// The place of the code, as the macro's own.
fn located(code: &TokenStream) -> Span {
    let first = code.clone().into_iter().next();
    Span::mixed_site().located_at(first.map_or_else(Span::call_site, |token| token.span()))
}

/// Does the code speak of a type parameter or of `Self`? An item cannot.
pub(crate) fn in_generics(code: &TokenStream) -> bool {
    code.clone().into_iter().any(|token| match token {
        TokenTree::Ident(word) => {
            let word = word.to_string();
            word == "Self" || (word.len() == 1 && word.starts_with(char::is_uppercase))
        }
        TokenTree::Group(group) => in_generics(&group.stream()),
        _ => false,
    })
}
