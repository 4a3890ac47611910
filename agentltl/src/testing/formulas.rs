//! Random formulas: every atom and operator, without Rust code.

use agentltl_core::build as b;
use agentltl_core::{Args, Cmp, Domain, Formula, Value};
use proptest::prelude::*;
use serde_json::Value as Json;

use super::shape::{Binary, Shape, Unary};
use super::values::{json, key, prose, tool};

/// What formulas to make; [`FormulaParams::default`] is what [`formulas`] takes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FormulaParams {
    /// How many operators are nested at most.
    pub depth: u32,
    /// About how many atoms and operators there are at most.
    pub size: u32,
    /// May there be quantifiers, and the variables they bind?
    pub quantifiers: bool,
    /// May names, values and numbers be strange now and then, beside the usual few?
    pub odd: bool,
}

impl Default for FormulaParams {
    fn default() -> Self {
        FormulaParams {
            depth: 4,
            size: 12,
            quantifiers: true,
            odd: true,
        }
    }
}

impl FormulaParams {
    /// The parameters with other bounds on depth and size.
    #[must_use]
    pub fn with_size(mut self, depth: u32, size: u32) -> Self {
        (self.depth, self.size) = (depth, size);
        self
    }

    /// The parameters with or without quantifiers.
    #[must_use]
    pub fn with_quantifiers(mut self, quantifiers: bool) -> Self {
        self.quantifiers = quantifiers;
        self
    }

    /// The parameters with or without strange names, values and numbers.
    #[must_use]
    pub fn with_odd(mut self, odd: bool) -> Self {
        self.odd = odd;
        self
    }
}

/// Random closed formulas over the whole language, Rust code excepted.
pub fn formulas() -> impl Strategy<Value = Formula> {
    formulas_with(&FormulaParams::default())
}

/// Random closed formulas of the kind described.
pub fn formulas_with(params: &FormulaParams) -> impl Strategy<Value = Formula> + use<> {
    let FormulaParams {
        depth,
        size,
        quantifiers,
        odd,
    } = *params;
    atoms(odd)
        .prop_recursive(depth, size, 3, move |inner| {
            operators(inner, quantifiers, odd)
        })
        .prop_map(|shape| shape.formula())
}

/// A value in which a variable may stand for whatever quantifier is around, see [`Shape`].
fn values(odd: bool) -> BoxedStrategy<Value> {
    let constant = json(odd).prop_map(|json| value(&json));
    let variable = (0..3_u8).prop_map(|nth| Value::var(nth.to_string()));
    let list =
        prop::collection::vec(variable.clone(), 1..3).prop_map(|values| Value::List(values.into()));
    prop_oneof![8 => constant, 6 => variable, 1 => list].boxed()
}

/// The value a formula has for a JSON value.
fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::List(items.iter().map(value).collect()),
        Json::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(key, item)| (key.as_str().into(), value(item)))
                .collect(),
        ),
        Json::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(int), ..) => Value::from(int),
            (_, Some(int), _) => Value::from(int),
            (.., float) => float
                .and_then(agentltl_core::Number::float)
                .map_or(Value::Null, Value::Number),
        },
    }
}

fn args(odd: bool) -> BoxedStrategy<Args> {
    prop::collection::vec((key(odd), values(odd)), 0..=2)
        .prop_map(Args::new)
        .boxed()
}

fn numbers(odd: bool, usual: std::ops::Range<i64>) -> BoxedStrategy<i64> {
    if odd {
        prop_oneof![30 => usual, 1 => any::<i64>()].boxed()
    } else {
        usual.boxed()
    }
}

fn comparisons() -> impl Strategy<Value = Cmp> {
    proptest::sample::select(vec![Cmp::Eq, Cmp::Ge, Cmp::Le, Cmp::Gt, Cmp::Lt])
}

fn atoms(odd: bool) -> BoxedStrategy<Shape> {
    let t = move || tool(odd);
    let tools = move || prop::collection::vec(tool(odd), 1..=3);
    let known = prop_oneof![
        1 => any::<bool>().prop_map(b::truth),
        3 => t().prop_map(b::called),
        6 => t().prop_map(b::now),
        3 => (t(), t()).prop_map(|(a, b)| b::before(a, b)),
        2 => (t(), t()).prop_map(|(a, b)| b::after(a, b)),
        2 => (tools(), t()).prop_map(|(tools, gate)| b::all_before(tools, gate)),
        2 => tools().prop_map(b::in_order),
        2 => branches(odd),
        3 => (t(), comparisons(), numbers(odd, -1..4))
            .prop_map(|(tool, cmp, number)| b::called_n(tool, cmp, number)),
        2 => (t(), t(), numbers(odd, -1..5)).prop_map(|(a, b, k)| b::within_steps(a, b, k)),
        2 => (t(), numbers(false, 1..4), t(), numbers(false, 1..4))
            .prop_map(|(a, n, b, m)| b::instance_before(a, n, b, m)),
    ];
    let valued = prop_oneof![
        3 => (t(), args(odd)).prop_map(|(tool, args)| b::called_with(tool, args)),
        3 => (t(), values(odd), args(odd))
            .prop_map(|(tool, result, args)| b::called_with_result(tool, result, args)),
        4 => (tools(), args(odd)).prop_map(|(tools, args)| b::matches(tools, args)),
    ];
    prop_oneof![2 => known, 1 => valued]
        .prop_map(Shape::Atom)
        .boxed()
}

fn branches(odd: bool) -> BoxedStrategy<Formula> {
    let context = prop_oneof![2 => Just(None), 1 => prose(odd).prop_map(Some)];
    (tool(odd), prop::option::of(tool(odd)), context)
        .prop_map(|(correct, wrong, context)| {
            b::branch_called_when(correct, wrong.map(Into::into), context.map(Into::into))
        })
        .boxed()
}

fn operators(inner: BoxedStrategy<Shape>, quantifiers: bool, odd: bool) -> BoxedStrategy<Shape> {
    let unary = prop_oneof![
        4 => Just(Unary::Not),
        2 => Just(Unary::Next),
        3 => Just(Unary::Globally),
        3 => Just(Unary::Eventually),
        2 => Just(Unary::Previous),
        2 => Just(Unary::Once),
        2 => Just(Unary::Historically),
        1 => numbers(odd, -1..4).prop_map(Unary::At),
        2 => (comparisons(), numbers(odd, -1..4))
            .prop_map(|(cmp, number)| Unary::CountBefore(cmp, number)),
    ];
    let binary = proptest::sample::select(vec![
        Binary::Implies,
        Binary::Implies,
        Binary::Until,
        Binary::WeakUntil,
        Binary::Release,
        Binary::Since,
    ]);
    let several = prop::collection::vec(inner.clone(), 2..=3);
    let plain = prop_oneof![
        4 => (unary, inner.clone()).prop_map(|(op, f)| Shape::Unary(op, Box::new(f))),
        3 => (binary, inner.clone(), inner.clone())
            .prop_map(|(op, f, g)| Shape::Binary(op, Box::new(f), Box::new(g))),
        3 => (any::<bool>(), several).prop_map(|(all, operands)| Shape::Chain { all, operands }),
    ];
    if !quantifiers {
        return plain.boxed();
    }
    let variable = proptest::sample::select(if odd {
        vec!["v", "w", "in", "été", "no name"]
    } else {
        vec!["v", "w"]
    });
    let quantified = (any::<bool>(), variable, domains(odd), inner).prop_map(
        |(universal, variable, domain, body)| Shape::Quantified {
            universal,
            variable: variable.into(),
            domain,
            body: Box::new(body),
        },
    );
    prop_oneof![4 => plain, 1 => quantified].boxed()
}

fn domains(odd: bool) -> BoxedStrategy<Domain> {
    prop_oneof![
        3 => (tool(odd), key(odd)).prop_map(|(tool, key)| Domain::Args(tool.into(), key.into())),
        2 => (tool(odd), prop::option::of(key(odd)))
            .prop_map(|(tool, field)| Domain::Results(tool.into(), field.map(Into::into))),
        2 => prop::collection::vec(values(odd), 0..=3)
            .prop_map(|values| Domain::Values(values.into())),
    ]
    .boxed()
}
