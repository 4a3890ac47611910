//! A formula in plain words.

use agentltl::{Args, Bound, Cmp, Domain, Formula, Name, Node, Pattern};

/// A phrase, and whether it has to be kept together inside another one.
struct Phrase {
    text: String,
    is_long: bool,
}

impl Phrase {
    fn short(text: String) -> Self {
        Phrase {
            text,
            is_long: false,
        }
    }

    fn long(text: String) -> Self {
        Phrase {
            text,
            is_long: true,
        }
    }

    /// As a part of another phrase.
    fn inside(self) -> String {
        if self.is_long {
            format!("({})", self.text)
        } else {
            self.text
        }
    }
}

/// The formula as a sentence.
pub(super) fn sentence(formula: &Formula) -> String {
    let mut stack: Vec<Phrase> = Vec::new();
    for node in formula.nodes() {
        let operands = stack.split_off(stack.len() - node.arity());
        stack.push(phrase(node, operands));
    }
    let text = stack.pop().map_or_else(String::new, |phrase| phrase.text);
    let mut chars = text.chars();
    let first = chars.next().map(char::to_uppercase);
    first
        .into_iter()
        .flatten()
        .chain(chars)
        .chain(['.'])
        .collect()
}

fn phrase(node: &Node, operands: Vec<Phrase>) -> Phrase {
    if operands.is_empty() {
        return Phrase::short(atom(node));
    }
    let is_single_not = matches!(node, Node::Not) && !operands[0].is_long;
    let joined = |word: &str, operands: Vec<Phrase>| {
        let parts: Vec<String> = operands.into_iter().map(Phrase::inside).collect();
        parts.join(word)
    };
    if let Node::And(_) | Node::Or(_) = node {
        let word = if matches!(node, Node::And(_)) {
            ", and "
        } else {
            ", or "
        };
        return Phrase::long(joined(word, operands));
    }
    let mut operands = operands.into_iter();
    let mut next = || operands.next().map_or_else(String::new, Phrase::inside);
    let f = next();
    Phrase::long(match node {
        Node::Not if is_single_not => return Phrase::short(negated(&f)),
        Node::Not => format!("it is not so that {f}"),
        Node::Implies => format!("if {f}, then {}", next()),
        Node::Next => format!("at the next call {f}"),
        Node::At(position) if *position < 0 => format!("at a position that never comes {f}"),
        Node::At(position) => format!("at call #{} {f}", position.saturating_add(1)),
        Node::Globally => format!("at every call from here on {f}"),
        Node::Eventually => format!("at some call from here on {f}"),
        Node::Until => format!("some call comes at which {}, and until then {f}", next()),
        Node::WeakUntil => format!("{f}, until a call at which {}, if one comes", next()),
        Node::Release => format!(
            "{}, up to and including the first call at which {f}, if one comes",
            next()
        ),
        Node::Previous => format!("there is a previous call, and at it {f}"),
        Node::Once => format!("at this call or an earlier one {f}"),
        Node::Historically => format!("at this call and every earlier one {f}"),
        Node::Since => format!(
            "at this call or an earlier one {}, and at every call since {f}",
            next()
        ),
        Node::CountBefore(bound) => {
            format!(
                "{} of the calls before this one are such that {f}",
                count(*bound)
            )
        }
        Node::Forall(name, of) => format!("for each {} {}: {f}", &**name, domain(of)),
        Node::Exists(name, of) => format!("for at least one {} {}: {f}", &**name, domain(of)),
        other => format!("{other:?} of {f}"),
    })
}

fn negated(phrase: &str) -> String {
    for (plain, negated) in [
        ("this call is ", "this call is not "),
        (" is called at some point", " is never called"),
    ] {
        if phrase.contains(plain) {
            return phrase.replacen(plain, negated, 1);
        }
    }
    format!("it is not so that {phrase}")
}

fn atom(node: &Node) -> String {
    match node {
        Node::True => "nothing is asked".to_owned(),
        Node::False => "what cannot be is asked".to_owned(),
        Node::Called(tool) => format!("{} is called at some point", name(tool)),
        Node::Now(tool) => format!("this call is {}", name(tool)),
        Node::Before(a, b) => format!("{} comes before the first {}", name(a), name(b)),
        Node::After(a, b) => {
            format!("the first {} comes after the first {}", name(a), name(b))
        }
        Node::AllBefore(tools, gate) => {
            format!(
                "{} all come before the first {}",
                list(tools, "and"),
                name(gate)
            )
        }
        Node::InOrder(tools) => {
            format!(
                "{} come in this order, with others between them or not",
                list(tools, "and")
            )
        }
        Node::BranchCalled {
            correct,
            wrong,
            context,
        } => {
            let wrong = wrong
                .as_ref()
                .map_or_else(String::new, |wrong| format!(" and {} is not", name(wrong)));
            let context = context
                .as_ref()
                .map_or_else(String::new, |context| format!(" ({})", &**context));
            format!("{} is called{wrong}{context}", name(correct))
        }
        Node::CalledN(tool, bound) => {
            format!("{} is called {}", name(tool), times(*bound))
        }
        Node::CalledWith(tool, args) => {
            format!("{} is called at some point{}", name(tool), with(args))
        }
        Node::CalledWithResult(tool, value, args) => {
            format!("a call of {}{} returns {value}", name(tool), with(args))
        }
        Node::WithinSteps(a, b, steps) => {
            let plural = if *steps == 1 { "" } else { "s" };
            format!(
                "once {} is called, {} comes at most {steps} call{plural} later",
                name(a),
                name(b)
            )
        }
        Node::InstanceBefore(a, n, b, m) => {
            format!(
                "call {n} of {} comes before call {m} of {}",
                name(a),
                name(b)
            )
        }
        Node::Matches(Pattern::Tools(tools, args)) => {
            format!("this call is {}{}", list(tools, "or"), with(args))
        }
        Node::Matches(_) => "this call is one that a Rust pattern matches".to_owned(),
        Node::Predicate { function, .. } => {
            format!("the Rust function `{}` says so", function.name())
        }
        other => format!("{other:?}"),
    }
}

fn name(tool: &Name) -> String {
    format!("`{}`", tool.as_str())
}

fn list(tools: &[Name], word: &str) -> String {
    match tools {
        [] => "nothing".to_owned(),
        [tool] => name(tool),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(name).collect();
            format!("{} {word} {}", first.join(", "), name(last))
        }
    }
}

fn with(args: &Args) -> String {
    let args: Vec<String> = args
        .iter()
        .map(|(key, value)| format!("{}={value}", key.as_str()))
        .collect();
    if args.is_empty() {
        String::new()
    } else {
        format!(" with {}", args.join(", "))
    }
}

fn domain(domain: &Domain) -> String {
    match domain {
        Domain::Args(tool, key) => {
            format!(
                "among the values of `{}` in the calls of {}",
                &**key,
                name(tool)
            )
        }
        Domain::Results(tool, None) => format!("among the results of {}", name(tool)),
        Domain::Results(tool, Some(field)) => {
            format!(
                "among the values of `{}` in the results of {}",
                &**field,
                name(tool)
            )
        }
        Domain::Values(values) => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            format!("among {}", values.join(", "))
        }
        Domain::Host(host) => format!("that the Rust function `{}` gives", host.name()),
        other => format!("in {other:?}"),
    }
}

fn count(Bound { cmp, number }: Bound) -> String {
    let how = match cmp {
        Cmp::Eq => "exactly",
        Cmp::Ge => "at least",
        Cmp::Le => "at most",
        Cmp::Gt => "more than",
        Cmp::Lt => "fewer than",
    };
    format!("{how} {number}")
}

fn times(bound: Bound) -> String {
    let plural = if bound.number == 1 { "" } else { "s" };
    format!("{} time{plural}", count(bound))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn sentences() {
        for (text, words) in [
            (r#"called("a")"#, "`a` is called at some point."),
            (r#"!called("a")"#, "`a` is never called."),
            (
                r#"G(now("b") -> O(now("a")))"#,
                "At every call from here on (if this call is `b`, then (at this call or an earlier one this call is `a`)).",
            ),
            (
                r#"called_n("a", <= 1) & before("x", "y")"#,
                "`a` is called at most 1 time, and `x` comes before the first `y`.",
            ),
            (
                r#"forall r in args("c", "id"): called_with("g", id=?r)"#,
                "For each r among the values of `id` in the calls of `c`: `g` is called at some point with id=?r.",
            ),
            (
                r#"matches(["a", "b", "c"], n=1)"#,
                "This call is `a`, `b` or `c` with n=1.",
            ),
        ] {
            assert_eq!(sentence(&Formula::parse(text).unwrap()), words, "{text}");
        }
    }
}
