//! What a policy asks of its rules.

use std::collections::{HashMap, HashSet};

use super::Policy;
use super::error::{PolicyProblem, Problem};
use crate::constraint::Constraint;
use crate::formula::{Formula, MAX_DEPTH, MAX_QUANTIFIERS};
use crate::nearest::nearest;
use crate::node::{Node, Pattern};
use crate::text::Name;
use crate::value::MAX_VALUE_DEPTH;

/// Everything that is wrong with the rules, classes aside, in their order.
pub(super) fn problems(policy: &Policy) -> Vec<PolicyProblem> {
    let mut problems = Vec::new();
    let mut names: HashMap<&str, usize> = HashMap::new();
    let tools: HashSet<&Name> = policy.tools().iter().collect();
    for (index, constraint) in policy.constraints().iter().enumerate() {
        let name = constraint.name();
        let mut add = |problem| problems.push(PolicyProblem::of_rule(index, name, problem));
        if name.is_empty() {
            add(Problem::EmptyName);
        } else if let Some(&first) = names.get(name) {
            add(Problem::DuplicateName { first });
        } else {
            names.insert(name, index);
        }
        let weight = constraint.weight();
        if !is_weight(weight) {
            add(Problem::BadWeight { weight });
        }
        not_writable(constraint.formula(), &mut add);
        if let Some(variable) = constraint.formula().unbound_variable() {
            add(Problem::UnboundVariable {
                variable: variable.to_string(),
            });
        }
        if !tools.is_empty() {
            unknown_tools(constraint, &tools, &mut add);
        }
    }
    problems
}

/// What a formula made by functions can have that its text could not say or no one could judge.
fn not_writable(formula: &Formula, add: &mut dyn FnMut(Problem)) {
    let depth = formula.depth();
    if depth > MAX_DEPTH {
        add(Problem::TooDeep { depth });
    }
    let depth = formula.quantifier_depth();
    if depth > MAX_QUANTIFIERS {
        add(Problem::TooManyQuantifiers { depth });
    }
    for node in formula.nodes() {
        let atom = match node {
            Node::InOrder(tools) if tools.is_empty() => Some("in_order"),
            Node::AllBefore(tools, _) if tools.is_empty() => Some("all_before"),
            Node::Matches(Pattern::Tools(tools, _)) if tools.is_empty() => Some("matches"),
            _ => None,
        };
        if let Some(atom) = atom {
            add(Problem::NoTools { atom });
        }
        // The entities of a domain stand in a list.
        let listed = usize::from(matches!(node, Node::Forall(..) | Node::Exists(..)));
        node.values(&mut |value| {
            let depth = listed + value.depth();
            if depth > MAX_VALUE_DEPTH {
                add(Problem::ValueTooDeep { depth });
            }
            if let Some(field) = value.repeated_field() {
                add(Problem::RepeatedField {
                    field: field.to_string(),
                });
            }
        });
    }
}

/// May a rule have that weight?
pub(super) fn is_weight(weight: f64) -> bool {
    weight.is_finite() && weight >= 0.0
}

fn unknown_tools(constraint: &Constraint, tools: &HashSet<&Name>, add: &mut dyn FnMut(Problem)) {
    for tool in constraint.formula().tools() {
        if !tools.contains(tool) {
            let mut known: Vec<&str> = tools.iter().map(|tool| tool.as_str()).collect();
            known.sort_unstable();
            add(Problem::UnknownTool {
                tool: tool.as_str().to_owned(),
                suggestion: nearest(tool.as_str(), known).map(str::to_owned),
            });
        }
    }
}
