//! `constraints!(include = "policy.toml")`: a policy file, checked when the program is compiled.

use std::path::PathBuf;

use agentltl_core::{Policy, Position};
use proc_macro2::{Span, TokenTree};

use crate::cursor::{is_punct, peel};
use crate::diagnostics::{Diagnostic, Place};
use crate::lints::Levels;
use crate::literal::{self, Quoted};
use crate::parse;

/// A policy file that was read.
pub(crate) struct Included {
    /// Where the file is.
    pub(crate) path: PathBuf,
    /// What is in it, and where its formulas stand, unless that has been refused.
    pub(crate) policy: Option<(Policy, Vec<Position>)>,
    /// The file's name, as it was written.
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// The tokens before and the name of the file, if the tokens are `#![..] include = "policy.toml"`. A
/// constraint of that name ends with a `;`.
pub(crate) fn file(
    tokens: &[TokenTree],
) -> Option<(&[TokenTree], Result<Quoted, literal::Refused>)> {
    let mut settings = 0;
    while is_punct(tokens.get(settings), '#') && is_punct(tokens.get(settings + 1), '!') {
        settings += 3;
    }
    let (settings, tokens) = tokens.split_at_checked(settings)?;
    let [TokenTree::Ident(word), assign, name, rest @ ..] = tokens else {
        return None;
    };
    let over = rest.is_empty() || (rest.len() == 1 && is_punct(rest.first(), ','));
    match peel(name.clone()) {
        TokenTree::Literal(name) if *word == "include" && is_punct(Some(assign), '=') && over => {
            Some((settings, literal::string(&name)))
        }
        _ => None,
    }
}

/// The lint levels in front of `include`; any other setting stands in the file.
pub(crate) fn levels(settings: &[TokenTree], errors: &mut Vec<Diagnostic>) -> Levels {
    let read = parse::rules(settings.to_vec(), errors).settings;
    if read.strict || read.default_severity.is_some() || read.tools.is_some() {
        let place = Place::of(settings, Span::call_site());
        errors.push(
            Diagnostic::new(place, "a setting of a policy file stands in the file").with_help(
                "write `strict_runtime_safety = true`, `default_severity = \"..\"` or `tools = [..]` \
                 there; only `#![allow(..)]`, `#![warn(..)]` and `#![deny(..)]` stand here",
            ),
        );
    }
    read.lints
}

impl Included {
    /// Where the formula of a rule stands, in front of what is said of it.
    pub(crate) fn at(&self, rule: usize) -> String {
        let places = self.policy.iter().flat_map(|(_, places)| places);
        match places.clone().nth(rule) {
            Some(place) => format!("{}:{}:{}: ", self.name, place.line, place.column),
            None => format!("{}: ", self.name),
        }
    }
}

/// Reads the file.
pub(crate) fn read(name: &Quoted, errors: &mut Vec<Diagnostic>) -> Option<Included> {
    let path = locate(name);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            errors.push(
                Diagnostic::new(
                    name.span(),
                    format!("cannot read `{}`: {error}", name.value),
                )
                .with_help("the path starts at the folder of Cargo.toml"),
            );
            return None;
        }
    };
    let policy = parse(&name.value, &text)
        .map_err(|messages| {
            let found = messages.into_iter();
            errors.extend(found.map(|message| Diagnostic::new(name.span(), message)));
        })
        .ok();
    Some(Included {
        path,
        policy,
        name: name.value.clone(),
        span: name.span(),
    })
}

/// Beside Cargo.toml; where it is not there, beside the source file.
fn locate(name: &Quoted) -> PathBuf {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let path = folder.unwrap_or_default().join(&name.value);
    if !path.exists()
        && proc_macro::is_available()
        && let Some(source) = name.span().unwrap().local_file()
        && let Some(beside) = source.parent().map(|folder| folder.join(&name.value))
        && let Ok(beside) = beside.canonicalize()
    {
        return beside;
    }
    path
}

#[cfg(feature = "toml")]
fn parse(file: &str, text: &str) -> Result<(Policy, Vec<Position>), Vec<String>> {
    Policy::__from_toml_with_places(text).map_err(|error| {
        let problems = error.into_problems().into_iter();
        problems.map(|problem| message(file, problem)).collect()
    })
}

/// `policy.toml:4:30: ..`; of a formula with the text and a mark under the place.
#[cfg(feature = "toml")]
fn message(file: &str, mut problem: agentltl_core::PolicyProblem) -> String {
    problem.path.clear();
    match problem.position.take() {
        Some(place) => format!("{file}:{}:{}: {problem}", place.line, place.column),
        None => format!("{file}: {problem}"),
    }
}

#[cfg(not(feature = "toml"))]
fn parse(file: &str, _text: &str) -> Result<(Policy, Vec<Position>), Vec<String>> {
    Err(vec![format!(
        "cannot read `{file}`: the feature `toml` of agentltl is switched off"
    )])
}
