//! The structure of `constraints!`: settings, attributes, names, severities. Formulas stay tokens.

use agentltl_core::{Severity, nearest};
use proc_macro2::{Spacing, Span, TokenTree};

use crate::ast::{Level, Rule, Rules, Written};
use crate::attributes;
use crate::cursor::{Cursor, describe, is_assign, is_bracket, is_punct, peel};
use crate::diagnostics::{Diagnostic, Place};
use crate::literal;

/// What a constraint looks like, for errors that miss a part of it.
const SHAPE: &str = "a constraint is written: name: SEVERITY = formula;";

/// Reads everything; what is wrong goes to `errors`, and reading goes on after the next `;`.
pub(crate) fn rules(tokens: Vec<TokenTree>, errors: &mut Vec<Diagnostic>) -> Rules {
    let mut parser = Parser {
        cursor: Cursor::new(tokens, Span::call_site()),
        errors,
    };
    let mut rules = Rules::default();
    while !parser.cursor.is_empty() {
        match parser.rule(&mut rules) {
            Ok(Some(rule)) => {
                parser.check_name(&rules, &rule);
                rules.rules.push(rule);
            }
            Ok(None) => {}
            Err(error) => {
                parser.errors.push(error);
                parser.cursor.recover();
            }
        }
    }
    rules
}

/// A string literal alone is the string form.
pub(crate) fn written(tokens: Vec<TokenTree>) -> Result<Written, literal::Refused> {
    if let [token] = tokens.as_slice()
        && let TokenTree::Literal(literal) = peel(token.clone())
        && literal::is_string(&literal)
    {
        return literal::string(&literal).map(Written::Text);
    }
    Ok(Written::Tokens(tokens))
}

struct Parser<'e> {
    cursor: Cursor,
    errors: &'e mut Vec<Diagnostic>,
}

impl Parser<'_> {
    fn rule(&mut self, rules: &mut Rules) -> Result<Option<Rule>, Diagnostic> {
        let start = self.cursor.span();
        let mut read = attributes::Reader::new(self.errors);
        let mut outer = false;
        while is_punct(self.cursor.peek(), '#') {
            let hash = self.cursor.span();
            let rest = self.cursor.rest();
            let inner = is_punct(rest.get(1), '!');
            let Some(group) = is_bracket(rest.get(1 + usize::from(inner))).cloned() else {
                return Err(Diagnostic::new(hash, "expected an attribute after `#`")
                    .with_help("write `#![..]` for a setting, `#[..]` for a constraint"));
            };
            self.cursor.take(2 + usize::from(inner));
            let place = Place {
                first: hash,
                last: group.span_close(),
            };
            if inner {
                if outer || !rules.rules.is_empty() {
                    read.error(
                        Diagnostic::new(place, "a setting after the first constraint")
                            .with_help("settings `#![..]` stand before everything else"),
                    );
                }
                read.setting(&group, place, &mut rules.settings);
            } else {
                outer = true;
                read.attribute(&group, place);
            }
        }
        let attributes = read.finish();
        if self.cursor.is_empty() {
            if outer {
                let place = Place {
                    first: start,
                    last: self.cursor.span(),
                };
                return Err(
                    Diagnostic::new(place, "attributes without a constraint after them")
                        .with_help(SHAPE),
                );
            }
            return Ok(None);
        }
        let (name, name_span) = self.name()?;
        let severity = self.severity(&name)?;
        let assign = self.cursor.span();
        self.cursor.take(1);
        let (formula, unfinished) = self.formula();
        Ok(Some(Rule {
            name,
            name_span,
            severity,
            formula,
            assign,
            unfinished,
            attributes,
        }))
    }

    fn name(&mut self) -> Result<(String, Span), Diagnostic> {
        let span = self.cursor.span();
        match self.cursor.next().map(peel) {
            Some(TokenTree::Ident(ident)) => {
                let name = ident.to_string();
                Ok((name.strip_prefix("r#").unwrap_or(&name).to_owned(), span))
            }
            Some(TokenTree::Literal(literal)) if !literal::is_number(&literal) => {
                match literal::string(&literal) {
                    Ok(quoted) => Ok((quoted.value, span)),
                    Err(Some(error)) => Err(error),
                    Err(None) => Err(Diagnostic::new(span, "expected the name of a constraint")),
                }
            }
            Some(TokenTree::Punct(punct)) if punct.as_char() == ';' => {
                // The `;` ends nothing: do not skip the next constraint with it.
                Err(
                    Diagnostic::new(span, "expected the name of a constraint, found `;`")
                        .with_help("one `;` ends a constraint: remove this one"),
                )
                .inspect_err(|_| self.cursor.back())
            }
            token => Err(Diagnostic::new(
                span,
                format!(
                    "expected the name of a constraint, found {}",
                    describe(token.as_ref())
                ),
            )
            .with_help(SHAPE)),
        }
    }

    /// `: SEVERITY`, up to the `=`.
    fn severity(&mut self, name: &str) -> Result<Option<Level>, Diagnostic> {
        if is_assign(self.cursor.rest(), 0) {
            return Ok(None);
        }
        let Some(colon) = self.cursor.eat_punct(':') else {
            return Err(Diagnostic::new(
                self.cursor.span(),
                format!(
                    "expected `:` and a severity after the name `{name}`, found {}",
                    describe(self.cursor.peek())
                ),
            )
            .with_help(SHAPE));
        };
        let length = self
            .cursor
            .until(|tokens, at| is_punct(tokens.get(at), ';') || is_assign(tokens, at));
        if !is_assign(self.cursor.rest(), length) {
            // There is a severity, but no `=`: the token after it is where one is missing.
            let after = usize::from(length > 0);
            self.cursor.take(after);
            let found = describe(self.cursor.peek());
            let error = Diagnostic::new(
                self.cursor.span(),
                match after {
                    0 => format!("expected a severity after `{name}:`, found {found}"),
                    _ => format!("expected `=` after the severity of `{name}`, found {found}"),
                },
            );
            return Err(error.with_help(SHAPE));
        }
        let tokens = self.cursor.take(length);
        if tokens.is_empty() {
            self.errors.push(
                Diagnostic::new(colon, format!("expected a severity after `{name}:`"))
                    .with_help(severities()),
            );
            return Ok(Some(Level::Wrong));
        }
        match level(tokens) {
            Ok(level) => Ok(Some(level)),
            Err(error) => {
                self.errors.push(error);
                Ok(Some(Level::Wrong))
            }
        }
    }

    /// The formula up to its `;`, and where that is missing.
    fn formula(&mut self) -> (Vec<TokenTree>, Option<Place>) {
        let length = self
            .cursor
            .until(|tokens, at| is_punct(tokens.get(at), ';'));
        let next = next_rule(&self.cursor.rest()[..length]);
        let tokens = self.cursor.take(next.unwrap_or(length));
        let ended = next.is_none() && self.cursor.eat_punct(';').is_some();
        let unfinished = (!ended)
            .then(|| tokens.last().map(|last| last_span(last).into()))
            .flatten();
        (tokens, unfinished)
    }

    fn check_name(&mut self, rules: &Rules, rule: &Rule) {
        if rule.name.is_empty() {
            self.errors.push(Diagnostic::new(
                rule.name_span,
                "the name of a constraint is empty",
            ));
        } else if rules.rules.iter().any(|other| other.name == rule.name) {
            self.errors.push(
                Diagnostic::new(
                    rule.name_span,
                    format!("the name `{}` is taken by an earlier constraint", rule.name),
                )
                .with_help("give one of the two another name"),
            );
        }
    }
}

fn last_span(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) => group.span_close(),
        _ => token.span(),
    }
}

/// Where in a formula the next constraint starts, if its own `;` is missing: no formula has a `#` or
/// a `=` outside brackets.
fn next_rule(tokens: &[TokenTree]) -> Option<usize> {
    let stop = (0..tokens.len()).find(|at| {
        is_assign(tokens, *at)
            || (*at > 0
                && starts_rule(&tokens[*at..])
                && is_punct(tokens.get(*at), '#')
                && is_bracket(tokens.get(at + 1)).is_some())
    })?;
    if is_punct(tokens.get(stop), '#') {
        return Some(stop);
    }
    // Back over `: Severity::HardStop` to the name in front of it.
    let mut start = stop;
    let mut name = None;
    while start > 0 {
        match &tokens[start - 1] {
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                start -= 1;
                let colon = matches!(tokens.get(start + 1), Some(TokenTree::Punct(punct))
                    if punct.as_char() == ':' && punct.spacing() == Spacing::Alone);
                if (colon && !is_punct(tokens.get(start.wrapping_sub(1)), ':'))
                    || (start + 1 == stop && !is_punct(tokens.get(start.wrapping_sub(1)), ':'))
                {
                    name = Some(start);
                }
                if colon {
                    break;
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => start -= 1,
            _ => break,
        }
    }
    name.filter(|name| *name > 0)
}

/// Do attributes, a name and `:` or `=` stand here? Otherwise a comment strayed into the formula.
fn starts_rule(tokens: &[TokenTree]) -> bool {
    let mut rest = tokens;
    while is_punct(rest.first(), '#') && is_bracket(rest.get(1)).is_some() {
        rest = &rest[2..];
    }
    matches!(
        rest.first(),
        Some(TokenTree::Ident(_) | TokenTree::Literal(_))
    ) && (is_punct(rest.get(1), ':') || is_assign(rest, 1))
}

/// A severity.
pub(crate) fn level(tokens: Vec<TokenTree>) -> Result<Level, Diagnostic> {
    let [token] = tokens.as_slice() else {
        return Ok(Level::Code(tokens));
    };
    match peel(token.clone()) {
        TokenTree::Ident(ident) => {
            let name = ident.to_string();
            if let Ok(severity) = name.parse() {
                return Ok(Level::Known(severity, ident.span()));
            }
            let upper = name.to_ascii_uppercase();
            match nearest(
                &upper,
                Severity::ALL.iter().map(|severity| severity.as_str()),
            ) {
                Some(near) => Err(Diagnostic::new(
                    ident.span(),
                    format!("unknown severity `{name}`"),
                )
                .with_help(format!("did you mean `{near}`? {}", severities()))),
                // Perhaps a constant: rustc will say if there is none.
                None if name == upper => Ok(Level::Code(tokens)),
                None => Err(
                    Diagnostic::new(ident.span(), format!("unknown severity `{name}`"))
                        .with_help(severities()),
                ),
            }
        }
        TokenTree::Literal(literal) => Err(Diagnostic::new(
            literal.span(),
            "a severity is a bare word, no literal",
        )
        .with_help(severities())),
        _ => Ok(Level::Code(tokens)),
    }
}

/// The severities there are.
pub(crate) fn severities() -> String {
    let names: Vec<&str> = Severity::ALL
        .iter()
        .map(|severity| severity.as_str())
        .collect();
    format!("the severities are {}", names.join(", "))
}
