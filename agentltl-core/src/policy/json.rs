//! Policies in JSON.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::file::{self, DEPTH, Entry, Item, Kind};
use super::{Policy, PolicyError, Position};
use crate::syntax::{NoHost, Resolve};

impl Policy {
    /// Reads a policy in JSON: an object with the keys a policy has in TOML, `constraint` (or
    /// `constraints`) being a list of objects.
    ///
    /// # Errors
    /// Everything that is wrong, each thing with its line and column: text that is not JSON, keys
    /// that mean nothing or are there twice, values of the wrong type, unknown severities, texts that
    /// are not formulas, and all that [`Policy::new`] and
    /// [`PolicyBuilder::build`](super::PolicyBuilder::build) refuse.
    ///
    /// ```
    /// use agentltl_core::Policy;
    /// let policy = Policy::from_json(r#"{
    ///     "default_severity": "SOFT_BLOCK",
    ///     "constraint": [{"name": "order", "formula": "before(\"a\", \"b\")", "weight": 2}]
    /// }"#)?;
    /// assert_eq!(policy.constraints()[0].weight(), 2.0);
    /// # Ok::<(), agentltl_core::PolicyError>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, PolicyError> {
        Policy::from_json_with(text, NoHost)
    }

    /// Reads a policy in JSON whose formulas may name what `host` knows: see [`Policy::from_json`].
    ///
    /// # Errors
    /// As [`Policy::from_json`].
    pub fn from_json_with(text: &str, mut host: impl Resolve) -> Result<Self, PolicyError> {
        file::read(Some(text), parse(text)?, &mut host)
    }

    /// The policy, and where the formula of each rule stands in the text: for the command.
    #[doc(hidden)]
    pub fn __from_json_with_places(text: &str) -> Result<(Self, Vec<Position>), PolicyError> {
        file::read_with_positions(text, parse(text)?)
    }
}

fn parse(text: &str) -> Result<Item, PolicyError> {
    serde_json::from_str::<&RawValue>(text)
        .map_err(|error| Malformed::new(0, text, &error))
        .and_then(|raw| item(text, raw.get(), 0))
        .map_err(|Malformed { offset, message }| {
            file::malformed(text, offset, format!("not JSON: {message}"))
        })
}

/// Text that is not JSON.
struct Malformed {
    offset: usize,
    message: String,
}

impl Malformed {
    /// The error about a part of the text that starts at `start`.
    fn new(start: usize, part: &str, error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let lines = part.split_inclusive('\n');
        let line: usize = lines
            .take(error.line().saturating_sub(1))
            .map(str::len)
            .sum();
        Malformed {
            offset: start + (line + error.column().saturating_sub(1)).min(part.len()),
            message: message.strip_suffix(&place).unwrap_or(&message).to_owned(),
        }
    }
}

/// The value that a part of the text is. Each level is read by serde_json, which leaves the values
/// in it as the parts of the text they are: that is how places are known.
fn item(text: &str, part: &str, depth: usize) -> Result<Item, Malformed> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    let bad = |error: serde_json::Error| Malformed::new(start, part, &error);
    let kind = match part.as_bytes().first() {
        Some(b'"') => Kind::Text(serde_json::from_str(part).map_err(bad)?),
        Some(b't' | b'f') => Kind::Bool(serde_json::from_str(part).map_err(bad)?),
        Some(b'n') => Kind::Other("null"),
        Some(b'[') if depth >= DEPTH => Kind::Other("a list"),
        Some(b'{') if depth >= DEPTH => Kind::Other("an object"),
        Some(b'[') => {
            let parts: Vec<&RawValue> = serde_json::from_str(part).map_err(bad)?;
            let items = parts
                .into_iter()
                .map(|part| item(text, part.get(), depth + 1));
            Kind::List(items.collect::<Result<_, _>>()?)
        }
        Some(b'{') => {
            let Fields(fields) = serde_json::from_str(part).map_err(bad)?;
            let entries = fields.into_iter().map(|(key, value)| {
                let value = item(text, value.get(), depth + 1)?;
                let at = key_before(text, value.range.start);
                Ok(Entry {
                    key,
                    key_range: at..at,
                    value,
                })
            });
            Kind::Table(entries.collect::<Result<_, _>>()?)
        }
        _ => Kind::Number(serde_json::from_str(part).map_err(bad)?),
    };
    Ok(Item {
        range: start..start + part.len(),
        kind,
    })
}

/// Where the key of the value at `value` begins.
fn key_before(text: &str, value: usize) -> usize {
    let before = text[..value].trim_end();
    let before = before.strip_suffix(':').unwrap_or(before).trim_end();
    let body = before.strip_suffix('"').unwrap_or(before);
    body.rmatch_indices('"')
        .map(|(at, _)| at)
        .find(|at| {
            let backslashes = body[..*at]
                .bytes()
                .rev()
                .take_while(|byte| *byte == b'\\')
                .count();
            backslashes % 2 == 0
        })
        .unwrap_or(value)
}

/// The fields of an object, those with the same key included.
struct Fields<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(All)
    }
}
