//! What is no error and yet hardly meant.

use std::ops::Range;

use agentltl_core::{Node, NodeId, Tree};

use crate::formula::Read;

/// Something to warn of.
pub(crate) struct Advice {
    pub(crate) place: Range<usize>,
    /// The warning in short, as an identifier.
    pub(crate) title: &'static str,
    pub(crate) message: String,
}

/// What reads differently from what it means.
pub(crate) fn advice(read: &Read) -> Vec<Advice> {
    let tree = read.formula.tree();
    let mut found = Vec::new();
    for id in 0..tree.len() {
        match tree.node(id) {
            Node::Not => found.extend(loose_not(read, &tree, id)),
            Node::Globally => found.extend(whole_run(read, &tree, id)),
            _ => {}
        }
    }
    found
}

/// `!a S b`, which is `!(a S b)`.
fn loose_not(read: &Read, tree: &Tree<'_>, id: NodeId) -> Option<Advice> {
    let operand = *tree.children(id).first()?;
    let operator = match tree.node(operand) {
        Node::Until => "U",
        Node::WeakUntil => "W",
        Node::Release => "R",
        Node::Since => "S",
        _ => return None,
    };
    let text = read.origin.text();
    let between = read.spans[id].start + 1..read.spans[operand].start;
    let left = *tree.children(operand).first()?;
    // Parentheses around the operand stand before it; those of its left side belong to it.
    if text.get(between)?.contains('(') {
        return None;
    }
    let left = tree.subformula(left).to_string();
    let operand = tree.subformula(operand).to_string();
    Some(Advice {
        place: read.spans[id].clone(),
        title: "not_binds_looser_than_an_operator_between_formulas",
        message: format!(
            "`!` takes all of `{}` here, as `{operator}` binds tighter\n\
             help: write `(!{}) {operator} ..` to negate the left side alone, or `!(..)` to keep it \
             as it is",
            short(&operand),
            short(&left)
        ),
    })
}

/// `G(called("a") -> X(..))`: what holds at each position depends on that position on the right
/// alone.
fn whole_run(read: &Read, tree: &Tree<'_>, id: NodeId) -> Option<Advice> {
    let operand = *tree.children(id).first()?;
    if !matches!(tree.node(operand), Node::Implies) {
        return None;
    }
    let [left, right] = *tree.children(operand) else {
        return None;
    };
    let local = |side: NodeId| tree.extent(side).any(|node| tree.node(node).is_local());
    let called = tree
        .extent(left)
        .find(|node| matches!(tree.node(*node), Node::Called(_) | Node::CalledWith(..)))?;
    if local(left) || !local(right) {
        return None;
    }
    let atom = tree.subformula(called).to_string();
    let here = match tree.node(called) {
        Node::Called(tool) => format!("now({tool:?})"),
        Node::CalledWith(tool, _) => format!("matches({tool:?}, ..)"),
        _ => return None,
    };
    Some(Advice {
        place: read.spans[called].clone(),
        title: "called_speaks_of_the_whole_run",
        message: format!(
            "`{}` under `G` speaks of the whole run: it holds at every position once there is such a \
             call anywhere\nhelp: `{here}` speaks of the call at the position",
            short(&atom)
        ),
    })
}

/// The text on one line, cut where it gets long.
pub(crate) fn short(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > 80 {
        line = line.chars().take(79).collect();
        line.push('…');
    }
    line
}
