//! What can be proved about the policy as a whole: which findings are shown, and how.

use agentltl_core::analysis::{Finding, Lint};
use agentltl_core::{Policy, nearest};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::quote;

use crate::cursor::{Cursor, is_punct};
use crate::diagnostics::{Diagnostic, Place};

/// More rules than that are not analysed: a policy must not make the compiler slow.
const MOST_RULES: usize = 256;

/// What becomes of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Allow,
    Warn,
    Deny,
}

impl Level {
    /// The level that an attribute of that name sets.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "allow" => Some(Level::Allow),
            "warn" => Some(Level::Warn),
            "deny" => Some(Level::Deny),
            _ => None,
        }
    }
}

/// The levels that `#![allow(..)]` and its kin set; of several for a lint the last one counts.
#[derive(Default)]
pub(crate) struct Levels(Vec<(Lint, Level)>);

impl Levels {
    fn of(&self, lint: Lint) -> Option<Level> {
        let set = self.0.iter().rev();
        set.clone()
            .find_map(|(other, level)| (*other == lint).then_some(*level))
    }

    /// `#![allow(redundant, dead_end)]`: names of lints, and perhaps a `reason = ".."`.
    pub(crate) fn policy(&mut self, level: Level, inside: Cursor, errors: &mut Vec<Diagnostic>) {
        for item in Item::all(inside) {
            match item.lint() {
                Some(lint) => self.0.push((lint, level)),
                None if item.is_reason() => {}
                None => errors.push(item.unknown(Some(level))),
            }
        }
    }

    /// `#[allow(redundant)]` on a constraint. What is no lint of a policy is one of rustc: it comes
    /// back as the attribute that rustc should see.
    pub(crate) fn constraint(
        &mut self,
        word: &Ident,
        group: &Group,
        inside: Cursor,
        errors: &mut Vec<Diagnostic>,
    ) -> TokenStream {
        let items = Item::all(inside);
        let mut own = false;
        let mut rest = Vec::new();
        let level = Level::from_name(&word.to_string());
        for item in &items {
            match (item.lint(), level) {
                (Some(lint), Some(level)) => {
                    own = true;
                    self.0.push((lint, level));
                }
                (Some(lint), None) => {
                    own = true;
                    errors.push(
                        Diagnostic::new(
                            item.place(),
                            format!("`{word}` does not go with `{lint}`, a lint of policies"),
                        )
                        .with_help(format!("write `#[{}({lint})]`", instead_of(word))),
                    );
                }
                (None, _) if item.is_near() => {
                    own = true;
                    errors.push(item.unknown(None));
                }
                (None, _) if item.is_reason() => {}
                (None, _) => {
                    let tokens = &item.tokens;
                    rest.push(quote!(#(#tokens)*));
                }
            }
        }
        match (own, rest.is_empty()) {
            (false, _) => quote!(# #group),
            (true, true) => TokenStream::new(),
            (true, false) => quote!(#[#word(#(#rest),*)]),
        }
    }
}

/// The level for what policies do not have.
pub(crate) fn instead_of(word: &Ident) -> &'static str {
    if word == "forbid" { "deny" } else { "allow" }
}

/// What stands between two commas.
struct Item {
    tokens: Vec<TokenTree>,
}

impl Item {
    fn all(mut inside: Cursor) -> Vec<Item> {
        let mut items = Vec::new();
        while !inside.is_empty() {
            let length = inside.until(|tokens, at| is_punct(tokens.get(at), ','));
            let tokens = inside.take(length);
            inside.eat_punct(',');
            if !tokens.is_empty() {
                items.push(Item { tokens });
            }
        }
        items
    }

    fn text(&self) -> String {
        self.tokens.iter().map(TokenTree::to_string).collect()
    }

    fn place(&self) -> Place {
        Place::of(&self.tokens, proc_macro2::Span::call_site())
    }

    fn lint(&self) -> Option<Lint> {
        Lint::from_name(&self.text())
    }

    fn is_reason(&self) -> bool {
        matches!(&self.tokens[..], [TokenTree::Ident(word), equals, TokenTree::Literal(_)]
            if word == "reason" && is_punct(Some(equals), '='))
    }

    /// Is it likely meant as a lint of policies, and no lint of rustc?
    fn is_near(&self) -> bool {
        let text = self.text();
        self.nearest().is_some() && text != "dead_code" && !text.contains("::")
    }

    fn nearest(&self) -> Option<&'static str> {
        nearest(&self.text(), Lint::ALL.map(Lint::as_str))
    }

    /// The error for a name that is no lint of policies, given to a policy or a constraint.
    fn unknown(&self, policy: Option<Level>) -> Diagnostic {
        let text = self.text();
        let help = match (self.nearest(), policy) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, Some(_)) if text == "deprecated" => {
                "that is rustc's lint: put `#[allow(deprecated)]` \
                 or its like on a constraint, or on the item around `constraints!`"
                    .to_owned()
            }
            (None, _) => format!(
                "the lints of a policy are {}",
                Lint::ALL.map(Lint::as_str).join(", ")
            ),
        };
        Diagnostic::new(self.place(), format!("unknown lint `{text}`")).with_help(help)
    }
}

/// A finding that is to be shown.
pub(crate) struct Shown {
    /// The constraint it is shown at, by its place in the policy.
    pub(crate) rule: usize,
    pub(crate) lint: Lint,
    pub(crate) is_error: bool,
    /// What is wrong, the run that shows it, and what to do.
    pub(crate) message: String,
}

/// Where the levels are set, for the advice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Tokens,
    File,
}

/// The policy and what is known of it here.
pub(crate) struct Subject<'s> {
    /// With some severity or other where only rustc knows it.
    pub(crate) policy: &'s Policy,
    pub(crate) strict: bool,
    /// Are there severities that only rustc knows?
    pub(crate) open_severities: bool,
    /// Are there listed tools that only rustc knows?
    pub(crate) open_tools: bool,
    pub(crate) levels: &'s Levels,
    /// Those of each constraint.
    pub(crate) own: Vec<&'s Levels>,
    pub(crate) form: Form,
}

impl Subject<'_> {
    fn level(&self, lint: Lint, rule: usize) -> Level {
        let own = self.own.get(rule).and_then(|own| own.of(lint));
        let default = if self.strict && lint.is_error_if_strict() {
            Level::Deny
        } else {
            Level::Warn
        };
        own.or_else(|| self.levels.of(lint)).unwrap_or(default)
    }

    /// What is found and not allowed. Nothing is looked for where all is allowed.
    pub(crate) fn findings(&self) -> Vec<Shown> {
        let rules = self.policy.constraints().len();
        let wanted = |lint: Lint| (0..rules).any(|rule| self.level(lint, rule) != Level::Allow);
        if rules > MOST_RULES || !Lint::ALL.into_iter().any(wanted) {
            return Vec::new();
        }
        let findings = self.policy.analyze().findings;
        let shown = findings.iter().filter(|finding| self.is_certain(finding));
        shown.filter_map(|finding| self.show(finding)).collect()
    }

    /// Is the finding real whatever the values are that only rustc knows?
    fn is_certain(&self, finding: &Finding) -> bool {
        // These are about finished runs and about what a formula refuses, whatever its severity.
        let whatever_severity = matches!(
            finding.lint,
            Lint::Unsatisfiable | Lint::Vacuous | Lint::Contradiction
        );
        // A tool that is not named here may be one that a constant names a second time.
        let known = |tool| self.policy.tools().contains(tool);
        let run_is_known = !self.open_tools
            || finding
                .run
                .iter()
                .flat_map(|run| run.iter())
                .all(|call| known(&call.tool));
        (whatever_severity || !self.open_severities) && run_is_known
    }

    fn show(&self, finding: &Finding) -> Option<Shown> {
        let first = finding.constraints.first();
        let rule = first.and_then(|name| {
            let mut rules = self.policy.constraints().iter();
            rules.position(|constraint| constraint.name() == name)
        })?;
        let is_error = match self.level(finding.lint, rule) {
            Level::Allow => return None,
            Level::Warn => false,
            Level::Deny => true,
        };
        let lint = finding.lint;
        let mut message = finding.to_string();
        // The title of a warning is the lint.
        if let (false, Some(rest)) = (is_error, message.strip_prefix(&format!("{lint}: "))) {
            message = rest.to_owned();
        }
        message.push_str("\nhelp: ");
        message.push_str(lint.way_out());
        message.push_str(&match self.form {
            Form::Tokens => format!(
                "\nhelp: if it is meant so, write `#[allow({lint})]` on the constraint or \
                 `#![allow({lint})]` at the top"
            ),
            Form::File => format!(
                "\nhelp: if it is meant so, write `#![allow({lint})]` in front of `include`"
            ),
        });
        Some(Shown {
            rule,
            lint,
            is_error,
            message,
        })
    }
}
