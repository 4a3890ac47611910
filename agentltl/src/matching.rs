//! Equality of JSON values, and of JSON with the values written in formulas.

use std::fmt::Write as _;

use agentltl_core::{Args, Number, Text, Value};
use serde_json::{Map, Value as Json};

use crate::call::ToolCall;

/// What the quantified variables stand for: the innermost binding first.
#[derive(Clone, Copy)]
pub(crate) struct Bindings<'a> {
    innermost: Option<&'a Binding<'a>>,
}

/// One variable with its value, and the bindings around it.
pub(crate) struct Binding<'a> {
    pub(crate) outer: Bindings<'a>,
    pub(crate) name: &'a str,
    pub(crate) value: &'a Json,
}

impl<'a> Bindings<'a> {
    pub(crate) const NONE: Bindings<'static> = Bindings { innermost: None };

    pub(crate) fn of(binding: &'a Binding<'a>) -> Self {
        Bindings {
            innermost: Some(binding),
        }
    }

    pub(crate) fn get(self, name: &str) -> Option<&'a Json> {
        let mut at = self.innermost;
        while let Some(binding) = at {
            if binding.name == name {
                return Some(binding.value);
            }
            at = binding.outer.innermost;
        }
        None
    }

    /// The value with its variables replaced, or `None` where one is unbound.
    pub(crate) fn resolve(self, value: &Value) -> Option<Json> {
        Some(match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(number) => Json::Number(to_json(*number)?),
            Value::Text(text) => Json::String(text.as_str().to_owned()),
            Value::List(items) => Json::Array(
                items
                    .iter()
                    .map(|item| self.resolve(item))
                    .collect::<Option<_>>()?,
            ),
            Value::Object(fields) => Json::Object(
                fields
                    .iter()
                    .map(|(key, value)| Some((key.as_str().to_owned(), self.resolve(value)?)))
                    .collect::<Option<_>>()?,
            ),
            Value::Var(name) => self.get(name)?.clone(),
        })
    }

    /// Is the JSON value equal to the formula's value?
    pub(crate) fn equal(self, value: &Value, json: &Json) -> bool {
        match (value, json) {
            (Value::Var(name), _) => self.get(name).is_some_and(|bound| equal(bound, json)),
            (Value::Null, Json::Null) => true,
            (Value::Bool(a), Json::Bool(b)) => a == b,
            (Value::Number(a), Json::Number(b)) => from_json(b) == Some(as_read(*a)),
            (Value::Text(a), Json::String(b)) => a.as_str() == b,
            (Value::List(a), Json::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.equal(a, b))
            }
            (Value::Object(a), Json::Object(b)) => a.len() == b.len() && self.has_fields(a, b),
            _ => false,
        }
    }

    fn has_fields(self, fields: &[(Text, Value)], object: &Map<String, Json>) -> bool {
        fields.iter().all(|(key, value)| {
            object
                .get(key.as_str())
                .is_some_and(|field| self.equal(value, field))
        })
    }

    /// Does a result match the one a formula names: equal, or for an object with at least its
    /// top-level fields, equal?
    pub(crate) fn result_matches(self, expected: &Value, result: &Json) -> bool {
        match (expected, result) {
            (Value::Object(fields), Json::Object(object)) => self.has_fields(fields, object),
            (Value::Var(name), Json::Object(object)) => match self.get(name) {
                Some(Json::Object(fields)) => fields
                    .iter()
                    .all(|(key, value)| object.get(key).is_some_and(|field| equal(value, field))),
                _ => false,
            },
            _ => self.equal(expected, result),
        }
    }

    /// Has the call each of the named arguments, with an equal value?
    pub(crate) fn arguments_match(self, expected: &Args, call: &ToolCall) -> bool {
        expected.iter().all(|(key, value)| {
            call.arguments
                .get(key.as_str())
                .is_some_and(|argument| self.equal(value, argument))
        })
    }
}

/// A formula's value as JSON; `None` where a variable is in it.
///
/// ```
/// use agentltl::{Value, value_to_json};
/// assert_eq!(value_to_json(&Value::from("x")), Some("x".into()));
/// assert_eq!(value_to_json(&Value::Var("r".into())), None);
/// ```
#[must_use]
pub fn value_to_json(value: &Value) -> Option<Json> {
    Bindings::NONE.resolve(value)
}

/// Equality by value: `1` equals `1.0`, `true` is not `1`, the order of keys does not matter.
///
/// ```
/// use agentltl::json_equal;
/// use serde_json::json;
/// assert!(json_equal(&json!({"a": 1, "b": [2.0]}), &json!({"b": [2], "a": 1.0})));
/// assert!(!json_equal(&json!(true), &json!(1)));
/// ```
#[must_use]
pub fn equal(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => from_json(a) == from_json(b),
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// A text that two values share if and only if they are [`equal`].
pub(crate) fn canonical(value: &Json) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

/// Appends the [`canonical`] text.
pub(crate) fn write_canonical(value: &Json, text: &mut String) {
    match value {
        Json::Null => text.push('n'),
        Json::Bool(value) => text.push(if *value { 't' } else { 'f' }),
        Json::Number(number) => match from_json(number) {
            Some(number) => write_number(number, text),
            None => _ = write!(text, "{number}"),
        },
        Json::String(string) => _ = write!(text, "{}\"{string}", string.len()),
        Json::Array(items) => {
            text.push('[');
            for item in items {
                write_canonical(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Json::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (key, value) in fields {
                let _ = write!(text, "{}\"{key}:", key.len());
                write_canonical(value, text);
                text.push(',');
            }
            text.push('}');
        }
    }
}

fn write_number(number: Number, text: &mut String) {
    let float = number.as_f64();
    // A float that is whole and in range prints like the integer it equals.
    let whole = number.as_int().or_else(|| {
        let whole = float as i128;
        (Number::int(whole) == number).then_some(whole)
    });
    let _ = match whole {
        Some(whole) => write!(text, "#{whole}"),
        None => write!(text, "#{float:e}"),
    };
}

/// The number of a JSON value; `None` where it is out of every range.
pub(crate) fn from_json(number: &serde_json::Number) -> Option<Number> {
    if let Some(value) = number.as_i64() {
        Some(value.into())
    } else if let Some(value) = number.as_u64() {
        Some(value.into())
    } else {
        number.as_f64().and_then(Number::float)
    }
}

/// The number as a JSON reader has it: a whole number beyond 64 bits is the nearest float.
fn as_read(number: Number) -> Number {
    match number.as_int() {
        Some(int) if i64::try_from(int).is_err() && u64::try_from(int).is_err() => {
            Number::float(int as f64).unwrap_or(number)
        }
        _ => number,
    }
}

fn to_json(number: Number) -> Option<serde_json::Number> {
    match number.as_int() {
        Some(int) => i64::try_from(int)
            .map(serde_json::Number::from)
            .or_else(|_| u64::try_from(int).map(serde_json::Number::from))
            .ok()
            .or_else(|| serde_json::Number::from_f64(int as f64)),
        None => serde_json::Number::from_f64(number.as_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn canonical_is_equality() {
        let values = [
            json!(null),
            json!(true),
            json!(false),
            json!(0),
            json!(-0.0),
            json!(1),
            json!(1.0),
            json!(1.5),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(1e300),
            json!(9_007_199_254_740_993_u64),
            json!(9_007_199_254_740_992.0),
            json!("1"),
            json!("n"),
            json!(""),
            json!([]),
            json!([1, 2]),
            json!([1.0, 2.0]),
            json!([[1], 2]),
            json!({}),
            json!({"a": 1, "b": 2}),
            json!({"b": 2.0, "a": 1}),
            json!({"a": 1}),
            json!({"a": {"b": 2}}),
        ];
        for a in &values {
            for b in &values {
                assert_eq!(equal(a, b), canonical(a) == canonical(b), "{a} and {b}");
            }
        }
    }

    #[test]
    fn a_number_matches_its_own_digits() {
        for digits in [
            "18446744073709551615",
            "18446744073709551617",
            "-9223372036854775809",
            "100000000000000000000000",
            "9007199254740993",
            "1e22",
            "0.1",
        ] {
            let text = format!("called_with(\"t\", x={digits})");
            let formula = agentltl_core::Formula::parse(&text).expect(&text);
            let agentltl_core::Node::CalledWith(_, args) = &formula.nodes()[0] else {
                unreachable!("{text}");
            };
            let json: Json = serde_json::from_str(digits).expect(digits);
            let call = ToolCall::new("t").with_argument("x", json);
            assert!(Bindings::NONE.arguments_match(args, &call), "{digits}");
        }
    }

    #[test]
    fn absent_is_not_null() {
        let args = Args::new([("x", Value::Null)]);
        assert!(!Bindings::NONE.arguments_match(&args, &ToolCall::new("t")));
        let call = ToolCall::new("t").with_argument("x", Json::Null);
        assert!(Bindings::NONE.arguments_match(&args, &call));
    }

    #[test]
    fn an_object_result_matches_one_with_more_fields() {
        let expected = Value::Object(vec![(Text::from("s"), Value::from("ok"))].into());
        assert!(Bindings::NONE.result_matches(&expected, &json!({"s": "ok", "t": 1})));
        assert!(!Bindings::NONE.result_matches(&expected, &json!({"s": {"s": "ok"}})));
        let nested = Value::List(vec![expected].into());
        assert!(!Bindings::NONE.result_matches(&nested, &json!([{"s": "ok", "t": 1}])));
    }
}
