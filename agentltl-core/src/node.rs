//! What a formula is made of: atoms and operators, in the order of DESIGN's table.

use std::fmt;

use crate::host::Host;
use crate::text::{Name, Seq, Text};
use crate::value::{Args, Value};

/// One atom or operator. A [`Formula`](crate::Formula) is a list of them in postfix order: operands
/// first, then the operator. That makes every pass over a formula a loop, whatever its depth, and
/// lets the compiler lay a formula out as a plain table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Node {
    /// `true`: TRUE at every position.
    True,
    /// `false`: FALSE at every position.
    False,
    /// `called(T)`: T is called somewhere in the run.
    Called(Name),
    /// `now(T)`: the call at this position is T.
    Now(Name),
    /// `before(a, b)`: the first a precedes the first b.
    Before(Name, Name),
    /// `after(a, b)`: the first a follows the first b.
    After(Name, Name),
    /// `all_before([T..], gate)`: each T is called before the first gate.
    AllBefore(Seq<Name>, Name),
    /// `in_order([T..])`: the tools appear as a subsequence.
    InOrder(Seq<Name>),
    /// `branch_called(correct [, wrong] [, context=STRING])`: the right branch, not the wrong one.
    BranchCalled {
        /// The branch to take.
        correct: Name,
        /// The branch not to take.
        wrong: Option<Name>,
        /// When this branch is the right one, for people.
        context: Option<Text>,
    },
    /// `called_n(T, op k)`: how often T is called.
    CalledN(Name, Bound),
    /// `called_with(T, key=value..)`: a call of T has these arguments.
    CalledWith(Name, Args),
    /// `called_with_result(T, value, key=value..)`: such a call returned this.
    CalledWithResult(Name, Value, Args),
    /// `within_steps(a, b, k)`: a b comes at most k calls after the first a.
    WithinSteps(Name, Name, i64),
    /// `instance_before(a[n], b[m])`: the n-th a precedes the m-th b, counted from 1.
    InstanceBefore(Name, i64, Name, i64),
    /// `matches(..)`: the call at this position matches the pattern.
    Matches(Pattern),
    /// `predicate(PATH)`: a Rust function decides.
    Predicate {
        /// The function.
        function: Host,
        /// What the author declared of it: `true`, its violations are final; `false`, they can be
        /// repaired; `None`, nothing.
        runtime_safe: Option<bool>,
    },
    /// `!f`
    Not,
    /// `f & g & ..`: as many operands as the number says, at least two, none itself an `&`.
    And(u32),
    /// `f | g | ..`: as many operands as the number says, at least two, none itself a `|`.
    Or(u32),
    /// `f -> g`
    Implies,
    /// `X f`: f at the next position.
    Next,
    /// `@k(f)`: f at position k, counted from 0.
    At(i64),
    /// `G f`: f from here on.
    Globally,
    /// `F f`: f here or later.
    Eventually,
    /// `f U g`: f until g, and g comes.
    Until,
    /// `f W g`: f until g, or f for ever.
    WeakUntil,
    /// `f R g`: g up to and including the first f.
    Release,
    /// `Y f`: f at the previous position.
    Previous,
    /// `O f`: f here or earlier.
    Once,
    /// `H f`: f up to here.
    Historically,
    /// `f S g`: g here or earlier, and f since.
    Since,
    /// `count_before(f, op k)`: how often f held before here.
    CountBefore(Bound),
    /// `forall x in domain: f`
    Forall(Text, Domain),
    /// `exists x in domain: f`
    Exists(Text, Domain),
}

impl Node {
    /// How many operands the node takes.
    #[must_use]
    pub const fn arity(&self) -> usize {
        match self {
            Node::And(n) | Node::Or(n) => *n as usize,
            Node::Implies | Node::Until | Node::WeakUntil | Node::Release | Node::Since => 2,
            Node::Not
            | Node::Next
            | Node::At(_)
            | Node::Globally
            | Node::Eventually
            | Node::Previous
            | Node::Once
            | Node::Historically
            | Node::CountBefore(_)
            | Node::Forall(..)
            | Node::Exists(..) => 1,
            _ => 0,
        }
    }

    /// Does the node's own value depend on the position it is judged at, whatever its operands?
    /// Atoms other than `now`, `matches` and `predicate` speak of the whole run.
    #[must_use]
    pub const fn is_local(&self) -> bool {
        matches!(
            self,
            Node::Now(_)
                | Node::Matches(_)
                | Node::Predicate { .. }
                | Node::Next
                | Node::At(_)
                | Node::Globally
                | Node::Eventually
                | Node::Until
                | Node::WeakUntil
                | Node::Release
                | Node::Previous
                | Node::Once
                | Node::Historically
                | Node::Since
                | Node::CountBefore(_)
        )
    }

    /// May the node stand in a past-only formula: is its value at a position settled by the calls
    /// up to there, if its operands' values are?
    #[must_use]
    pub const fn is_past(&self) -> bool {
        matches!(
            self,
            Node::True
                | Node::False
                | Node::Now(_)
                | Node::Matches(_)
                | Node::Not
                | Node::And(_)
                | Node::Or(_)
                | Node::Implies
                | Node::Previous
                | Node::Once
                | Node::Historically
                | Node::Since
                | Node::CountBefore(_)
                | Node::Forall(..)
                | Node::Exists(..)
        )
    }

    /// Calls `visit` with each tool name in the node, domains and patterns included.
    pub fn tools<'a>(&'a self, visit: &mut dyn FnMut(&'a Name)) {
        match self {
            Node::Called(tool)
            | Node::Now(tool)
            | Node::CalledN(tool, _)
            | Node::CalledWith(tool, _)
            | Node::CalledWithResult(tool, ..) => visit(tool),
            Node::Before(a, b)
            | Node::After(a, b)
            | Node::WithinSteps(a, b, _)
            | Node::InstanceBefore(a, _, b, _) => {
                visit(a);
                visit(b);
            }
            Node::AllBefore(tools, gate) => {
                tools.iter().for_each(&mut *visit);
                visit(gate);
            }
            Node::InOrder(tools) | Node::Matches(Pattern::Tools(tools, _)) => {
                tools.iter().for_each(visit);
            }
            Node::BranchCalled { correct, wrong, .. } => {
                visit(correct);
                wrong.iter().for_each(visit);
            }
            Node::Forall(_, domain) | Node::Exists(_, domain) => match domain {
                Domain::Args(tool, _) | Domain::Results(tool, _) => visit(tool),
                Domain::Values(_) | Domain::Host(_) => {}
            },
            _ => {}
        }
    }

    /// Calls `visit` with each value that is written in the node: arguments, a result, the entities
    /// of a domain.
    pub fn values<'a>(&'a self, visit: &mut dyn FnMut(&'a Value)) {
        match self {
            Node::CalledWith(_, args) | Node::Matches(Pattern::Tools(_, args)) => {
                args.iter().for_each(|(_, value)| visit(value));
            }
            Node::CalledWithResult(_, result, args) => {
                visit(result);
                args.iter().for_each(|(_, value)| visit(value));
            }
            Node::Forall(_, Domain::Values(values)) | Node::Exists(_, Domain::Values(values)) => {
                values.iter().for_each(visit);
            }
            _ => {}
        }
    }

    /// Calls `visit` with each variable the node uses (not those it binds).
    pub fn variables<'a>(&'a self, visit: &mut dyn FnMut(&'a Text)) {
        self.values(&mut |value| value.variables(visit));
    }
}

/// A comparison with a number: `<= 2`.
///
/// ```
/// use agentltl_core::{Bound, Cmp};
/// let bound = Bound { cmp: Cmp::Le, number: 2 };
/// assert!(bound.admits(2) && !bound.admits(3));
/// assert_eq!(bound.to_string(), "<= 2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    /// The comparison.
    pub cmp: Cmp,
    /// What to compare with.
    pub number: i64,
}

impl Bound {
    /// Does a count satisfy the comparison?
    #[must_use]
    pub const fn admits(self, count: u64) -> bool {
        // Any i64 and u64 fit an i128.
        let (count, number) = (count as i128, self.number as i128);
        match self.cmp {
            Cmp::Eq => count == number,
            Cmp::Ge => count >= number,
            Cmp::Le => count <= number,
            Cmp::Gt => count > number,
            Cmp::Lt => count < number,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.cmp.as_str(), self.number)
    }
}

/// How a count is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cmp {
    /// `==`
    Eq,
    /// `>=`
    Ge,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `<`
    Lt,
}

impl Cmp {
    /// The operator as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Cmp::Eq => "==",
            Cmp::Ge => ">=",
            Cmp::Le => "<=",
            Cmp::Gt => ">",
            Cmp::Lt => "<",
        }
    }
}

/// What `matches` asks of the call at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pattern {
    /// One of these tools, with these arguments.
    Tools(Seq<Name>, Args),
    /// Rust code decides, and may answer "maybe".
    Host {
        /// The pattern.
        pattern: Host,
        /// Does "maybe" count as a match?
        maybe: bool,
    },
}

/// What a quantifier ranges over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Domain {
    /// `args(T, key)`: each distinct value of that argument over the calls of T.
    Args(Name, Text),
    /// `results(T [, field])`: each distinct known result of T, or that field of it.
    Results(Name, Option<Text>),
    /// `[value..]`: these values; variables of outer quantifiers may stand among them.
    Values(Seq<Value>),
    /// `PATH`: what a Rust function returns.
    Host(Host),
}
