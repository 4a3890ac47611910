//! Policies as part of other documents.

use std::fmt;

use ::serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use ::serde::ser::{Serialize, SerializeMap, Serializer};

use super::Policy;
use super::file::{self, Entry, Item, Kind};
use crate::constraint::Constraint;
use crate::syntax::NoHost;

/// With the keys that [`Policy::from_json`] reads, leaving out what is as it would be anyway.
impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("default_severity", &self.default_severity)?;
        if self.strict {
            map.serialize_entry("strict_runtime_safety", &true)?;
        }
        if !self.tools.is_empty() {
            let tools: Vec<&str> = self.tools.iter().map(|tool| tool.as_str()).collect();
            map.serialize_entry("tools", &tools)?;
        }
        map.serialize_entry("constraint", self.constraints())?;
        map.end()
    }
}

/// As an entry of `constraint` in a policy.
impl Serialize for Constraint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", self.name())?;
        map.serialize_entry("formula", self.formula())?;
        if let Some(severity) = self.severity() {
            map.serialize_entry("severity", &severity)?;
        }
        if self.weight() != 1.0 {
            map.serialize_entry("weight", &self.weight())?;
        }
        for (key, text) in [
            ("description", self.description()),
            ("repair", self.repair()),
        ] {
            if !text.is_empty() {
                map.serialize_entry(key, text)?;
            }
        }
        if self.applies_to_final_answer() {
            map.serialize_entry("applies_to_final_answer", &true)?;
        }
        map.end()
    }
}

/// What [`Policy::from_json`] reads, from any format: `struct Config { rules: Policy }`. The error
/// says what is wrong and in which rule; the line is up to the format.
impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let item = Item::deserialize(deserializer)?;
        file::read(None, item, &mut NoHost).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let kind = deserializer.deserialize_any(Any)?;
        Ok(Item { range: 0..0, kind })
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a policy")
    }

    fn visit_str<E>(self, text: &str) -> Result<Kind, E> {
        Ok(Kind::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Kind, E> {
        Ok(Kind::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Kind, E> {
        Ok(Kind::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Kind, E> {
        Ok(Kind::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Kind, E> {
        Ok(Kind::Number(value))
    }

    fn visit_unit<E>(self) -> Result<Kind, E> {
        Ok(Kind::Other("null"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Kind, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Kind::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Kind, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = fields.next_entry()? {
            entries.push(Entry {
                key,
                key_range: 0..0,
                value,
            });
        }
        Ok(Kind::Table(entries))
    }
}
