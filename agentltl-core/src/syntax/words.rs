//! The names of the language, how each is used, and what people write instead.

use super::cursor::clip;
use super::lexer::Kind;
use crate::nearest::nearest;
use crate::node::Node;

/// The atoms and other forms written as a name with arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Called,
    Now,
    Before,
    After,
    AllBefore,
    InOrder,
    BranchCalled,
    CalledN,
    CalledWith,
    CalledWithResult,
    WithinSteps,
    InstanceBefore,
    CountBefore,
    Matches,
    Predicate,
    Eventually,
    Always,
}

/// Each form with its name and its signature in words.
const CALLS: [(Call, &str, &str); 17] = [
    (Call::Called, "called", r#"one tool: called("a")"#),
    (Call::Now, "now", r#"one tool: now("a")"#),
    (Call::Before, "before", r#"two tools: before("a", "b")"#),
    (Call::After, "after", r#"two tools: after("a", "b")"#),
    (
        Call::AllBefore,
        "all_before",
        r#"a list of tools and a tool: all_before(["a", "b"], "c")"#,
    ),
    (
        Call::InOrder,
        "in_order",
        r#"one list of tools: in_order(["a", "b"])"#,
    ),
    (
        Call::BranchCalled,
        "branch_called",
        r#"the right tool, then the wrong one if there is one, then a context if there is one: branch_called("a", "b", context="when")"#,
    ),
    (
        Call::CalledN,
        "called_n",
        r#"a tool and a bound: called_n("a", <= 2)"#,
    ),
    (
        Call::CalledWith,
        "called_with",
        r#"a tool and arguments by name: called_with("a", key="value")"#,
    ),
    (
        Call::CalledWithResult,
        "called_with_result",
        r#"a tool, a result and arguments by name: called_with_result("a", "ok", key="value")"#,
    ),
    (
        Call::WithinSteps,
        "within_steps",
        r#"two tools and a number of calls: within_steps("a", "b", 3)"#,
    ),
    (
        Call::InstanceBefore,
        "instance_before",
        r#"two tools, each with the number of its call: instance_before("a"[1], "b"[2])"#,
    ),
    (
        Call::CountBefore,
        "count_before",
        r#"a formula and a bound: count_before(now("a"), <= 2)"#,
    ),
    (
        Call::Matches,
        "matches",
        r#"a tool or a list of tools, and arguments by name: matches(["a", "b"], key="value")"#,
    ),
    (
        Call::Predicate,
        "predicate",
        "the name of a registered function: predicate(few_calls, runtime_safe=true)",
    ),
    (
        Call::Eventually,
        "eventually",
        r#"one tool: eventually("a") is short for F called("a"); for a formula write F"#,
    ),
    (
        Call::Always,
        "always",
        r#"one tool: always("a") is short for G called("a"); for a formula write G"#,
    ),
];

impl Call {
    pub(super) fn from_word(word: &str) -> Option<(Call, &'static str)> {
        CALLS
            .iter()
            .find(|(_, name, _)| name.eq_ignore_ascii_case(word))
            .map(|(call, name, _)| (*call, *name))
    }

    /// How the form is used.
    pub(super) fn signature(self) -> String {
        CALLS
            .iter()
            .find(|(call, ..)| *call == self)
            .map_or_else(String::new, |(_, name, takes)| {
                format!("`{name}` takes {takes}")
            })
    }
}

/// The operator that stands before its operand.
pub(super) fn prefix(word: &str) -> Option<Node> {
    match word {
        "G" | "g" => Some(Node::Globally),
        "F" | "f" => Some(Node::Eventually),
        "X" | "x" => Some(Node::Next),
        "Y" | "y" => Some(Node::Previous),
        "O" | "o" => Some(Node::Once),
        "H" | "h" => Some(Node::Historically),
        _ => None,
    }
}

/// The operator that stands between its operands.
pub(super) fn infix(word: &str) -> Option<Node> {
    match word {
        "U" | "u" => Some(Node::Until),
        "W" | "w" => Some(Node::WeakUntil),
        "R" | "r" => Some(Node::Release),
        "S" | "s" => Some(Node::Since),
        _ => None,
    }
}

/// What to say of a word that stands where a formula should, besides that.
pub(super) fn instead_of_formula(word: &str) -> Option<String> {
    if infix(word).is_some() || spelt_infix(word).is_some() {
        return Some(format!("`{word}` stands between two formulas"));
    }
    if let Some(operator) = spelt_prefix(word) {
        return Some(format!("`{word}` is written `{operator}`"));
    }
    if word.len() > 1 && word.len() <= 8 && word.chars().all(|c| "GFXYOH".contains(c)) {
        let letters: Vec<_> = word.chars().map(String::from).collect();
        return Some(format!("put blanks between: `{}`", letters.join(" ")));
    }
    let names = CALLS.iter().map(|(_, name, _)| *name);
    let keywords = ["forall", "exists", "true", "false"];
    if let Some(near) = nearest(word, names.clone().chain(keywords)) {
        return Some(format!("did you mean `{near}`?"));
    }
    let names: Vec<&str> = names.collect();
    Some(format!("the atoms are {}", names.join(", ")))
}

/// What to say of a word that stands where an operator should, besides that.
pub(super) fn instead_of_operator(word: &str) -> Option<String> {
    if let Some(operator) = spelt_infix(word) {
        return Some(format!("`{word}` is written `{operator}`"));
    }
    let formula = Call::from_word(word).is_some()
        || prefix(word).is_some()
        || ["true", "false", "forall", "exists", "not"]
            .iter()
            .any(|keyword| word.eq_ignore_ascii_case(keyword));
    formula.then(|| JOIN.to_owned())
}

/// What to say where two formulas stand side by side.
pub(super) const JOIN: &str = "join two formulas with `&`, `|` or `->`";

fn spelt_prefix(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "not" => Some("!"),
        "globally" | "henceforth" => Some("G"),
        "finally" => Some("F"),
        "next" => Some("X"),
        "previous" | "previously" | "yesterday" => Some("Y"),
        "once" => Some("O"),
        "historically" => Some("H"),
        _ => None,
    }
}

fn spelt_infix(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "and" => Some("&"),
        "or" => Some("|"),
        "implies" => Some("->"),
        "until" => Some("U"),
        "unless" => Some("W"),
        "releases" | "release" => Some("R"),
        "since" => Some("S"),
        _ => None,
    }
}

/// What to say of a token that many write and the language does not have, or not there.
pub(super) fn mistake(kind: Kind, lexeme: &str) -> Option<String> {
    let first = lexeme.chars().next()?;
    Some(match (kind, lexeme) {
        (Kind::Assign, _) => {
            "`=` names an argument, as in called_with(\"a\", key=\"value\"); \
             equality of a count is written `==`"
                .to_owned()
        }
        (Kind::Unknown, "=>" | "\u{2192}") => {
            "an implication is written `->`, `at least` is written `>=`".to_owned()
        }
        (Kind::Unknown, "=<") => "`at most` is written `<=`".to_owned(),
        (Kind::Unknown, "!=" | "<>") => {
            "there is no `!=`; negate the formula: `!called_n(\"a\", == 2)`".to_owned()
        }
        (Kind::Unknown, "\u{ac}" | "~") => "negation is written `!`".to_owned(),
        (Kind::Unknown, ";") => {
            "a formula has no `;`; join two formulas with `&`, `|` or `->`".to_owned()
        }
        (Kind::Unknown, "#" | "//" | "/*") => "a formula has no comments".to_owned(),
        (Kind::Unknown, _) if "'`\u{2018}\u{201c}".contains(first) => {
            let mut inner = lexeme.chars();
            inner.next();
            inner.next_back();
            let inner = inner.as_str();
            if inner.is_empty() {
                "a string is written in double quotes: `\"a\"`".to_owned()
            } else {
                format!(
                    "a string is written in double quotes: `\"{}\"`",
                    clip(inner)
                )
            }
        }
        (Kind::Unknown, _) if first.is_ascii_digit() => {
            "a number is digits, with a fraction and an exponent where they are needed: `1`, `1.5`, \
             `1e6`"
                .to_owned()
        }
        _ => return None,
    })
}
