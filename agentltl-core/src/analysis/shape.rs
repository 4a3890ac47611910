//! Formulas that differ in the names of tools alone share their machines.

use crate::formula::Formula;
use crate::monitor::Input;
use crate::node::{Node, Pattern};
use crate::text::{Name, Seq};

/// A formula with numbers for the names of its tools, and the names.
pub(super) struct Shape {
    pub(super) formula: Formula,
    pub(super) tools: Vec<Name>,
}

impl Shape {
    /// Of a formula without quantifiers.
    pub(super) fn of(formula: &Formula) -> Self {
        let mut tools: Vec<Name> = Vec::new();
        let mut number = |tool: &Name| {
            let place = tools.iter().position(|other| other == tool);
            let place = place.unwrap_or_else(|| {
                tools.push(tool.clone());
                tools.len() - 1
            });
            Name::from(place.to_string())
        };
        let nodes = formula.nodes().iter();
        let nodes = nodes.map(|node| renamed(node, &mut number)).collect();
        Shape {
            formula: Formula::from_nodes(nodes),
            tools,
        }
    }

    /// A question of the machine, with the names.
    pub(super) fn named(&self, input: &Input) -> Input {
        let name = |number: &Name| {
            let place = number.as_str().parse::<usize>().ok();
            let tool = place.and_then(|place| self.tools.get(place));
            tool.unwrap_or(number).clone()
        };
        match input {
            Input::Tool(tool) => Input::Tool(name(tool)),
            Input::Call(tools, args) => Input::Call(tools.iter().map(name).collect(), args.clone()),
            Input::Result(tool, result, args) => {
                Input::Result(name(tool), result.clone(), args.clone())
            }
            other => other.clone(),
        }
    }
}

fn renamed(node: &Node, name: &mut impl FnMut(&Name) -> Name) -> Node {
    fn all(tools: &Seq<Name>, name: &mut impl FnMut(&Name) -> Name) -> Seq<Name> {
        tools.iter().map(name).collect()
    }
    match node {
        Node::Called(t) => Node::Called(name(t)),
        Node::Now(t) => Node::Now(name(t)),
        Node::Before(a, b) => Node::Before(name(a), name(b)),
        Node::After(a, b) => Node::After(name(a), name(b)),
        Node::AllBefore(tools, gate) => Node::AllBefore(all(tools, name), name(gate)),
        Node::InOrder(tools) => Node::InOrder(all(tools, name)),
        Node::BranchCalled {
            correct,
            wrong,
            context,
        } => Node::BranchCalled {
            correct: name(correct),
            wrong: wrong.as_ref().map(name),
            context: context.clone(),
        },
        Node::CalledN(t, bound) => Node::CalledN(name(t), *bound),
        Node::CalledWith(t, args) => Node::CalledWith(name(t), args.clone()),
        Node::CalledWithResult(t, result, args) => {
            Node::CalledWithResult(name(t), result.clone(), args.clone())
        }
        Node::WithinSteps(a, b, steps) => Node::WithinSteps(name(a), name(b), *steps),
        Node::InstanceBefore(a, n, b, m) => Node::InstanceBefore(name(a), *n, name(b), *m),
        Node::Matches(Pattern::Tools(tools, args)) => {
            Node::Matches(Pattern::Tools(all(tools, name), args.clone()))
        }
        other => other.clone(),
    }
}
