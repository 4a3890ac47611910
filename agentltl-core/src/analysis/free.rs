//! What only the program can tell is free: any answer it can give, chosen anew at each look.

use std::fmt;

use super::NotAnalysed;
use crate::formula::Formula;
use crate::host::Host;
use crate::monitor::{Input, reach_whatever_is_declared};
use crate::node::{Node, Pattern};
use crate::verdict::{Verdict, VerdictSet};

/// So many combinations of free answers are told apart at a call.
const MAX_ANSWERS: usize = 64;

/// Something of which any answer is possible to the analysis; see
/// [`Analysis::free`](super::Analysis::free).
///
/// ```
/// use agentltl_core::{Constraint, Policy};
/// let rule = r#"forall v in args("open", "file"): called_with("close", file=?v)"#.parse()?;
/// let analysis = Policy::new([Constraint::new("closed", rule)])?.analyze();
/// assert_eq!(analysis.free[0].constraint, "closed");
/// assert!(analysis.free[0].part.starts_with("forall v in"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FreePart {
    /// The name of the rule.
    pub constraint: String,
    /// What it is, as it prints.
    pub part: String,
}

impl fmt::Display for FreePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FreePart { constraint, part } = self;
        write!(f, "constraint `{constraint}`: `{part}` may answer anything")
    }
}

/// Places of a letter, and the answers they can have together.
#[derive(Clone, Debug)]
struct Choice {
    places: Vec<usize>,
    answers: Vec<Vec<u8>>,
}

/// The free answers of a machine.
#[derive(Clone, Debug)]
pub(super) struct Free {
    any: bool,
    choices: Vec<Choice>,
}

/// The free parts of a formula: predicates, patterns, and quantifiers, with what they are about.
pub(super) fn free_parts(formula: &Formula) -> Vec<Formula> {
    let tree = formula.tree();
    let mut parts: Vec<Formula> = Vec::new();
    let mut from = usize::MAX;
    for id in (0..tree.len()).rev() {
        // Parts of free parts are not named.
        if id >= from {
            continue;
        }
        if is_free(tree.node(id)) {
            let part = tree.subformula(id);
            from = tree.extent(id).start;
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
    }
    parts.reverse();
    parts
}

/// Is it a formula of which calls tell all?
pub(super) fn is_free_of_code(formula: &Formula) -> bool {
    !formula.nodes().iter().any(is_free)
}

const fn is_free(node: &Node) -> bool {
    matches!(
        node,
        Node::Predicate { .. }
            | Node::Matches(Pattern::Host { .. })
            | Node::Forall(..)
            | Node::Exists(..)
    )
}

impl Free {
    /// Is there anything free in the formula?
    pub(super) fn of(formula: &Formula) -> Self {
        Free {
            any: !is_free_of_code(formula),
            choices: Vec::new(),
        }
    }

    pub(super) const fn is_any(&self) -> bool {
        self.any
    }

    /// Finds the free places among the inputs of the formula's machine. Are they few enough?
    pub(super) fn find(
        &mut self,
        formula: &Formula,
        inputs: &[Input],
        finished: bool,
    ) -> Result<bool, NotAnalysed> {
        let mut patterns: Vec<(&Host, Vec<(usize, bool)>)> = Vec::new();
        let truths = VerdictSet::of(&[Verdict::False, Verdict::True]);
        for (place, input) in inputs.iter().enumerate() {
            let verdicts = match input {
                Input::Pattern(host, maybe) => {
                    match patterns.iter_mut().find(|(other, _)| *other == host) {
                        Some((_, places)) => places.push((place, *maybe)),
                        None => patterns.push((host, vec![(place, *maybe)])),
                    }
                    continue;
                }
                Input::LookingBack(_) if finished => truths,
                Input::LookingBack(_) => VerdictSet::ALL,
                Input::External(id) => match formula.nodes().get(*id) {
                    Some(node) if is_free(node) && finished => truths,
                    Some(node) if is_free(node) => reach_whatever_is_declared(formula)[*id],
                    _ => return Err(NotAnalysed::new("it has a number too large to explore")),
                },
                _ => continue,
            };
            self.choices.push(Choice {
                places: vec![place],
                answers: verdicts.iter().map(|verdict| vec![verdict as u8]).collect(),
            });
        }
        for (_, places) in patterns {
            // It answers no, maybe or yes.
            let mut answers: Vec<Vec<u8>> = (0..3)
                .map(|answer| {
                    let matches = |(_, maybe): &(usize, bool)| match answer {
                        0 => 0,
                        1 => u8::from(*maybe),
                        _ => 1,
                    };
                    places.iter().map(matches).collect()
                })
                .collect();
            answers.dedup();
            let places = places.into_iter().map(|(place, _)| place).collect();
            self.choices.push(Choice { places, answers });
        }
        let count = self.choices.iter().try_fold(1_usize, |count, choice| {
            count.checked_mul(choice.answers.len())
        });
        Ok(count.is_some_and(|count| count <= MAX_ANSWERS))
    }

    /// The letters that these answers can be, with what is free of them filled in.
    pub(super) fn fill(&self, answers: &[u8]) -> Vec<Box<[u8]>> {
        let mut all: Vec<Box<[u8]>> = vec![Box::from(answers)];
        for choice in &self.choices {
            let mut more = Vec::with_capacity(all.len() * choice.answers.len());
            for letter in &all {
                for answers in &choice.answers {
                    let mut letter = letter.clone();
                    for (place, answer) in choice.places.iter().zip(answers) {
                        letter[*place] = *answer;
                    }
                    more.push(letter);
                }
            }
            all = more;
        }
        all
    }
}

impl FreePart {
    pub(super) fn all_of(constraint: &str, formula: &Formula) -> Vec<Self> {
        let parts = free_parts(formula).into_iter();
        parts
            .map(|part| FreePart {
                constraint: constraint.to_owned(),
                part: part.to_string(),
            })
            .collect()
    }
}
