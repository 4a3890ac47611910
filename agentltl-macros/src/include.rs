//! `constraints!(include = "policy.toml")`: a policy file, checked when the program is compiled.

use std::path::PathBuf;

use agentltl_core::Policy;
use proc_macro2::{Span, TokenTree};

use crate::cursor::{is_punct, peel};
use crate::diagnostics::Diagnostic;
use crate::literal::{self, Quoted};

/// A policy file that was read.
pub(crate) struct Included {
    /// Where the file is.
    pub(crate) path: PathBuf,
    /// What is in it, unless that has been refused.
    pub(crate) policy: Option<Policy>,
    pub(crate) span: Span,
}

/// The name of the file, if the tokens are `include = "policy.toml"`. A constraint of that name ends
/// with a `;`.
pub(crate) fn file(tokens: &[TokenTree]) -> Option<Result<Quoted, literal::Refused>> {
    let [TokenTree::Ident(word), assign, name, rest @ ..] = tokens else {
        return None;
    };
    let over = rest.is_empty() || (rest.len() == 1 && is_punct(rest.first(), ','));
    match peel(name.clone()) {
        TokenTree::Literal(name) if *word == "include" && is_punct(Some(assign), '=') && over => {
            Some(literal::string(&name))
        }
        _ => None,
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
fn parse(file: &str, text: &str) -> Result<Policy, Vec<String>> {
    Policy::from_toml(text).map_err(|error| {
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
fn parse(file: &str, _text: &str) -> Result<Policy, Vec<String>> {
    Err(vec![format!(
        "cannot read `{file}`: the feature `toml` of agentltl is switched off"
    )])
}
