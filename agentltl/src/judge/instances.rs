//! Instances: what a call is blamed for. A formula that fails does so in one or more instances, each
//! known by its path through the conjunctive structure and by its counts.

use agentltl_core::{Node, NodeId, Verdict};

use super::table::{Plan, Table};
use super::{Segment, Witness};
use crate::matching;

/// The instances of a subformula that fail at a position.
pub(crate) struct Instances<'e, 'f> {
    pub(crate) plan: &'e Plan<'f>,
    /// How many calls there are.
    pub(crate) len: usize,
    pub(crate) found: Vec<Witness>,
}

impl Instances<'_, '_> {
    /// Collects them, in the order of the formula and the run.
    pub(crate) fn collect(
        &mut self,
        id: NodeId,
        position: usize,
        table: &Table,
        path: &mut Vec<Segment>,
    ) {
        // The operators passed here fail only where an operand does, so nothing is missed.
        if !table.at(id, position).refuses() {
            return;
        }
        let tree = &self.plan.tree;
        match tree.node(id) {
            Node::And(_) => {
                for (side, child) in tree.children(id).iter().enumerate() {
                    self.through(Segment::Side(side), *child, position, table, path);
                }
            }
            Node::Globally if self.plan.is_local(id - 1) => {
                for i in position..self.len {
                    self.through(Segment::Position(Some(i)), id - 1, i, table, path);
                }
            }
            Node::Globally => {
                self.through(Segment::Position(None), id - 1, position, table, path);
            }
            Node::Historically => {
                let verdict = table.at(id, position);
                let earliest = (0..=position).find(|i| table.at(id - 1, *i) == verdict);
                if let Some(i) = earliest {
                    self.through(Segment::Position(Some(i)), id - 1, i, table, path);
                }
            }
            Node::Forall(..) => {
                for (entity, table) in table.entities.get(&id).into_iter().flatten() {
                    self.through(
                        Segment::Entity(entity.clone()),
                        id - 1,
                        position,
                        table,
                        path,
                    );
                }
            }
            Node::Next => self.through(Segment::Next, id - 1, position + 1, table, path),
            Node::Previous if position > 0 => {
                self.through(Segment::Previous, id - 1, position - 1, table, path);
            }
            // The position is the operator's own and adds nothing to the path.
            Node::At(k) if *k >= 0 => self.collect(id - 1, *k as usize, table, path),
            _ => {
                let mut counts = Vec::new();
                counts_of(self.plan, id, position, table, &mut counts);
                self.found.push(Witness {
                    path: path.clone(),
                    counts,
                    verdict: table.at(id, position),
                });
            }
        }
    }

    fn through(
        &mut self,
        segment: Segment,
        id: NodeId,
        position: usize,
        table: &Table,
        path: &mut Vec<Segment>,
    ) {
        path.push(segment);
        self.collect(id, position, table, path);
        path.pop();
    }
}

/// The counts that tell one failure of an instance from the next. Which counts there are follows
/// from the node and a final verdict, so a list without structure tells them apart.
fn counts_of(plan: &Plan<'_>, id: NodeId, position: usize, table: &Table, counts: &mut Vec<u64>) {
    let children = plan.tree.children(id);
    let verdict = table.at(id, position);
    match plan.tree.node(id) {
        Node::Called(_) | Node::CalledN(..) | Node::CalledWith(..) | Node::CalledWithResult(..) => {
            counts.extend(table.facts.get(&id).and_then(|fact| fact.count));
        }
        // Only a settled operand's count belongs to the failure: another one goes on growing after
        // the verdict is final, and by calls that have nothing to do with it.
        Node::CountBefore(_) if plan.is_past_only(id - 1) => {
            let held = (0..position).filter(|i| table.at(id - 1, *i) == Verdict::True);
            counts.push(held.count() as u64);
        }
        Node::Not => counts_of(plan, id - 1, position, table, counts),
        Node::Next => counts_of(plan, id - 1, position + 1, table, counts),
        Node::Previous if position > 0 => counts_of(plan, id - 1, position - 1, table, counts),
        Node::At(k) if *k >= 0 => counts_of(plan, id - 1, *k as usize, table, counts),
        Node::Once if verdict == Verdict::True => {
            if let Some(first) = (0..=position).find(|i| table.at(id - 1, *i) == verdict) {
                counts_of(plan, id - 1, first, table, counts);
            }
        }
        Node::Historically if verdict == Verdict::False => {
            if let Some(first) = (0..=position).find(|i| table.at(id - 1, *i) == verdict) {
                counts_of(plan, id - 1, first, table, counts);
            }
        }
        Node::Or(_) | Node::Implies if verdict == Verdict::False => {
            for child in children {
                counts_of(plan, *child, position, table, counts);
            }
        }
        _ => {}
    }
}

/// Are all failing instances among those that had failed for good before?
pub(crate) fn all_known(now: &[Witness], before: &[Witness]) -> bool {
    let is_final = |witness: &&Witness| witness.verdict == Verdict::False;
    // Both lists are in the order of the formula and the run, so one walk finds each; only a domain
    // in Rust may give its entities in another order than before.
    let mut walk = before.iter().filter(is_final);
    now.iter().all(|witness| {
        is_final(&witness)
            && (walk.any(|other| same_instance(witness, other))
                || before
                    .iter()
                    .filter(is_final)
                    .any(|other| same_instance(witness, other)))
    })
}

fn same_instance(a: &Witness, b: &Witness) -> bool {
    a.counts == b.counts
        && a.path.len() == b.path.len()
        && a.path.iter().zip(&b.path).all(|segments| match segments {
            (Segment::Entity(a), Segment::Entity(b)) => matching::equal(a, b),
            (a, b) => a == b,
        })
}
