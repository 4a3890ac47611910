//! The printer: the fewest parentheses that parse to the same formula.

use std::fmt::{self, Display, Formatter, Write as _};

use super::lexer::is_name;
use crate::formula::{Formula, NodeId};
use crate::node::{Bound, Domain, Node, Pattern};
use crate::text::{Name, Text};
use crate::value::{Args, Number, Value};

/// How tight a form binds; also the least that a place admits without parentheses. One level for each
/// rule of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Formula,
    Implication,
    Or,
    And,
    Unary,
    Atom,
}

impl Level {
    fn of(node: &Node) -> Level {
        match node {
            Node::Forall(..) | Node::Exists(..) => Level::Formula,
            Node::Implies => Level::Implication,
            Node::Or(_) => Level::Or,
            Node::And(_) => Level::And,
            Node::Not
            | Node::Next
            | Node::Globally
            | Node::Eventually
            | Node::Previous
            | Node::Once
            | Node::Historically
            | Node::Until
            | Node::WeakUntil
            | Node::Release
            | Node::Since => Level::Unary,
            _ => Level::Atom,
        }
    }
}

/// What is still to be printed, the next on top.
enum Task {
    Formula(NodeId, Level),
    Text(&'static str),
    Bound(Bound),
}

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let tree = self.tree();
        let mut todo = vec![Task::Formula(tree.root(), Level::Formula)];
        while let Some(task) = todo.pop() {
            let (id, admitted) = match task {
                Task::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Task::Bound(bound) => {
                    write!(f, "{bound}")?;
                    continue;
                }
                Task::Formula(id, admitted) => (id, admitted),
            };
            let (node, operands) = (tree.node(id), tree.children(id));
            if Level::of(node) < admitted {
                f.write_char('(')?;
                todo.push(Task::Text(")"));
            }
            let mut infix = |operator, left, right| {
                if let [a, b] = operands {
                    todo.push(Task::Formula(*b, right));
                    todo.push(Task::Text(operator));
                    todo.push(Task::Formula(*a, left));
                }
            };
            match node {
                Node::Implies => infix(" -> ", Level::Or, Level::Implication),
                Node::Until => infix(" U ", Level::Atom, Level::Unary),
                Node::WeakUntil => infix(" W ", Level::Atom, Level::Unary),
                Node::Release => infix(" R ", Level::Atom, Level::Unary),
                Node::Since => infix(" S ", Level::Atom, Level::Unary),
                Node::And(_) | Node::Or(_) => {
                    let (operator, level) = match node {
                        Node::And(_) => (" & ", Level::Unary),
                        _ => (" | ", Level::And),
                    };
                    for (i, operand) in operands.iter().enumerate().rev() {
                        todo.push(Task::Formula(*operand, level));
                        if i > 0 {
                            todo.push(Task::Text(operator));
                        }
                    }
                }
                _ => {
                    let Some(operand) = operands.first().copied() else {
                        atom(node, f)?;
                        continue;
                    };
                    let mut level = Level::Formula;
                    match node {
                        Node::Forall(variable, domain) => {
                            quantifier("forall", variable, domain, f)?
                        }
                        Node::Exists(variable, domain) => {
                            quantifier("exists", variable, domain, f)?
                        }
                        Node::At(position) => {
                            write!(f, "@{position}(")?;
                            todo.push(Task::Text(")"));
                        }
                        Node::CountBefore(bound) => {
                            f.write_str("count_before(")?;
                            todo.push(Task::Text(")"));
                            todo.push(Task::Bound(*bound));
                            todo.push(Task::Text(", "));
                        }
                        _ => {
                            level = Level::Unary;
                            f.write_str(prefix(node))?;
                            let bracketed = Level::of(tree.node(operand)) < level;
                            if !matches!(node, Node::Not) && !bracketed {
                                f.write_char(' ')?;
                            }
                        }
                    }
                    todo.push(Task::Formula(operand, level));
                }
            }
        }
        Ok(())
    }
}

fn prefix(node: &Node) -> &'static str {
    match node {
        Node::Next => "X",
        Node::Globally => "G",
        Node::Eventually => "F",
        Node::Previous => "Y",
        Node::Once => "O",
        Node::Historically => "H",
        _ => "!",
    }
}

fn quantifier(word: &str, variable: &Text, domain: &Domain, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{word} {} in ", Key(variable))?;
    match domain {
        Domain::Args(tool, key) => write!(f, "args({}, {})", Tool(tool), Quoted(key))?,
        Domain::Results(tool, None) => write!(f, "results({})", Tool(tool))?,
        Domain::Results(tool, Some(field)) => {
            write!(f, "results({}, {})", Tool(tool), Quoted(field))?;
        }
        Domain::Values(values) => write!(f, "[{}]", Listed(values))?,
        Domain::Host(host) => f.write_str(host.name())?,
    }
    f.write_str(": ")
}

fn atom(node: &Node, f: &mut Formatter<'_>) -> fmt::Result {
    match node {
        Node::True => f.write_str("true"),
        Node::False => f.write_str("false"),
        Node::Called(tool) => write!(f, "called({})", Tool(tool)),
        Node::Now(tool) => write!(f, "now({})", Tool(tool)),
        Node::Before(a, b) => write!(f, "before({}, {})", Tool(a), Tool(b)),
        Node::After(a, b) => write!(f, "after({}, {})", Tool(a), Tool(b)),
        Node::AllBefore(tools, gate) => {
            write!(f, "all_before([{}], {})", Listed(tools), Tool(gate))
        }
        Node::InOrder(tools) => write!(f, "in_order([{}])", Listed(tools)),
        Node::BranchCalled {
            correct,
            wrong,
            context,
        } => {
            write!(f, "branch_called({}", Tool(correct))?;
            if let Some(wrong) = wrong {
                write!(f, ", {}", Tool(wrong))?;
            }
            if let Some(context) = context {
                write!(f, ", context={}", Quoted(context))?;
            }
            f.write_char(')')
        }
        Node::CalledN(tool, bound) => write!(f, "called_n({}, {bound})", Tool(tool)),
        Node::CalledWith(tool, args) => write!(f, "called_with({}{})", Tool(tool), Named(args)),
        Node::CalledWithResult(tool, result, args) => {
            write!(
                f,
                "called_with_result({}, {result}{})",
                Tool(tool),
                Named(args)
            )
        }
        Node::WithinSteps(a, b, steps) => {
            write!(f, "within_steps({}, {}, {steps})", Tool(a), Tool(b))
        }
        Node::InstanceBefore(a, n, b, m) => {
            write!(f, "instance_before({}[{n}], {}[{m}])", Tool(a), Tool(b))
        }
        Node::Matches(Pattern::Tools(tools, args)) => match tools.as_slice() {
            [tool] => write!(f, "matches({}{})", Tool(tool), Named(args)),
            _ => write!(f, "matches([{}]{})", Listed(tools), Named(args)),
        },
        Node::Matches(Pattern::Host { pattern, .. }) => write!(f, "matches(<{}>)", pattern.name()),
        Node::Predicate {
            function,
            runtime_safe,
        } => {
            write!(f, "predicate({}", function.name())?;
            if let Some(safe) = runtime_safe {
                write!(f, ", runtime_safe={safe}")?;
            }
            f.write_char(')')
        }
        // Every other node has operands.
        _ => Ok(()),
    }
}

/// A string in quotes.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for part in self.0.split_inclusive(['"', '\\']) {
            let plain = part.trim_end_matches(['"', '\\']);
            f.write_str(plain)?;
            if plain.len() < part.len() {
                write!(f, "\\{}", &part[plain.len()..])?;
            }
        }
        f.write_char('"')
    }
}

/// A key or a variable: without quotes where it is a NAME.
struct Key<'a>(&'a str);

impl Display for Key<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Rust has a narrower notion of letters than Unicode: what is in quotes is the same in tokens.
        if self.0.is_ascii() && is_name(self.0) {
            f.write_str(self.0)
        } else {
            Quoted(self.0).fmt(f)
        }
    }
}

/// A tool's name, or the path of the constant that holds it.
struct Tool<'a>(&'a Name);

impl Display for Tool<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_path() {
            f.write_str(self.0.as_str())
        } else {
            Quoted(self.0.as_str()).fmt(f)
        }
    }
}

/// Items with commas between.
struct Listed<'a, T>(&'a [T]);

impl Display for Listed<'_, Name> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        listed(self.0, f, |tool, f| Tool(tool).fmt(f))
    }
}

impl Display for Listed<'_, Value> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        listed(self.0, f, Display::fmt)
    }
}

fn listed<T>(
    items: &[T],
    f: &mut Formatter<'_>,
    print: impl Fn(&T, &mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        print(item, f)?;
    }
    Ok(())
}

/// Further arguments by name.
struct Named<'a>(&'a Args);

impl Display for Named<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|(key, value)| write!(f, ", {}={value}", Key(key)))
    }
}

/// As it is written in a formula.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => Quoted(text).fmt(f),
            Value::List(items) => write!(f, "[{}]", Listed(items)),
            Value::Object(fields) => {
                f.write_char('{')?;
                listed(fields, f, |(key, value), f| {
                    write!(f, "{}: {value}", Key(key))
                })?;
                f.write_char('}')
            }
            Value::Var(name) => write!(f, "?{}", Key(name)),
        }
    }
}

/// As it is written in a formula; parses to an equal number.
impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.as_int() {
            Some(int) => write!(f, "{int}"),
            // Debug gives the shortest digits that parse to the same number, with an exponent where
            // the number is very large or small.
            None => write!(f, "{:?}", self.as_f64()),
        }
    }
}
