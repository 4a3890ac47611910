//! The names and values that formulas and runs share.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// Names that need care: in escapes, in width, as keywords, as nothing at all.
const ODD: [&str; 10] = [
    "",
    "read file",
    "quote \" and \\ backslash\\",
    "two\nlines\t\r",
    "naïve_工具",
    "e\u{301}\u{200d}\u{202e}\u{0}",
    "forall",
    "true",
    "content-type",
    "?x",
];

/// A tool's name.
pub(super) fn tool(odd: bool) -> BoxedStrategy<String> {
    let plain = prop_oneof![6 => Just("a"), 6 => Just("b"), 4 => Just("c")].prop_map(String::from);
    text(plain, odd, 16)
}

/// The name of an argument or field.
pub(super) fn key(odd: bool) -> BoxedStrategy<String> {
    let plain = prop_oneof![3 => Just("x"), 2 => Just("y")].prop_map(String::from);
    text(plain, odd, 16)
}

/// What people write for people.
pub(super) fn prose(odd: bool) -> BoxedStrategy<String> {
    text(Just("when it rains".to_owned()), odd, 2)
}

fn text(
    plain: impl Strategy<Value = String> + 'static,
    odd: bool,
    weight: u32,
) -> BoxedStrategy<String> {
    if odd {
        prop_oneof![
            weight => plain,
            1 => proptest::sample::select(&ODD[..]).prop_map(String::from),
            1 => any::<String>(),
        ]
        .boxed()
    } else {
        plain.boxed()
    }
}

/// An argument, a result, or a part of one; the same few most of the time.
pub(super) fn json(odd: bool) -> BoxedStrategy<Json> {
    let usual = prop_oneof![
        4 => Just(json!(0)),
        4 => Just(json!(1)),
        1 => Just(json!(1.0)),
        1 => Just(json!(2.5)),
        3 => Just(json!("ok")),
        3 => Just(json!("no")),
        2 => Just(json!(true)),
        2 => Just(json!(null)),
        1 => Just(json!([])),
        1 => Just(json!([1, "ok"])),
        1 => Just(json!({})),
        1 => Just(json!({"x": 1})),
        1 => Just(json!({"y": "ok", "x": 1})),
    ];
    if !odd {
        return usual.boxed();
    }
    let rare = prop_oneof![
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>()
            .prop_filter("JSON has no infinities", |float| float.is_finite())
            .prop_map(Json::from),
        prose(true).prop_map(Json::from),
    ];
    let leaf = prop_oneof![24 => usual, 1 => rare];
    let nested = leaf.clone().prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            prop::collection::vec((key(true), inner), 0..3)
                .prop_map(|fields| Json::Object(fields.into_iter().collect())),
        ]
    });
    prop_oneof![12 => leaf, 1 => nested].boxed()
}
