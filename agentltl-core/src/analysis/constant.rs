//! Parts of a rule that could as well be `true` or `false`.

use std::collections::HashSet;

use super::alphabet::answers;
use super::finding::Lint;
use super::free::is_free_of_code;
use super::table::{Budget, LetterId, Step, Table, holds_empty};
use super::tables::Kind;
use super::{Analyst, NotAnalysed};
use crate::formula::{Formula, NodeId};
use crate::node::Node;

/// The look-ups spent on the parts of a rule.
const BUDGET: u64 = 50_000;
/// What it costs to prepare a machine, in look-ups.
const MACHINE: u64 = 200;

impl Analyst<'_> {
    /// Reports the largest part of the rule that is constant; the rule itself can be met and broken.
    pub(super) fn look_for_constant(&mut self, rule: usize) -> Result<(), NotAnalysed> {
        let formula = self.policy.constraints()[self.rules[rule].index].formula();
        // What code answers to the rule and to what is compared with it would have to be the same.
        if !is_free_of_code(formula) {
            return Ok(());
        }
        let tree = formula.tree();
        let mut parts: Vec<NodeId> = (0..tree.root())
            .filter(|id| !matches!(tree.node(*id), Node::True | Node::False))
            .collect();
        parts.sort_by_key(|id| (std::cmp::Reverse(tree.extent(*id).len()), *id));
        for part in parts {
            let part_of = tree.extent(part);
            let mut same = Vec::new();
            for literal in [Node::True, Node::False] {
                let mut nodes = formula.nodes().to_vec();
                nodes.splice(part_of.clone(), [literal.clone()]);
                let changed = Formula::from_nodes(nodes);
                if !is_decided(&changed) && self.is_same(rule, &changed)? {
                    same.push(literal);
                }
            }
            let text = tree.subformula(part);
            let name = self.name(rule);
            let message = match same[..] {
                [] => continue,
                [Node::True] => format!(
                    "in `{name}`, `{text}` is always true where it matters: with `true` in its place \
                     the rule refuses the same calls and holds on the same finished runs"
                ),
                [Node::False] => format!(
                    "in `{name}`, `{text}` is always false where it matters: with `false` in its \
                     place the rule refuses the same calls and holds on the same finished runs"
                ),
                _ => format!(
                    "in `{name}`, `{text}` makes no difference: be it true or false, the rule refuses \
                     the same calls and holds on the same finished runs"
                ),
            };
            self.report(Lint::Constant, &[rule], message, None).part = Some(text);
            break;
        }
        Ok(())
    }

    /// Does the changed formula refuse the calls that the rule refuses, and hold where it holds?
    fn is_same(&mut self, rule: usize, changed: &Formula) -> Result<bool, NotAnalysed> {
        let (Some(finished), Some(enforcing)) =
            (self.rules[rule].finished, self.rules[rule].enforcing)
        else {
            return Ok(false);
        };
        if self.rules[rule].empty != holds_empty(changed) {
            return Ok(false);
        }
        let view = self.world.view(&[finished, enforcing]);
        self.ask(BUDGET, |this, budget| {
            for (table, kind) in [(finished, Kind::Finished), (enforcing, Kind::Enforcing)] {
                budget.spend(MACHINE)?;
                let mut other = kind.table(changed)?;
                let alphabet = &this.world.alphabet;
                let mut letters = Vec::new();
                for step in view.proposals.iter().flat_map(|proposal| &proposal.moves) {
                    let call = alphabet.call(step.id);
                    let answers = answers(other.inputs(), &call, call.result.as_ref());
                    let letter = alphabet.letter_of(step.id, table);
                    letters.push((letter, other.letter(answers), call.result.is_none()));
                }
                let table = this.world.tables.machine(table);
                if !agree(table, &mut other, &letters, kind, budget)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }
}

/// Do two machines say the same of each run: of those that are finished, or else of each call whose
/// result is not known? The letters of a call are given for each, and whether it has no result.
fn agree(
    one: &mut Table,
    other: &mut Table,
    letters: &[(LetterId, LetterId, bool)],
    kind: Kind,
    budget: &mut Budget,
) -> Result<bool, NotAnalysed> {
    let says = |step: Step, proposed: bool| match kind {
        Kind::Finished => step.may_hold,
        Kind::Enforcing => proposed && step.may_break,
    };
    let mut known = HashSet::from([(Table::START, Table::START)]);
    let mut todo = vec![(Table::START, Table::START)];
    while let Some((a, b)) = todo.pop() {
        for (letter_a, letter_b, proposed) in letters {
            let (a, b) = (
                one.step(a, *letter_a, budget)?,
                other.step(b, *letter_b, budget)?,
            );
            if says(a, *proposed) != says(b, *proposed) {
                return Ok(false);
            }
            if known.insert((a.next, b.next)) {
                todo.push((a.next, b.next));
            }
        }
    }
    Ok(true)
}

/// Do its literals decide the formula, as far as operators tell? It is then the same on all finished
/// runs.
fn is_decided(formula: &Formula) -> bool {
    let mut stack: Vec<Option<bool>> = Vec::new();
    for node in formula.nodes() {
        let operands = stack.split_off(stack.len() - node.arity());
        let is = |operand: usize, value: bool| operands[operand] == Some(value);
        stack.push(match node {
            Node::True => Some(true),
            Node::False => Some(false),
            Node::Not => operands[0].map(|value| !value),
            Node::And(_) if operands.contains(&Some(false)) => Some(false),
            Node::Or(_) if operands.contains(&Some(true)) => Some(true),
            Node::And(_) | Node::Or(_) if operands.iter().all(|o| *o == operands[0]) => operands[0],
            Node::Implies if is(0, false) || is(1, true) => Some(true),
            Node::Implies if is(0, true) => operands[1],
            Node::Globally | Node::Historically if is(0, true) => Some(true),
            Node::Eventually | Node::Next | Node::At(_) | Node::Previous | Node::Once
                if is(0, false) =>
            {
                Some(false)
            }
            Node::WeakUntil if is(0, true) || is(1, true) => Some(true),
            Node::Until | Node::Since if is(1, false) => Some(false),
            Node::Release if is(1, true) => Some(true),
            _ => None,
        });
    }
    stack.pop().flatten().is_some()
}
