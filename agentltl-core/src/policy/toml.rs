//! Policies in TOML.

use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

use super::file::{self, DEPTH, Entry, Item, Kind};
use super::{Policy, PolicyError, Position};
use crate::syntax::{NoHost, Resolve};

impl Policy {
    /// Reads a policy in TOML: a `[[constraint]]` a rule, with `name`, `formula`, and where wanted
    /// `severity`, `weight`, `description`, `repair`, `applies_to_final_answer`; before them, where
    /// wanted, `default_severity`, `strict_runtime_safety` and `tools`, as in
    /// [`PolicyBuilder`](super::PolicyBuilder).
    ///
    /// # Errors
    /// Everything that is wrong, each thing with its line and column: text that is not TOML, keys
    /// that mean nothing, values of the wrong type, unknown severities, texts that are not formulas,
    /// and all that [`Policy::new`] and [`PolicyBuilder::build`](super::PolicyBuilder::build) refuse.
    ///
    /// ```
    /// use agentltl_core::{Policy, Severity};
    /// let policy = Policy::from_toml(r#"
    /// [[constraint]]
    /// name = "deploy_once"
    /// formula = 'called_n("deploy", <= 1)'
    /// severity = "PERSISTENT_BLOCK"
    /// "#)?;
    /// assert_eq!(policy.constraints()[0].severity(), Some(Severity::PersistentBlock));
    ///
    /// let error = Policy::from_toml(r#"
    /// [[constraint]]
    /// name = "deploy_once"
    /// formula = 'called_n("deploy" <= 1)'
    /// severity = "PERSISTENTBLOCK"
    /// "#).unwrap_err();
    /// let [formula, severity] = error.problems() else { unreachable!() };
    /// assert_eq!(formula.position.map(|place| (place.line, place.column)), Some((4, 30)));
    /// assert!(severity.to_string().contains("did you mean `PERSISTENT_BLOCK`?"));
    /// # Ok::<(), agentltl_core::PolicyError>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, PolicyError> {
        Policy::from_toml_with(text, NoHost)
    }

    /// Reads a policy in TOML whose formulas may name what `host` knows: see [`Policy::from_toml`].
    ///
    /// # Errors
    /// As [`Policy::from_toml`].
    pub fn from_toml_with(text: &str, mut host: impl Resolve) -> Result<Self, PolicyError> {
        file::read(Some(text), parse(text)?, &mut host)
    }

    /// The policy, and where the formula of each rule stands in the text: for `constraints!`.
    #[doc(hidden)]
    pub fn __from_toml_with_places(text: &str) -> Result<(Self, Vec<Position>), PolicyError> {
        file::read_with_positions(text, parse(text)?)
    }
}

fn parse(text: &str) -> Result<Item, PolicyError> {
    match DeTable::parse(text) {
        Ok(table) => {
            let range = table.span();
            Ok(item(range, DeValue::Table(table.into_inner()), 0))
        }
        Err(error) => {
            let offset = error.span().map_or(text.len(), |span| span.start);
            Err(file::malformed(
                text,
                offset,
                format!("not TOML: {}", error.message()),
            ))
        }
    }
}

fn item(range: Range<usize>, value: DeValue<'_>, depth: usize) -> Item {
    let spanned = |value: Spanned<DeValue<'_>>| item(value.span(), value.into_inner(), depth + 1);
    let kind = match value {
        DeValue::String(text) => Kind::Text(text.into_owned()),
        DeValue::Boolean(value) => Kind::Bool(value),
        DeValue::Integer(number) => {
            let value = i128::from_str_radix(number.as_str(), number.radix());
            value.map_or(Kind::Other("a number out of range"), |value| {
                Kind::Number(value as f64)
            })
        }
        DeValue::Float(number) => {
            let value = number.as_str().parse();
            value.map_or(Kind::Other("a number out of range"), Kind::Number)
        }
        DeValue::Datetime(_) => Kind::Other("a date or time"),
        DeValue::Array(_) if depth >= DEPTH => Kind::Other("a list"),
        DeValue::Table(_) if depth >= DEPTH => Kind::Other("a table"),
        DeValue::Array(items) => Kind::List(items.into_iter().map(spanned).collect()),
        DeValue::Table(fields) => {
            let mut entries: Vec<Entry> = fields
                .into_iter()
                .map(|(key, value)| Entry {
                    key_range: key.span(),
                    key: key.into_inner().into_owned(),
                    value: spanned(value),
                })
                .collect();
            entries.sort_by_key(|entry| entry.key_range.start);
            Kind::Table(entries)
        }
    };
    Item { range, kind }
}
