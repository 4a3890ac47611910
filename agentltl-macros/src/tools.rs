//! `#![tools(..)]`: a tool that is not listed does not compile.

use std::collections::HashSet;

use agentltl_core::{Name, nearest};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::ast::Tool;
use crate::diagnostics::Diagnostic;
use crate::formula::Read;
use crate::tables::{Check, Tables, in_generics};

/// The tools there are.
pub(crate) struct Tools<'s> {
    krate: &'s TokenStream,
    known: Vec<&'s str>,
    index: HashSet<&'s str>,
    code: Vec<TokenStream>,
    /// Each tool as an expression.
    entries: Vec<TokenStream>,
    /// All of them as an expression.
    list: TokenStream,
}

impl<'s> Tools<'s> {
    pub(crate) fn new(krate: &'s TokenStream, tools: &'s [Tool], tables: &mut Tables<'_>) -> Self {
        let mut known = Vec::new();
        let mut code = Vec::new();
        let mut entries = Vec::new();
        for tool in tools {
            match tool {
                Tool::Known(quoted) => {
                    known.push(quoted.value.as_str());
                    entries.push(Literal::string(&quoted.value).into_token_stream());
                }
                Tool::Code(tokens) => {
                    let tokens: TokenStream = tokens.iter().cloned().collect();
                    code.push(tokens.clone());
                    entries.push(tokens);
                }
            }
        }
        let mut list = quote!(&[#(#entries),*]);
        if !code.is_empty() && !in_generics(&list) {
            let text = quote!(&'static ::core::primitive::str);
            list = tables.constant(&quote!(&'static [#text]), &list);
            entries = (0..entries.len())
                .map(|at| {
                    let at = Literal::usize_unsuffixed(at);
                    quote!(#list[#at])
                })
                .collect();
        }
        Tools {
            krate,
            index: known.iter().copied().collect(),
            known,
            code,
            entries,
            list,
        }
    }

    /// The tools, each as an expression.
    pub(crate) fn entries(&self) -> &[TokenStream] {
        &self.entries
    }

    /// Are there constants among them, whose values only rustc knows?
    pub(crate) fn is_open(&self) -> bool {
        !self.code.is_empty()
    }

    /// The tools, as far as they can be told here.
    pub(crate) fn known(&self) -> impl Iterator<Item = Name> {
        let code = self.code.iter().map(|code| Name::path(code.to_string()));
        self.known.iter().map(|name| Name::from(*name)).chain(code)
    }

    /// Checks the names in a formula that are known now. Where the list has constants, rustc checks
    /// the rest.
    pub(crate) fn check(&self, read: &Read, tables: &mut Tables<'_>, errors: &mut Vec<Diagnostic>) {
        for (name, range) in read.tools() {
            let name_text = name.as_str();
            if name.is_path() || self.index.contains(name_text) {
                continue;
            }
            if self.code.is_empty() {
                errors.push(read.origin.refuse(
                    range,
                    format!("the tool {name_text:?} is not in `#![tools(..)]`"),
                    Some(self.help(name_text)),
                ));
            } else {
                let (krate, list) = (self.krate, &self.list);
                tables.assert(
                    read.origin.place(&range).first,
                    &quote!(#krate::__private::is_listed(#name_text, #list)),
                    &format!(
                        "the tool {name_text:?} is not in `#![tools(..)]`; {}",
                        self.help(name_text)
                    ),
                );
            }
        }
    }

    /// What rustc has to check of a constant.
    pub(crate) fn check_of(&self, path: &str) -> Check {
        let krate = self.krate;
        Check {
            function: quote!(#krate::__private::is_listed),
            arguments: self.list.clone(),
            message: format!(
                "the tool that `{path}` names is not in `#![tools(..)]`; {}",
                self.names()
            ),
        }
    }

    fn help(&self, name: &str) -> String {
        match nearest(name, self.known.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => self.names(),
        }
    }

    fn names(&self) -> String {
        const SHOWN: usize = 12;
        let code = self
            .code
            .iter()
            .map(|code| code.to_string().replace(' ', ""));
        let known = self.known.iter().map(|name| format!("{name:?}"));
        let mut names: Vec<String> = known.chain(code).collect();
        if names.len() > SHOWN {
            let more = names.len() - SHOWN;
            names.truncate(SHOWN);
            names.push(format!("{more} more"));
        }
        format!("the list has {}", names.join(", "))
    }
}
