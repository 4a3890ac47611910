//! Settings `#![..]`, attributes `#[..]` and doc comments.

use agentltl_core::nearest;
use proc_macro2::{Delimiter, Group, Ident, Literal, TokenTree};

use crate::ast::{Attributes, Level, Settings, Tool, Weight, Words};
use crate::cursor::{Cursor, describe, is_punct, peel};
use crate::diagnostics::{Diagnostic, Place};
use crate::lints;
use crate::literal::{self, Quoted};
use crate::parse;

/// The settings, each with the way it is written.
const SETTINGS: [(&str, &str); 6] = [
    ("strict_runtime_safety", "#![strict_runtime_safety]"),
    ("default_severity", "#![default_severity(SOFT_BLOCK)]"),
    ("tools", "#![tools(\"search\", \"book\")]"),
    ("allow", "#![allow(redundant)]"),
    ("warn", "#![warn(redundant)]"),
    ("deny", "#![deny(redundant)]"),
];

/// The attributes, each with the way it is written.
const ATTRIBUTES: [(&str, &str); 3] = [
    ("weight", "#[weight(2.0)]"),
    ("repair", "#[repair(\"Call search first.\")]"),
    ("applies_to_final_answer", "#[applies_to_final_answer]"),
];

/// The lint attributes: they hold for the warnings and findings of a constraint.
const LINTS: [&str; 5] = ["allow", "expect", "warn", "deny", "forbid"];

/// Reads the attributes in front of one constraint.
pub(crate) struct Reader<'e> {
    attributes: Attributes,
    seen: Vec<&'static str>,
    errors: &'e mut Vec<Diagnostic>,
}

impl<'e> Reader<'e> {
    pub(crate) fn new(errors: &'e mut Vec<Diagnostic>) -> Self {
        Reader {
            attributes: Attributes::default(),
            seen: Vec::new(),
            errors,
        }
    }

    pub(crate) fn finish(self) -> Attributes {
        self.attributes
    }

    pub(crate) fn error(&mut self, error: Diagnostic) {
        self.errors.push(error);
    }

    /// `#![..]`
    pub(crate) fn setting(&mut self, group: &Group, place: Place, settings: &mut Settings) {
        let Some((name, cursor)) = self.open(group, place, "setting") else {
            return;
        };
        let word = name.to_string();
        let Some((known, shape)) = SETTINGS.iter().find(|(known, _)| *known == word) else {
            // `//!` is a comment on the whole policy.
            if word != "doc" {
                self.unknown(&name, "setting", &SETTINGS, &ATTRIBUTES);
            }
            return;
        };
        if let Some(level) = lints::Level::from_name(known) {
            if let Some((inside, _)) = self.parenthesised(&name, &cursor, shape) {
                settings.lints.policy(level, inside, self.errors);
            }
            return;
        }
        let again = match *known {
            "strict_runtime_safety" => std::mem::replace(&mut settings.strict, true),
            "default_severity" => settings.default_severity.is_some(),
            _ => settings.tools.is_some(),
        };
        if again {
            self.error(Diagnostic::new(
                place,
                format!("the setting `{known}` is given twice"),
            ));
            if *known == "tools"
                && let Some((inside, _)) = self.parenthesised(&name, &cursor, shape)
            {
                // Listed all the same, so that no other errors follow from this one.
                let more = self.tools(inside);
                settings.tools.get_or_insert_default().extend(more);
            }
            return;
        }
        if *known == "strict_runtime_safety" {
            self.bare(&cursor, known, shape);
            return;
        }
        let Some((mut inside, _)) = self.parenthesised(&name, &cursor, shape) else {
            return;
        };
        if *known == "default_severity" {
            let tokens = inside.take(inside.rest().len());
            match parse::level(tokens) {
                Ok(level) => settings.default_severity = Some(level),
                Err(error) => {
                    self.error(error);
                    settings.default_severity = Some(Level::Wrong);
                }
            }
        } else {
            settings.tools = Some(self.tools(inside));
        }
    }

    /// `#[..]` and `/// ..`
    pub(crate) fn attribute(&mut self, group: &Group, place: Place) {
        let Some((name, cursor)) = self.open(group, place, "attribute") else {
            return;
        };
        let word = name.to_string();
        if word == "doc" {
            self.doc(cursor);
            return;
        }
        if LINTS.contains(&word.as_str()) {
            let inside = match cursor.rest() {
                [TokenTree::Group(list)] => list.stream().into_iter().collect(),
                _ => Vec::new(),
            };
            let inside = Cursor::new(inside, group.span_close());
            let levels = &mut self.attributes.levels;
            let lints = levels.constraint(&name, group, inside, self.errors);
            self.attributes.lints.extend(lints);
            return;
        }
        let Some((known, shape)) = ATTRIBUTES.iter().find(|(known, _)| *known == word) else {
            self.unknown(&name, "attribute", &ATTRIBUTES, &SETTINGS);
            return;
        };
        if self.seen.contains(known) {
            self.error(Diagnostic::new(
                place,
                format!("the attribute `{known}` is given twice"),
            ));
            return;
        }
        self.seen.push(known);
        if *known == "applies_to_final_answer" {
            self.bare(&cursor, known, shape);
            self.attributes.final_answer = true;
            return;
        }
        let Some((inside, place)) = self.parenthesised(&name, &cursor, shape) else {
            return;
        };
        let tokens = inside.rest().to_vec();
        let read = match *known {
            "weight" => weight(tokens, place).map(|weight| self.attributes.weight = Some(weight)),
            _ => words(tokens, place).map(|words| self.attributes.repair = Some(words)),
        };
        if let Err(Some(error)) = read {
            self.error(error);
        }
    }

    /// The attribute's name, and a cursor behind it.
    fn open(&mut self, group: &Group, place: Place, what: &str) -> Option<(Ident, Cursor)> {
        let tokens = group.stream().into_iter().collect();
        let mut cursor = Cursor::new(tokens, group.span_close());
        match cursor.next() {
            Some(TokenTree::Ident(name)) => Some((name, cursor)),
            token => {
                let found = describe(token.as_ref());
                self.error(Diagnostic::new(
                    place,
                    format!(
                        "expected the name of a{} {what}, found {found}",
                        if what == "attribute" { "n" } else { "" }
                    ),
                ));
                None
            }
        }
    }

    fn unknown(
        &mut self,
        name: &Ident,
        what: &str,
        known: &[(&str, &str)],
        elsewhere: &[(&str, &str)],
    ) {
        let word = name.to_string();
        let error = Diagnostic::new(name.span(), format!("unknown {what} `{word}`"));
        let help = match word.as_str() {
            "severity" => "the severity stands after the name: `name: SOFT_BLOCK = ..;`".to_owned(),
            "forbid" | "expect" if what == "setting" => {
                format!("write `#![{}(..)]`", lints::instead_of(name))
            }
            "description" => {
                "the description is the doc comment: `/// Why the rule exists.`".to_owned()
            }
            "cfg" | "cfg_attr" => {
                "constraints cannot be left out by `cfg`; put it on the whole `constraints!`"
                    .to_owned()
            }
            _ => {
                let shape = |list: &[(&str, &str)], word: &str| {
                    list.iter()
                        .find(|(name, _)| *name == word)
                        .map(|(_, shape)| (*shape).to_owned())
                };
                if let Some(shape) = shape(elsewhere, &word) {
                    format!("it is written `{shape}`")
                } else if let Some(shape) = nearest(&word, known.iter().map(|(name, _)| *name))
                    .and_then(|near| shape(known, near))
                {
                    format!("did you mean `{shape}`?")
                } else {
                    let shapes: Vec<String> = known
                        .iter()
                        .map(|(_, shape)| format!("`{shape}`"))
                        .collect();
                    format!("there are {}", shapes.join(", "))
                }
            }
        };
        self.error(error.with_help(help));
    }

    /// Nothing may follow the name.
    fn bare(&mut self, cursor: &Cursor, name: &str, shape: &str) {
        if !cursor.is_empty() {
            self.error(
                Diagnostic::new(
                    Place::of(cursor.rest(), cursor.span()),
                    format!("`{name}` takes nothing"),
                )
                .with_help(format!("write `{shape}`")),
            );
        }
    }

    /// What stands in the parentheses after the name.
    fn parenthesised(
        &mut self,
        name: &Ident,
        cursor: &Cursor,
        shape: &str,
    ) -> Option<(Cursor, Place)> {
        if let [TokenTree::Group(group)] = cursor.rest()
            && group.delimiter() == Delimiter::Parenthesis
        {
            let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
            if !tokens.is_empty() {
                let place = Place::of(&tokens, group.span());
                return Some((Cursor::new(tokens, group.span_close()), place));
            }
        }
        let place = Place {
            first: name.span(),
            last: Place::of(cursor.rest(), name.span()).last,
        };
        self.error(
            Diagnostic::new(place, format!("`{name}` takes a value in parentheses"))
                .with_help(format!("write `{shape}`")),
        );
        None
    }

    /// A line of a doc comment.
    fn doc(&mut self, mut cursor: Cursor) {
        cursor.next();
        let line = match cursor.next().map(peel) {
            Some(TokenTree::Literal(literal)) => literal::string(&literal),
            _ => return,
        };
        match line {
            Ok(line) => {
                let line = line.value.strip_prefix(' ').unwrap_or(&line.value);
                let description = &mut self.attributes.description;
                if !description.is_empty() {
                    description.push('\n');
                }
                description.push_str(line.trim_end());
            }
            Err(error) => self.errors.extend(error),
        }
    }

    /// The list of `#![tools(..)]`.
    fn tools(&mut self, mut cursor: Cursor) -> Vec<Tool> {
        let mut tools = Vec::new();
        while !cursor.is_empty() {
            let length = cursor.until(|tokens, at| is_punct(tokens.get(at), ','));
            let tokens = cursor.take(length);
            let comma = cursor.eat_punct(',');
            match tokens.as_slice() {
                [] => self.error(Diagnostic::new(
                    comma.unwrap_or_else(|| cursor.span()),
                    "expected a tool before `,`",
                )),
                [token] => match peel(token.clone()) {
                    TokenTree::Literal(literal) => match literal::string(&literal) {
                        Ok(name) => tools.push(Tool::Known(name)),
                        Err(error) => self.errors.extend(error),
                    },
                    TokenTree::Ident(ident) if !is_constant(&ident.to_string()) => {
                        self.error(
                            Diagnostic::new(
                                ident.span(),
                                format!("the tool `{ident}` is not quoted"),
                            )
                            .with_help(format!(
                                "write \"{ident}\"; a constant is written in capitals or with its path"
                            )),
                        );
                        // Listed all the same, so that no other errors follow from this one.
                        let value = ident.to_string();
                        let literal = Literal::string(&value);
                        tools.push(Tool::Known(Quoted { value, literal }));
                    }
                    _ => tools.push(Tool::Code(tokens)),
                },
                _ => tools.push(Tool::Code(tokens)),
            }
        }
        tools
    }
}

/// Does the word read as the name of a constant? In lower case it is far more likely that the quotes
/// are missing.
pub(crate) fn is_constant(word: &str) -> bool {
    !word.contains(char::is_lowercase)
}

fn weight(tokens: Vec<TokenTree>, place: Place) -> Result<Weight, literal::Refused> {
    let refuse = |message: String| {
        Err(Some(Diagnostic::new(place, message).with_help(
            "a weight is a number of 0 or more: `#[weight(2.0)]`",
        )))
    };
    match tokens.as_slice() {
        [token] => match peel(token.clone()) {
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if !text.starts_with(|c: char| c.is_ascii_digit()) {
                    return refuse(format!("expected a number, found `{text}`"));
                }
                let text = text.strip_suffix("f64").unwrap_or(&text).replace('_', "");
                match text.parse::<f64>() {
                    Ok(weight) if weight.is_finite() => Ok(Weight::Known(weight)),
                    _ => refuse(format!("`{text}` is no weight")),
                }
            }
            _ => Ok(Weight::Code(tokens)),
        },
        [sign, TokenTree::Literal(_)] if is_punct(Some(sign), '-') => {
            refuse("a weight cannot be negative".to_owned())
        }
        _ => Ok(Weight::Code(tokens)),
    }
}

fn words(tokens: Vec<TokenTree>, place: Place) -> Result<Words, literal::Refused> {
    if let [token] = tokens.as_slice()
        && let TokenTree::Literal(literal) = peel(token.clone())
    {
        return match literal::string(&literal) {
            Ok(quoted) => Ok(Words::Known(quoted.value)),
            Err(refused) => Err(refused.map(|error| Diagnostic { place, ..error })),
        };
    }
    if let [TokenTree::Literal(first), TokenTree::Punct(comma), ..] = tokens.as_slice()
        && comma.as_char() == ','
        && literal::is_string(first)
    {
        return Err(Some(
            Diagnostic::new(place, "`repair` takes one text")
                .with_help("write `#[repair(\"Call search first.\")]`"),
        ));
    }
    Ok(Words::Code(tokens))
}
