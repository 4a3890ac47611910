//! Formulas by functions and operators: `before("a", "b") & !now("c")`, `a >> b` for `a -> b`.

use std::ops::{BitAnd, BitOr, Not, Shr};

use crate::formula::Formula;
use crate::host::Host;
use crate::node::{Bound, Cmp, Domain, Node, Pattern};
use crate::text::{Name, Seq, Text};
use crate::value::{Args, Value};

fn atom(node: Node) -> Formula {
    Formula::from_nodes(vec![node])
}

fn unary(node: Node, operand: Formula) -> Formula {
    let mut nodes = operand.into_nodes();
    nodes.push(node);
    Formula::from_nodes(nodes)
}

fn binary(node: Node, left: Formula, right: Formula) -> Formula {
    let mut nodes = left.into_nodes();
    nodes.extend(right.into_nodes());
    nodes.push(node);
    Formula::from_nodes(nodes)
}

fn names<T: Into<Name>>(tools: impl IntoIterator<Item = T>) -> Seq<Name> {
    tools.into_iter().map(Into::into).collect()
}

impl Formula {
    /// The conjunction of the formulas; `true` for none.
    ///
    /// ```
    /// use agentltl_core::{build::*, Formula};
    /// assert_eq!(Formula::all([now("a"), now("b"), now("c")]), now("a") & now("b") & now("c"));
    /// assert_eq!(Formula::all([]), truth(true));
    /// ```
    pub fn all(formulas: impl IntoIterator<Item = Formula>) -> Formula {
        chain(formulas, Node::And).unwrap_or_else(|| truth(true))
    }

    /// The disjunction of the formulas; `false` for none.
    ///
    /// ```
    /// use agentltl_core::{build::*, Formula};
    /// assert_eq!(Formula::any([now("a"), now("b")]), now("a") | now("b"));
    /// assert_eq!(Formula::any([]), truth(false));
    /// ```
    pub fn any(formulas: impl IntoIterator<Item = Formula>) -> Formula {
        chain(formulas, Node::Or).unwrap_or_else(|| truth(false))
    }
}

/// One flat `&` or `|` over the formulas: both are associative, so nesting carries no meaning.
pub(crate) fn chain(
    formulas: impl IntoIterator<Item = Formula>,
    node: fn(u32) -> Node,
) -> Option<Formula> {
    let mut formulas = formulas.into_iter();
    let mut nodes = formulas.next()?.into_nodes();
    let mut operands = operands_of(&mut nodes, node);
    for formula in formulas {
        let mut more = formula.into_nodes();
        operands += operands_of(&mut more, node);
        nodes.append(&mut more);
    }
    if operands > 1 {
        nodes.push(node(operands));
    }
    Some(Formula::from_nodes(nodes))
}

/// Takes the root off where it is the same operator, and counts the operands that remain.
fn operands_of(nodes: &mut Vec<Node>, node: fn(u32) -> Node) -> u32 {
    match (nodes.last(), node(0)) {
        (Some(&Node::And(n)), Node::And(_)) | (Some(&Node::Or(n)), Node::Or(_)) => {
            nodes.pop();
            n
        }
        _ => 1,
    }
}

/// `true` or `false`.
#[must_use]
pub fn truth(value: bool) -> Formula {
    atom(if value { Node::True } else { Node::False })
}

/// `called(tool)`: the tool is called somewhere in the run.
pub fn called(tool: impl Into<Name>) -> Formula {
    atom(Node::Called(tool.into()))
}

/// `now(tool)`: the call at this position is the tool.
pub fn now(tool: impl Into<Name>) -> Formula {
    atom(Node::Now(tool.into()))
}

/// `before(a, b)`: the first a precedes the first b.
pub fn before(a: impl Into<Name>, b: impl Into<Name>) -> Formula {
    atom(Node::Before(a.into(), b.into()))
}

/// `after(a, b)`: the first a follows the first b.
pub fn after(a: impl Into<Name>, b: impl Into<Name>) -> Formula {
    atom(Node::After(a.into(), b.into()))
}

/// `all_before(tools, gate)`: each of the tools is called before the first gate.
pub fn all_before<T: Into<Name>>(
    tools: impl IntoIterator<Item = T>,
    gate: impl Into<Name>,
) -> Formula {
    atom(Node::AllBefore(names(tools), gate.into()))
}

/// `in_order(tools)`: the tools appear as a subsequence of the run.
pub fn in_order<T: Into<Name>>(tools: impl IntoIterator<Item = T>) -> Formula {
    atom(Node::InOrder(names(tools)))
}

/// `branch_called(correct)`: the branch is taken.
pub fn branch_called(correct: impl Into<Name>) -> Formula {
    atom(Node::BranchCalled {
        correct: correct.into(),
        wrong: None,
        context: None,
    })
}

/// `branch_called(correct, wrong)`: the right branch is taken, not the wrong one.
pub fn branch_called_not(correct: impl Into<Name>, wrong: impl Into<Name>) -> Formula {
    atom(Node::BranchCalled {
        correct: correct.into(),
        wrong: Some(wrong.into()),
        context: None,
    })
}

/// `branch_called(correct [, wrong] [, context=STRING])`: the same, with a note for people on when
/// this branch is the right one.
///
/// ```
/// use agentltl_core::build::branch_called_when;
/// let branch = branch_called_when("refund", None, Some("the order is late".into()));
/// assert_eq!(branch.to_string(), r#"branch_called("refund", context="the order is late")"#);
/// ```
pub fn branch_called_when(
    correct: impl Into<Name>,
    wrong: Option<Name>,
    context: Option<Text>,
) -> Formula {
    atom(Node::BranchCalled {
        correct: correct.into(),
        wrong,
        context,
    })
}

/// `called_n(tool, op k)`: how often the tool is called.
///
/// ```
/// use agentltl_core::{build::called_n, Cmp};
/// assert_eq!(called_n("deploy", Cmp::Le, 1).to_string(), r#"called_n("deploy", <= 1)"#);
/// ```
pub fn called_n(tool: impl Into<Name>, cmp: Cmp, number: i64) -> Formula {
    atom(Node::CalledN(tool.into(), Bound { cmp, number }))
}

/// `called_with(tool, key=value..)`: a call of the tool has these arguments.
pub fn called_with(tool: impl Into<Name>, args: Args) -> Formula {
    atom(Node::CalledWith(tool.into(), args))
}

/// `called_with_result(tool, result, key=value..)`: such a call returned this.
pub fn called_with_result(tool: impl Into<Name>, result: impl Into<Value>, args: Args) -> Formula {
    atom(Node::CalledWithResult(tool.into(), result.into(), args))
}

/// `within_steps(a, b, k)`: a b comes at most k calls after the first a.
pub fn within_steps(a: impl Into<Name>, b: impl Into<Name>, steps: i64) -> Formula {
    atom(Node::WithinSteps(a.into(), b.into(), steps))
}

/// `instance_before(a[n], b[m])`: the n-th a precedes the m-th b, counted from 1.
pub fn instance_before(a: impl Into<Name>, n: i64, b: impl Into<Name>, m: i64) -> Formula {
    atom(Node::InstanceBefore(a.into(), n, b.into(), m))
}

/// `matches([tools], key=value..)`: the call here is one of the tools, with these arguments.
pub fn matches<T: Into<Name>>(tools: impl IntoIterator<Item = T>, args: Args) -> Formula {
    atom(Node::Matches(Pattern::Tools(names(tools), args)))
}

/// A call pattern in Rust; `maybe` says whether its "maybe" counts as a match.
#[must_use]
pub fn matches_host(pattern: Host, maybe: bool) -> Formula {
    atom(Node::Matches(Pattern::Host { pattern, maybe }))
}

/// A predicate in Rust, and what its author declares of its violations.
#[must_use]
pub fn predicate_host(function: Host, runtime_safe: Option<bool>) -> Formula {
    atom(Node::Predicate {
        function,
        runtime_safe,
    })
}

/// `X f`: f at the next position.
#[must_use]
pub fn next(f: Formula) -> Formula {
    unary(Node::Next, f)
}

/// `@k(f)`: f at position k, counted from 0.
#[must_use]
pub fn at(position: i64, f: Formula) -> Formula {
    unary(Node::At(position), f)
}

/// `G f`: f from here on.
#[must_use]
pub fn globally(f: Formula) -> Formula {
    unary(Node::Globally, f)
}

/// `F f`: f here or later.
#[must_use]
pub fn eventually(f: Formula) -> Formula {
    unary(Node::Eventually, f)
}

/// `f U g`: f until g, and g comes.
#[must_use]
pub fn until(f: Formula, g: Formula) -> Formula {
    binary(Node::Until, f, g)
}

/// `f W g`: f until g, or f for ever.
#[must_use]
pub fn weak_until(f: Formula, g: Formula) -> Formula {
    binary(Node::WeakUntil, f, g)
}

/// `f R g`: g up to and including the first f.
#[must_use]
pub fn release(f: Formula, g: Formula) -> Formula {
    binary(Node::Release, f, g)
}

/// `Y f`: f at the previous position.
#[must_use]
pub fn previous(f: Formula) -> Formula {
    unary(Node::Previous, f)
}

/// `O f`: f here or earlier.
#[must_use]
pub fn once(f: Formula) -> Formula {
    unary(Node::Once, f)
}

/// `H f`: f up to here.
#[must_use]
pub fn historically(f: Formula) -> Formula {
    unary(Node::Historically, f)
}

/// `f S g`: g here or earlier, and f since.
#[must_use]
pub fn since(f: Formula, g: Formula) -> Formula {
    binary(Node::Since, f, g)
}

/// `count_before(f, op k)`: how often f held before here.
#[must_use]
pub fn count_before(f: Formula, cmp: Cmp, number: i64) -> Formula {
    unary(Node::CountBefore(Bound { cmp, number }), f)
}

/// `forall variable in domain: f`
pub fn forall(variable: impl Into<Text>, domain: Domain, f: Formula) -> Formula {
    unary(Node::Forall(variable.into(), domain), f)
}

/// `exists variable in domain: f`
pub fn exists(variable: impl Into<Text>, domain: Domain, f: Formula) -> Formula {
    unary(Node::Exists(variable.into(), domain), f)
}

/// `!f`
impl Not for Formula {
    type Output = Formula;
    fn not(self) -> Formula {
        unary(Node::Not, self)
    }
}

/// `f & g`
impl BitAnd for Formula {
    type Output = Formula;
    fn bitand(self, other: Formula) -> Formula {
        Formula::all([self, other])
    }
}

/// `f | g`
impl BitOr for Formula {
    type Output = Formula;
    fn bitor(self, other: Formula) -> Formula {
        Formula::any([self, other])
    }
}

/// `f -> g`
impl Shr for Formula {
    type Output = Formula;
    fn shr(self, other: Formula) -> Formula {
        binary(Node::Implies, self, other)
    }
}
