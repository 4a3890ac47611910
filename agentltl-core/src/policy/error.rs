//! Why something is not a policy.

use std::fmt;

use crate::classify::ClassificationReport;
use crate::formula::{MAX_DEPTH, MAX_QUANTIFIERS};
use crate::severity::UnknownSeverity;
use crate::syntax::ParseError;
use crate::value::MAX_VALUE_DEPTH;

/// Why rules are not a policy: all that is wrong with them, in their order.
///
/// ```
/// use agentltl_core::{build::*, Constraint, Policy, Problem};
/// let rule = |name: &'static str| Constraint::new(name, called("a"));
/// let error = Policy::new([rule("x").with_weight(-1.0), rule("x")]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "constraint `x`: the weight -1 is negative\n\
///      constraint `x`: the name is that of an earlier constraint (the first)",
/// );
/// assert!(matches!(error.problems()[1].problem, Problem::DuplicateName { first: 0 }));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyError {
    // Never empty.
    pub(super) problems: Vec<PolicyProblem>,
}

impl PolicyError {
    pub(super) fn unless_empty(problems: Vec<PolicyProblem>) -> Result<(), Self> {
        if problems.is_empty() {
            Ok(())
        } else {
            Err(PolicyError { problems })
        }
    }

    /// All that is wrong; at least one thing.
    #[must_use]
    pub fn problems(&self) -> &[PolicyProblem] {
        &self.problems
    }

    /// All that is wrong; at least one thing.
    #[must_use]
    pub fn into_problems(self) -> Vec<PolicyProblem> {
        self.problems
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            write!(f, "{}{problem}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for PolicyError {}

/// One thing that is wrong with a policy, and where.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PolicyProblem {
    /// The place in the text, where the policy is read from one.
    pub position: Option<Position>,
    /// The way to the value at fault in the text, such as `constraint[0].weight`; empty for the
    /// whole, and where there is no text.
    pub path: String,
    /// The index of the constraint, where it is about one.
    pub index: Option<usize>,
    /// The name of the constraint, where it is about one that has a name.
    pub constraint: Option<String>,
    /// What is wrong.
    pub problem: Problem,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Position {
    /// The byte.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column in the line, in characters from 1.
    pub column: usize,
}

/// What is wrong with a policy or a rule.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The text is not TOML or JSON.
    Malformed {
        /// What the reader said.
        message: String,
    },
    /// A key that means nothing there.
    UnknownKey {
        /// The key.
        key: String,
        /// The known key that is nearest, if one is near.
        suggestion: Option<&'static str>,
    },
    /// A key that is there twice.
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A key that is needed is not there.
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// A value of another type than belongs there.
    Unexpected {
        /// What belongs there, such as `a string`.
        expected: &'static str,
        /// What is there, such as `a number`.
        found: &'static str,
    },
    /// A name that is no severity's.
    UnknownSeverity(UnknownSeverity),
    /// A text that is not a formula.
    Formula {
        /// The text.
        text: String,
        /// Why it is not.
        error: ParseError,
    },
    /// A rule without a name.
    EmptyName,
    /// A rule with the name of an earlier one.
    DuplicateName {
        /// The index of the earlier one.
        first: usize,
    },
    /// A weight that is negative or not finite.
    BadWeight {
        /// The weight.
        weight: f64,
    },
    /// A formula that nests operators deeper than [`MAX_DEPTH`].
    TooDeep {
        /// How deep.
        depth: usize,
    },
    /// A formula that nests quantifiers deeper than [`MAX_QUANTIFIERS`].
    TooManyQuantifiers {
        /// How deep.
        depth: usize,
    },
    /// A value that nests lists and objects deeper than can be written and read again.
    ValueTooDeep {
        /// How deep.
        depth: usize,
    },
    /// An object that has a field twice.
    RepeatedField {
        /// The field.
        field: String,
    },
    /// An atom about a list of tools that is empty: it could not be written down.
    NoTools {
        /// The atom, such as `in_order`.
        atom: &'static str,
    },
    /// A formula that uses a variable no quantifier binds.
    UnboundVariable {
        /// The variable.
        variable: String,
    },
    /// A formula that speaks of a tool that is not listed.
    UnknownTool {
        /// The tool.
        tool: String,
        /// The listed tool whose name is nearest, if one is near.
        suggestion: Option<String>,
    },
    /// A class that does not suit the severity.
    Mismatch(ClassificationReport),
}

impl PolicyProblem {
    /// A problem of a rule, wherever it came from.
    pub(super) fn of_rule(index: usize, name: &str, problem: Problem) -> Self {
        PolicyProblem {
            position: None,
            path: String::new(),
            index: Some(index),
            constraint: (!name.is_empty()).then(|| name.to_owned()),
            problem,
        }
    }
}

impl fmt::Display for PolicyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.position {
            write!(f, "line {}, column {}: ", position.line, position.column)?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        // The message about a mismatch begins with the name.
        if !matches!(self.problem, Problem::Mismatch(_)) {
            match (&self.constraint, self.index) {
                (Some(name), _) => write!(f, "constraint `{name}`: ")?,
                (None, Some(index)) => write!(f, "the {} constraint: ", Ordinal(index))?,
                (None, None) => {}
            }
        }
        self.problem.fmt(f)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Malformed { message } => f.write_str(message),
            Problem::UnknownKey { key, suggestion } => {
                write!(f, "unknown key `{key}`")?;
                suggestion.map_or(Ok(()), |near| write!(f, "; did you mean `{near}`?"))
            }
            Problem::DuplicateKey { key } => write!(f, "the key `{key}` is there twice"),
            Problem::MissingKey { key } => write!(f, "no `{key}`"),
            Problem::Unexpected { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
            Problem::UnknownSeverity(error) => error.fmt(f),
            Problem::Formula { text, error } => f.write_str(&error.render(text)),
            Problem::EmptyName => f.write_str("the name is empty"),
            Problem::DuplicateName { first } => write!(
                f,
                "the name is that of an earlier constraint (the {})",
                Ordinal(*first)
            ),
            Problem::BadWeight { weight } if *weight < 0.0 => {
                write!(f, "the weight {weight} is negative")
            }
            Problem::BadWeight { weight } => write!(f, "the weight {weight} is not finite"),
            Problem::TooDeep { depth } => write!(
                f,
                "the formula nests {depth} operators in each other; at most {MAX_DEPTH} may be"
            ),
            Problem::TooManyQuantifiers { depth } => write!(
                f,
                "the formula nests {depth} quantifiers in each other; at most {MAX_QUANTIFIERS} may be"
            ),
            Problem::ValueTooDeep { depth } => write!(
                f,
                "a value nests {depth} lists and objects in each other; at most \
                 {MAX_VALUE_DEPTH} may be"
            ),
            Problem::RepeatedField { field } => {
                write!(f, "an object has the field {field:?} twice")
            }
            Problem::NoTools { atom } => {
                write!(
                    f,
                    "`{atom}` has an empty list of tools; it takes at least one"
                )
            }
            Problem::UnboundVariable { variable } => {
                write!(f, "no quantifier binds the variable `?{variable}`")
            }
            Problem::UnknownTool { tool, suggestion } => {
                write!(f, "unknown tool {tool:?}")?;
                suggestion
                    .as_ref()
                    .map_or(Ok(()), |near| write!(f, "; did you mean {near:?}?"))
            }
            Problem::Mismatch(report) => match &report.message {
                Some(message) => f.write_str(message),
                None => write!(
                    f,
                    "constraint `{}` is {} with severity {}",
                    report.constraint_name, report.classification, report.assigned_severity
                ),
            },
        }
    }
}

/// A place in a list, in words.
struct Ordinal(usize);

impl fmt::Display for Ordinal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.0 + 1;
        match (number, number % 10, number % 100) {
            (1, ..) => f.write_str("first"),
            (2, ..) => f.write_str("second"),
            (3, ..) => f.write_str("third"),
            (_, _, 11..=13) => write!(f, "{number}th"),
            (_, 1, _) => write!(f, "{number}st"),
            (_, 2, _) => write!(f, "{number}nd"),
            (_, 3, _) => write!(f, "{number}rd"),
            _ => write!(f, "{number}th"),
        }
    }
}
