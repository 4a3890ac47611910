//! Parts of a rule that could as well be `true` or `false`.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::alphabet::answers;
use super::finding::Lint;
use super::free::is_free_of_code;
use super::table::{Budget, LetterId, Step, Table, holds_empty};
use super::tables::Kind;
use super::view::{Changes, View};
use super::{Analyst, NotAnalysed};
use crate::formula::{Formula, NodeId};
use crate::node::Node;

/// The look-ups spent on the parts of a rule.
const BUDGET: u64 = 50_000;
/// What it costs to prepare a machine, in look-ups.
const MACHINE: u64 = 200;

/// What was found of a formula of some shape, see [`Analyst::look_for_constant`].
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The machines that judge finished runs and calls.
    machines: [usize; 2],
    /// The calls that there are for them.
    calls: Vec<Vec<Changes>>,
}

/// A part that could as well be a constant: that value, or any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constant {
    part: NodeId,
    value: Option<bool>,
}

impl Analyst<'_> {
    /// Reports the largest part of the rule that is constant; the rule itself can be met and broken.
    pub(super) fn look_for_constant(&mut self, rule: usize) -> Result<(), NotAnalysed> {
        let formula = self.policy.constraints()[self.rules[rule].index].formula();
        // What code answers to the rule and to what is compared with it would have to be the same.
        let (Some(finished), Some(enforcing)) =
            (self.rules[rule].finished, self.rules[rule].enforcing)
        else {
            return Ok(());
        };
        if !is_free_of_code(formula) {
            return Ok(());
        }
        let view = self.world.view(&[finished, enforcing]);
        let key = Key {
            machines: [finished, enforcing].map(|table| self.world.tables.machine_id(table)),
            calls: view.letters(),
        };
        let constant = match self.constants.get(&key) {
            Some(constant) => *constant,
            None => {
                let constant = self.constant_part(rule, formula, &view)?;
                self.constants.insert(key, constant);
                constant
            }
        };
        let Some(Constant { part, value }) = constant else {
            return Ok(());
        };
        let text = formula.tree().subformula(part);
        let name = self.name(rule);
        let message = match value {
            Some(value) => format!(
                "in `{name}`, `{text}` is always {value} where it matters: with `{value}` in its place \
                 the rule refuses the same calls and holds on the same finished runs"
            ),
            None => format!(
                "in `{name}`, `{text}` makes no difference: be it true or false, the rule refuses the \
                 same calls and holds on the same finished runs"
            ),
        };
        self.report(Lint::Constant, &[rule], message, None).part = Some(text);
        Ok(())
    }

    /// The largest part of the formula that could as well be a constant.
    fn constant_part(
        &mut self,
        rule: usize,
        formula: &Formula,
        view: &View,
    ) -> Result<Option<Constant>, NotAnalysed> {
        let tree = formula.tree();
        let mut parts: Vec<NodeId> = (0..tree.root())
            .filter(|id| !matches!(tree.node(*id), Node::True | Node::False))
            .collect();
        parts.sort_by_key(|id| (Reverse(tree.extent(*id).len()), *id));
        for part in parts {
            let mut is = [false; 2];
            for value in [true, false] {
                let literal = if value { Node::True } else { Node::False };
                let mut nodes = formula.nodes().to_vec();
                nodes.splice(tree.extent(part), [literal]);
                let changed = Formula::from_nodes(nodes);
                is[usize::from(value)] =
                    !is_decided(&changed) && self.is_same(rule, &changed, view)?;
            }
            let value = match is {
                [false, false] => continue,
                [true, true] => None,
                [_, value] => Some(value),
            };
            return Ok(Some(Constant { part, value }));
        }
        Ok(None)
    }

    /// Does the changed formula refuse the calls that the rule refuses, and hold where it holds?
    fn is_same(
        &mut self,
        rule: usize,
        changed: &Formula,
        view: &View,
    ) -> Result<bool, NotAnalysed> {
        let (Some(finished), Some(enforcing)) =
            (self.rules[rule].finished, self.rules[rule].enforcing)
        else {
            return Ok(false);
        };
        if self.rules[rule].empty != holds_empty(changed) {
            return Ok(false);
        }
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
