//! The values a formula compares arguments and results with.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::text::{Seq, Text};

/// A number, compared by value: `1` equals `1.0`, and no conversion loses a digit.
///
/// ```
/// use agentltl_core::Number;
/// assert_eq!(Number::from(1_i64), Number::float(1.0).unwrap());
/// // 2^53 + 1 has no f64 of its own
/// assert_ne!(Number::from(9_007_199_254_740_993_i64), Number::float(9_007_199_254_740_992.0).unwrap());
/// assert!(Number::float(f64::NAN).is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Number(NumberRepr);

#[derive(Clone, Copy, Debug)]
enum NumberRepr {
    Int(i128),
    Float(f64),
}

impl Number {
    /// A whole number; usable in a `const` or `static`.
    #[must_use]
    pub const fn int(value: i128) -> Self {
        Number(NumberRepr::Int(value))
    }

    /// A finite number, or `None` for an infinity or NaN, which JSON cannot say.
    #[must_use]
    pub const fn float(value: f64) -> Option<Self> {
        if value.is_finite() {
            Some(Number(NumberRepr::Float(value)))
        } else {
            None
        }
    }

    /// The number as a whole number, where it was written as one.
    #[must_use]
    pub const fn as_int(self) -> Option<i128> {
        match self.0 {
            NumberRepr::Int(value) => Some(value),
            NumberRepr::Float(_) => None,
        }
    }

    /// The nearest floating-point number.
    #[must_use]
    pub const fn as_f64(self) -> f64 {
        match self.0 {
            NumberRepr::Int(value) => value as f64,
            NumberRepr::Float(value) => value,
        }
    }
}

macro_rules! from_int {
    ($($int:ty),*) => {$(
        impl From<$int> for Number {
            fn from(value: $int) -> Self {
                Number::int(value.into())
            }
        }
        impl From<$int> for Value {
            fn from(value: $int) -> Self {
                Value::Number(value.into())
            }
        }
    )*};
}
from_int!(i8, i16, i32, i64, u8, u16, u32, u64);

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (NumberRepr::Int(a), NumberRepr::Int(b)) => a == b,
            (NumberRepr::Float(a), NumberRepr::Float(b)) => a == b,
            (NumberRepr::Int(int), NumberRepr::Float(float))
            | (NumberRepr::Float(float), NumberRepr::Int(int)) => compare(int, float).is_eq(),
        }
    }
}

// No NaN can be stored, so equality is reflexive.
impl Eq for Number {}

/// Exact comparison of a whole and a finite floating-point number.
fn compare(int: i128, float: f64) -> Ordering {
    const LIMIT: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0; // 2^127
    if float >= LIMIT {
        Ordering::Less
    } else if float < -LIMIT {
        Ordering::Greater
    } else {
        // In range, and the whole part of an f64 is exact in an i128.
        let whole = float.trunc() as i128;
        int.cmp(&whole)
            .then_with(|| 0.0_f64.total_cmp(&(float.fract() + 0.0)))
    }
}

/// A value written in a formula: JSON, or a quantified variable standing for JSON.
///
/// Objects are equal whatever the order of their keys.
///
/// ```
/// use agentltl_core::Value;
/// assert_eq!(Value::from("SEA"), Value::Text("SEA".into()));
/// assert_eq!(Value::from(1_i64), Value::Number(agentltl_core::Number::float(1.0).unwrap()));
/// assert_ne!(Value::from(true), Value::from(1_i64));
/// ```
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(Text),
    /// `[value..]`
    List(Seq<Value>),
    /// `{key: value..}`
    Object(Seq<(Text, Value)>),
    /// `?NAME`: what the quantifier of that name stands for.
    Var(Text),
}

/// How deep lists and objects nest: what compares, prints and drops a value recurses.
pub(crate) const MAX_VALUE_DEPTH: usize = 128;

impl Value {
    /// A variable bound by an enclosing quantifier, written `?name`.
    #[must_use]
    pub fn var(name: impl Into<Text>) -> Self {
        Value::Var(name.into())
    }

    /// How many lists and objects are nested in each other at most; any other value has depth 0.
    ///
    /// ```
    /// use agentltl_core::Value;
    /// assert_eq!(Value::from(1).depth(), 0);
    /// assert_eq!(Value::List(vec![Value::from(1)].into()).depth(), 1);
    /// ```
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        self.walk(&mut |value, depth| {
            let around = usize::from(matches!(value, Value::List(_) | Value::Object(_)));
            deepest = deepest.max(depth + around);
        });
        deepest
    }

    /// A field that an object in the value has twice.
    pub(crate) fn repeated_field(&self) -> Option<&Text> {
        let mut repeated = None;
        self.walk(&mut |value, _| {
            if let Value::Object(fields) = value {
                let mut names = HashSet::new();
                let again = fields.iter().find(|(name, _)| !names.insert(name));
                repeated = repeated.or(again.map(|(name, _)| name));
            }
        });
        repeated
    }

    /// Calls `visit` with each value in the value, itself included, and how many are around it.
    /// Values made by hand nest as deep as they like, so this does not recurse.
    fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Value, usize)) {
        let mut todo = vec![(self, 0)];
        while let Some((value, depth)) = todo.pop() {
            visit(value, depth);
            match value {
                Value::List(items) => todo.extend(items.iter().map(|item| (item, depth + 1))),
                Value::Object(fields) => {
                    todo.extend(fields.iter().map(|(_, field)| (field, depth + 1)));
                }
                _ => {}
            }
        }
    }

    /// Calls `visit` with each variable in the value.
    pub fn variables<'a>(&'a self, visit: &mut dyn FnMut(&'a Text)) {
        self.walk(&mut |value, _| {
            if let Value::Var(name) = value {
                visit(name);
            }
        });
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::Text(a), Value::Text(b)) | (Value::Var(a), Value::Var(b)) => a == b,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Object(a), Value::Object(b)) => same_fields(a, b),
            _ => false,
        }
    }
}

impl Eq for Value {}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text.into())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

/// The named arguments a call must have, in the order they were written.
///
/// Two lists with the same pairs are equal whatever their order.
///
/// ```
/// use agentltl_core::{Args, Value};
/// let args = Args::new([("city", Value::from("SEA")), ("seats", Value::from(2))]);
/// assert_eq!(args, Args::new([("seats", Value::from(2)), ("city", Value::from("SEA"))]));
/// assert_eq!(args.get("seats"), Some(&Value::from(2)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Args(Seq<(Text, Value)>);

impl Args {
    /// Arguments by name; the last of two with the same name counts.
    pub fn new<K: Into<Text>>(pairs: impl IntoIterator<Item = (K, Value)>) -> Self {
        let mut items: Vec<(Text, Value)> = Vec::new();
        for (key, value) in pairs {
            let key = key.into();
            match items.iter_mut().find(|(other, _)| *other == key) {
                Some(item) => item.1 = value,
                None => items.push((key, value)),
            }
        }
        Args(items.into())
    }

    /// Arguments that the caller knows to have each name once.
    pub(crate) fn distinct(pairs: Vec<(Text, Value)>) -> Self {
        Args(pairs.into())
    }

    /// Arguments that are part of the program, each name once; usable in a `const` or `static`.
    #[must_use]
    pub const fn from_static(pairs: &'static [(Text, Value)]) -> Self {
        Args(Seq::from_static(pairs))
    }

    /// The value an argument must have.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0
            .iter()
            .find(|(other, _)| other == key)
            .map(|(_, value)| value)
    }

    /// The pairs in the order they were written.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text, &Value)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Is every call with the right tool a match?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl PartialEq for Args {
    fn eq(&self, other: &Self) -> bool {
        same_fields(&self.0, &other.0)
    }
}

impl Eq for Args {}

/// Equality of objects: the same keys with equal values, in any order.
fn same_fields(a: &[(Text, Value)], b: &[(Text, Value)]) -> bool {
    // From here on a table is worth its cost; without one, large objects would take quadratic time.
    const LARGE: usize = 16;
    if a.len() != b.len() {
        return false;
    }
    if a.len() < LARGE {
        return a.iter().all(|(key, value)| {
            b.iter()
                .any(|(other, candidate)| key == other && value == candidate)
        });
    }
    let fields: HashMap<&Text, &Value> = b.iter().map(|(key, value)| (key, value)).collect();
    a.iter()
        .all(|(key, value)| fields.get(key).is_some_and(|candidate| *candidate == value))
}
