//! Formulas and traces from a string of bytes: for tests, which draw the bytes at random, and for the
//! fuzzer, which searches for those that reach new code.
#![allow(dead_code)]

use agentltl::build::*;
use agentltl::{
    Answer, Args, Cmp, Domain, Formula, Match, Number, Text, ToolCall, Value, domain,
    matches_pattern, predicate, predicate_looking_back,
};
use serde_json::{Value as Json, json};

/// Reads choices from bytes; zeros once they are used up.
pub struct Bytes<'b>(pub &'b [u8]);

impl Bytes<'_> {
    pub fn below(&mut self, limit: usize) -> usize {
        let [first, rest @ ..] = self.0 else { return 0 };
        self.0 = rest;
        *first as usize % limit
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == of - 1
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}

/// Which parts of the language to use.
#[derive(Clone, Copy)]
pub struct Language {
    pub quantifiers: bool,
    pub rust: bool,
}

const TOOLS: [&str; 4] = ["a", "b", "c", "d"];
const KEYS: [&str; 2] = ["x", "y"];
const VARIABLES: [&str; 2] = ["v", "w"];

fn tool(bytes: &mut Bytes<'_>) -> &'static str {
    TOOLS[[0, 0, 0, 1, 1, 1, 2, 2, 3][bytes.below(9)]]
}

fn cmp(bytes: &mut Bytes<'_>) -> Cmp {
    bytes.pick(&[Cmp::Eq, Cmp::Ge, Cmp::Le, Cmp::Gt, Cmp::Lt])
}

fn constant(bytes: &mut Bytes<'_>) -> Value {
    let object = |fields: &[(&str, Value)]| {
        Value::Object(
            fields
                .iter()
                .map(|(k, v)| (Text::from(*k), v.clone()))
                .collect(),
        )
    };
    match bytes.below(8) {
        0 | 1 => 1.into(),
        2 => "ok".into(),
        3 => Value::Null,
        4 => Value::Number(Number::float(1.0).expect("finite")),
        5 => object(&[("s", "ok".into())]),
        6 => Value::List(vec![1.into(), "ok".into()].into()),
        _ => 2.into(),
    }
}

fn value(bytes: &mut Bytes<'_>, bound: &[&'static str]) -> Value {
    if !bound.is_empty() && bytes.below(4) != 0 {
        let variable = Value::var(bytes.pick(bound));
        return match bytes.below(6) {
            0 => Value::Object([(Text::from("s"), variable)].into_iter().collect()),
            1 => Value::List(vec![variable].into()),
            _ => variable,
        };
    }
    constant(bytes)
}

fn args(bytes: &mut Bytes<'_>, bound: &[&'static str]) -> Args {
    let count = [1, 1, 1, 2, 0][bytes.below(5)];
    Args::new((0..count).map(|i| (KEYS[i], value(bytes, bound))))
}

/// A formula nested at most `depth` deep.
pub fn formula(bytes: &mut Bytes<'_>, language: Language, depth: usize) -> Formula {
    node(bytes, language, depth, &mut Vec::new())
}

fn node(
    bytes: &mut Bytes<'_>,
    language: Language,
    depth: usize,
    bound: &mut Vec<&'static str>,
) -> Formula {
    if depth <= 1 || bytes.below(9) == 0 {
        return atom(bytes, language, bound);
    }
    let mut sub = |bytes: &mut Bytes<'_>| node(bytes, language, depth - 1, bound);
    match bytes.below(24) {
        0 | 1 => !sub(bytes),
        2 | 3 => sub(bytes) & sub(bytes),
        4 => Formula::all([sub(bytes), sub(bytes), sub(bytes)]),
        5 | 6 => sub(bytes) | sub(bytes),
        7 | 8 => sub(bytes) >> sub(bytes),
        9 => next(sub(bytes)),
        10..=12 => globally(sub(bytes)),
        13 => eventually(sub(bytes)),
        14 => until(sub(bytes), sub(bytes)),
        15 => weak_until(sub(bytes), sub(bytes)),
        16 => release(sub(bytes), sub(bytes)),
        17 => previous(sub(bytes)),
        18 => once(sub(bytes)),
        19 => historically(sub(bytes)),
        20 => since(sub(bytes), sub(bytes)),
        21 => {
            let number = bytes.below(5) as i64 - 1;
            count_before(sub(bytes), cmp(bytes), number)
        }
        22 if language.quantifiers => {
            let over = quantified(bytes, language, bound);
            let variable = bytes.pick(&VARIABLES);
            bound.push(variable);
            let body = node(bytes, language, depth - 1, bound);
            bound.pop();
            match bytes.below(3) {
                0 => exists(variable, over, body),
                _ => forall(variable, over, body),
            }
        }
        _ => {
            let position = bytes.below(6) as i64 - 1;
            at(position, sub(bytes))
        }
    }
}

fn quantified(bytes: &mut Bytes<'_>, language: Language, bound: &[&'static str]) -> Domain {
    match bytes.below(8) {
        0..4 => Domain::Args(tool(bytes).into(), bytes.pick(&KEYS).into()),
        4 => Domain::Results(tool(bytes).into(), None),
        5 => Domain::Results(tool(bytes).into(), Some("s".into())),
        6 if language.rust => domain("tools", |calls| {
            calls
                .iter()
                .map(|call| json!(call.tool_name.as_str() == "a"))
                .collect()
        }),
        _ => Domain::Values((0..bytes.below(3)).map(|_| value(bytes, bound)).collect()),
    }
}

fn atom(bytes: &mut Bytes<'_>, language: Language, bound: &[&'static str]) -> Formula {
    let number = |bytes: &mut Bytes<'_>| bytes.below(6) as i64 - 1;
    // Under a quantifier the atoms that can speak of its entity are the interesting ones.
    let kind = match bound {
        [] => bytes.below(22),
        _ => [bytes.below(22), 5, 6, 7, 15, 15][bytes.below(6)],
    };
    match kind {
        0 => truth(bytes.chance(2)),
        1 | 2 => called(tool(bytes)),
        3 | 4 => called_n(tool(bytes), cmp(bytes), number(bytes)),
        5 | 6 => called_with(tool(bytes), args(bytes, bound)),
        7 => called_with_result(tool(bytes), value(bytes, bound), args(bytes, bound)),
        8 => before(tool(bytes), tool(bytes)),
        9 => after(tool(bytes), tool(bytes)),
        10 => {
            let tools: Vec<_> = (0..=bytes.below(3)).map(|_| tool(bytes)).collect();
            all_before(tools, tool(bytes))
        }
        11 => in_order((0..=bytes.below(3)).map(|_| tool(bytes))),
        12 => match bytes.chance(2) {
            true => branch_called(tool(bytes)),
            false => branch_called_not(tool(bytes), tool(bytes)),
        },
        13 => within_steps(tool(bytes), tool(bytes), number(bytes)),
        14 => instance_before(tool(bytes), number(bytes), tool(bytes), number(bytes)),
        15 => {
            let tools: Vec<_> = (0..=bytes.below(2)).map(|_| tool(bytes)).collect();
            matches(tools, args(bytes, bound))
        }
        16 if language.rust => {
            let maybe = bytes.chance(2);
            let pattern = |call: &ToolCall| match call.arguments.get("x") {
                Some(Json::Number(_)) => Match::Yes,
                Some(Json::String(_)) => Match::Maybe,
                _ => Match::No,
            };
            matches_pattern("numeric", pattern, maybe)
        }
        17 if language.rust => {
            let declared = bytes.pick(&[None, Some(true), Some(false)]);
            match bytes.below(3) {
                0 => predicate("few", declared, |calls: &[ToolCall], position: usize| {
                    calls.len() + position < 5
                }),
                1 => {
                    predicate_looking_back("short", declared, |calls: &[ToolCall]| calls.len() < 4)
                }
                _ => predicate_looking_back("final", declared, |calls: &[ToolCall]| {
                    let is_a = calls.last().is_some_and(|call| call.tool_name == "a");
                    Answer::new(is_a).finally()
                }),
            }
        }
        _ => now(tool(bytes)),
    }
}

/// The calls of a run.
pub fn calls(bytes: &mut Bytes<'_>, most: usize, results: bool) -> Vec<ToolCall> {
    let count = bytes.below(most + 1);
    let steps = bytes.below(3) == 0;
    let mut step = 0;
    let calls = (0..count).map(|_| {
        let mut call = ToolCall::new(tool(bytes));
        for key in KEYS {
            if let Some(value) = json_value(bytes, 3) {
                call = call.with_argument(key, value);
            }
        }
        if results && bytes.below(4) != 0 {
            let result = json_value(bytes, 0).unwrap_or_else(|| json!({"s": "ok", "t": 1}));
            call = call.with_result(result);
        }
        if steps && bytes.below(4) != 0 {
            step += [0, 1, 1, 2, -1][bytes.below(5)];
            call = call.with_step(step);
        }
        call
    });
    calls.collect()
}

fn json_value(bytes: &mut Bytes<'_>, absent: usize) -> Option<Json> {
    Some(match bytes.below(9 + absent) {
        0..=2 => json!(1),
        3 => json!("ok"),
        4 => json!(2.0),
        5 => json!({"s": "ok"}),
        6 => json!([1.0, "ok"]),
        7 => json!({"s": 1}),
        8 if absent == 0 => return None,
        8 => Json::Null,
        _ => return None,
    })
}

/// Bytes at random, from a seed.
pub fn random(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    let bytes = (0..count).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8
    });
    bytes.collect()
}
