//! Serialisation: everything that prints as a name or a formula is that string.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::classify::RuntimeSafety;
use crate::formula::Formula;
use crate::nearest::nearest;
use crate::severity::Severity;
use crate::verdict::{Verdict, VerdictSet};

macro_rules! as_text {
    ($($type:ty),*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}
as_text!(Formula, Verdict, Severity, RuntimeSafety);

/// Takes a string, owned or borrowed, and reads it.
struct Text<F> {
    expected: &'static str,
    read: F,
}

impl<T, E: Display, F: FnOnce(&str) -> Result<T, E>> Visitor<'_> for Text<F> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<D: Error>(self, text: &str) -> Result<T, D> {
        (self.read)(text).map_err(D::custom)
    }
}

/// The error is the parser's, with the line and a mark under the place.
impl<'de> Deserialize<'de> for Formula {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text {
            expected: "a formula as a string",
            read: |text: &str| Formula::parse(text).map_err(|error| error.render(text)),
        })
    }
}

impl<'de> Deserialize<'de> for Severity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text {
            expected: "a severity as a string",
            read: Severity::from_str,
        })
    }
}

fn from_name<T>(
    what: &str,
    name: &str,
    value: Option<T>,
    names: impl Iterator<Item = &'static str> + Clone,
) -> Result<T, String> {
    value.ok_or_else(|| {
        let near = nearest(name, names.clone())
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let names: Vec<_> = names.collect();
        format!(
            "unknown {what} `{name}`{near}; there are {}",
            names.join(", ")
        )
    })
}

impl<'de> Deserialize<'de> for Verdict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text {
            expected: "a verdict as a string",
            read: |name: &str| {
                let names = Verdict::ALL.iter().map(|verdict| verdict.as_str());
                from_name("verdict", name, Verdict::from_name(name), names)
            },
        })
    }
}

impl<'de> Deserialize<'de> for RuntimeSafety {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text {
            expected: "a class as a string",
            read: |name: &str| {
                let names = RuntimeSafety::ALL.iter().map(|class| class.as_str());
                from_name("class", name, RuntimeSafety::from_name(name), names)
            },
        })
    }
}

/// The members as a list, lowest first.
impl Serialize for VerdictSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for VerdictSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<Verdict>::deserialize(deserializer).map(VerdictSet::from_iter)
    }
}
