//! What a random formula is made from: closed only once it is known which quantifiers are around.

use agentltl_core::build as b;
use agentltl_core::{Args, Cmp, Domain, Formula, Node, Pattern, Text, Value};

/// A formula whose variables are numbers: the n-th stands for the n-th quantifier around it,
/// counted from the inside and round again; for a constant where there is none. So every formula is
/// closed, and stays so while a test case shrinks.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// One atom.
    Atom(Formula),
    Unary(Unary, Box<Shape>),
    Binary(Binary, Box<Shape>, Box<Shape>),
    Chain {
        all: bool,
        operands: Vec<Shape>,
    },
    Quantified {
        universal: bool,
        variable: Text,
        domain: Domain,
        body: Box<Shape>,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Unary {
    Not,
    Next,
    Globally,
    Eventually,
    Previous,
    Once,
    Historically,
    At(i64),
    CountBefore(Cmp, i64),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Binary {
    Implies,
    Until,
    WeakUntil,
    Release,
    Since,
}

impl Shape {
    pub(super) fn formula(&self) -> Formula {
        self.under(&mut Vec::new())
    }

    // Recurses as deep as the parameters allow.
    fn under(&self, scope: &mut Vec<Text>) -> Formula {
        match self {
            Shape::Atom(atom) => close_atom(atom, scope),
            Shape::Unary(op, f) => {
                let f = f.under(scope);
                match *op {
                    Unary::Not => !f,
                    Unary::Next => b::next(f),
                    Unary::Globally => b::globally(f),
                    Unary::Eventually => b::eventually(f),
                    Unary::Previous => b::previous(f),
                    Unary::Once => b::once(f),
                    Unary::Historically => b::historically(f),
                    Unary::At(position) => b::at(position, f),
                    Unary::CountBefore(cmp, number) => b::count_before(f, cmp, number),
                }
            }
            Shape::Binary(op, f, g) => {
                let (f, g) = (f.under(scope), g.under(scope));
                match op {
                    Binary::Implies => f >> g,
                    Binary::Until => b::until(f, g),
                    Binary::WeakUntil => b::weak_until(f, g),
                    Binary::Release => b::release(f, g),
                    Binary::Since => b::since(f, g),
                }
            }
            Shape::Chain { all, operands } => {
                let operands: Vec<_> = operands.iter().map(|f| f.under(scope)).collect();
                if *all {
                    Formula::all(operands)
                } else {
                    Formula::any(operands)
                }
            }
            Shape::Quantified {
                universal,
                variable,
                domain,
                body,
            } => {
                let domain = match domain {
                    Domain::Values(values) => {
                        Domain::Values(values.iter().map(|value| close(value, scope)).collect())
                    }
                    domain => domain.clone(),
                };
                scope.push(variable.clone());
                let body = body.under(scope);
                scope.pop();
                if *universal {
                    b::forall(variable.clone(), domain, body)
                } else {
                    b::exists(variable.clone(), domain, body)
                }
            }
        }
    }
}

fn close_atom(atom: &Formula, scope: &[Text]) -> Formula {
    match atom.nodes() {
        [Node::CalledWith(tool, args)] => b::called_with(tool.clone(), close_args(args, scope)),
        [Node::CalledWithResult(tool, result, args)] => {
            b::called_with_result(tool.clone(), close(result, scope), close_args(args, scope))
        }
        [Node::Matches(Pattern::Tools(tools, args))] => {
            b::matches(tools.iter().cloned(), close_args(args, scope))
        }
        _ => atom.clone(),
    }
}

fn close_args(args: &Args, scope: &[Text]) -> Args {
    Args::new(
        args.iter()
            .map(|(key, value)| (key.clone(), close(value, scope))),
    )
}

fn close(value: &Value, scope: &[Text]) -> Value {
    match value {
        Value::Var(nth) => {
            let nth: usize = nth.parse().unwrap_or(0);
            match scope.len() {
                0 => Value::from(1),
                around => Value::Var(scope[around - 1 - nth % around].clone()),
            }
        }
        Value::List(items) => Value::List(items.iter().map(|item| close(item, scope)).collect()),
        value => value.clone(),
    }
}
