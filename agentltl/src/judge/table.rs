//! The evaluator: for each subformula a column with its verdict at each position, computed in one
//! pass from the columns of its operands.
//!
//! Running and finished runs differ only in what lies beyond the last call ([`Mode`]): a running
//! formula is PENDING there, a finished one is as the operator's vacuous case says. A finished run
//! has only the verdicts TRUE and FALSE.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use agentltl_core::{
    Bound, Cmp, Formula, MAX_DEPTH, MAX_QUANTIFIERS, Node, NodeId, Pattern, Tree, Verdict,
};
use serde_json::Value as Json;

use super::atoms::{self, Fact};
use super::run::Prefix;
use super::{EvaluationError, hosts};
use crate::host::Match;
use crate::matching::{Binding, Bindings};

use Verdict::{False, PFalse, PTrue, Pending, True};

/// How a run is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It may go on: five verdicts.
    Running,
    /// It is over: TRUE or FALSE.
    Finished,
}

impl Mode {
    /// PENDING on a running run, else the given value.
    fn pending_or(self, finished: bool) -> Verdict {
        match self {
            Mode::Running => Pending,
            Mode::Finished => truth(finished),
        }
    }
}

fn truth(value: bool) -> Verdict {
    if value { True } else { False }
}

/// A subformula's verdict at each position.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    /// The same everywhere.
    Same(Verdict),
    /// By position, from some position on; of one entry where there are no calls.
    Each(usize, Rc<[Verdict]>),
}

impl Column {
    pub(crate) fn at(&self, position: usize) -> Verdict {
        match self {
            Column::Same(verdict) => *verdict,
            Column::Each(from, verdicts) => verdicts[position - from],
        }
    }

    fn map(&self, op: impl Fn(Verdict) -> Verdict) -> Column {
        match self {
            Column::Same(verdict) => Column::Same(op(*verdict)),
            Column::Each(from, verdicts) => {
                Column::Each(*from, verdicts.iter().map(|v| op(*v)).collect())
            }
        }
    }

    fn zip(&self, other: &Column, op: impl Fn(Verdict, Verdict) -> Verdict) -> Column {
        match (self, other) {
            (Column::Same(a), _) => other.map(|b| op(*a, b)),
            (_, Column::Same(b)) => self.map(|a| op(a, *b)),
            // All columns of an evaluation start at the same position.
            (Column::Each(from, a), Column::Each(_, b)) => {
                let pairs = a.iter().zip(b.iter());
                Column::Each(*from, pairs.map(|(a, b)| op(*a, *b)).collect())
            }
        }
    }
}

/// A formula prepared for evaluation.
pub(crate) struct Plan<'f> {
    pub(crate) tree: Tree<'f>,
    /// For each node the outermost quantifiers whose bodies start there, innermost first.
    bodies: HashMap<NodeId, Vec<NodeId>>,
    /// Whether the node stands under a quantifier and is the same for all its entities.
    shared: Vec<bool>,
}

impl<'f> Plan<'f> {
    pub(crate) fn new(formula: &'f Formula) -> Result<Self, EvaluationError> {
        // What a parser or a policy has let through is within these bounds.
        for (depth, most, what) in [
            (formula.depth(), MAX_DEPTH, "operators"),
            (formula.quantifier_depth(), MAX_QUANTIFIERS, "quantifiers"),
        ] {
            if depth > most {
                return Err(EvaluationError {
                    what: "the formula".to_owned(),
                    message: format!(
                        "it nests {depth} {what} in each other; at most {most} may be"
                    ),
                });
            }
        }
        let tree = formula.tree();
        let mut bodies: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
        let mut open = vec![false; tree.len()];
        for id in 0..tree.len() {
            let node = tree.node(id);
            if let Node::Forall(..) | Node::Exists(..) = node {
                bodies.entry(tree.extent(id).start).or_default().push(id);
            }
            let mut uses = tree.children(id).iter().any(|child| open[*child]);
            node.variables(&mut |_| uses = true);
            open[id] = uses;
        }
        let mut shared = vec![false; tree.len()];
        for quantifier in bodies.values().flatten() {
            for id in tree.extent(*quantifier - 1) {
                shared[id] = !open[id];
            }
        }
        Ok(Plan {
            tree,
            bodies,
            shared,
        })
    }

    /// Is there a node in the subformula whose value depends on the position?
    pub(crate) fn is_local(&self, id: NodeId) -> bool {
        self.tree.extent(id).any(|id| self.tree.node(id).is_local())
    }

    /// Is the subformula's value at a position settled by the calls up to there?
    pub(crate) fn is_past_only(&self, id: NodeId) -> bool {
        self.tree.extent(id).all(|id| self.tree.node(id).is_past())
    }

    /// Does the subformula, which is past-only, look at no position but its own?
    pub(crate) fn is_pointwise(&self, id: NodeId) -> bool {
        self.tree.extent(id).all(|id| {
            let node = self.tree.node(id);
            !node.is_local() || matches!(node, Node::Now(_) | Node::Matches(_))
        })
    }

    /// The outermost quantifier inside the subformula whose body starts at `id`.
    fn quantifier_from(&self, id: NodeId, root: NodeId) -> Option<NodeId> {
        self.bodies
            .get(&id)?
            .iter()
            .rev()
            .copied()
            .find(|quantifier| *quantifier <= root)
    }
}

/// Whether "maybe" is counted as the formula says, or the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maybe {
    AsWritten,
    Mirrored,
}

/// What evaluation needs throughout.
pub(crate) struct Evaluator<'e, 'r, 'a, 'f> {
    pub(crate) plan: &'e Plan<'f>,
    pub(crate) run: Prefix<'r, 'a>,
    pub(crate) mode: Mode,
    pub(crate) maybe: Maybe,
    /// Set once a pattern has answered "maybe".
    pub(crate) asked_maybe: Cell<bool>,
    /// The first position that is asked about. Later than 0 for what is
    /// [pointwise](Plan::is_pointwise) only.
    pub(crate) from: usize,
    /// Keep every column and the tables of entities, or only what is still needed?
    pub(crate) keep: bool,
    /// What is the same for all entities of a quantifier.
    shared: RefCell<HashMap<NodeId, (Column, Option<Fact>)>>,
}

/// The columns of a subformula's nodes, and the tables of its quantifiers' bodies.
pub(crate) struct Table {
    columns: HashMap<NodeId, Column>,
    pub(crate) facts: HashMap<NodeId, Fact>,
    /// For a quantifier, its entities with the tables of its body.
    pub(crate) entities: HashMap<NodeId, Vec<(Json, Table)>>,
}

impl Table {
    pub(crate) fn at(&self, id: NodeId, position: usize) -> Verdict {
        // Only asked for nodes whose column was kept.
        self.columns
            .get(&id)
            .map_or(Pending, |column| column.at(position))
    }

    pub(crate) fn column(&self, id: NodeId) -> Option<&Column> {
        self.columns.get(&id)
    }
}

impl<'e, 'r, 'a, 'f> Evaluator<'e, 'r, 'a, 'f> {
    pub(crate) fn new(plan: &'e Plan<'f>, run: Prefix<'r, 'a>, mode: Mode, keep: bool) -> Self {
        Evaluator {
            plan,
            run,
            mode,
            maybe: Maybe::AsWritten,
            asked_maybe: Cell::new(false),
            from: 0,
            keep,
            shared: RefCell::default(),
        }
    }

    /// How many entries a column has: the empty run is judged at its position 0, too.
    fn height(&self) -> usize {
        self.run.len().max(1)
    }

    /// Fills the table of a subformula under the bindings.
    pub(crate) fn table(
        &self,
        root: NodeId,
        bindings: Bindings<'_>,
    ) -> Result<Table, EvaluationError> {
        let tree = &self.plan.tree;
        let mut table = Table {
            columns: HashMap::new(),
            facts: HashMap::new(),
            entities: HashMap::new(),
        };
        let mut id = tree.extent(root).start;
        while id <= root {
            if let Some(quantifier) = self.plan.quantifier_from(id, root) {
                let column = self.quantifier(quantifier, bindings, &mut table)?;
                table.columns.insert(quantifier, column);
                id = quantifier + 1;
                continue;
            }
            let column = self.column(id, bindings, &mut table)?;
            if !self.keep {
                for child in tree.children(id) {
                    table.columns.remove(child);
                }
            }
            table.columns.insert(id, column);
            id += 1;
        }
        Ok(table)
    }

    fn quantifier(
        &self,
        id: NodeId,
        bindings: Bindings<'_>,
        table: &mut Table,
    ) -> Result<Column, EvaluationError> {
        let (name, domain, universal) = match self.plan.tree.node(id) {
            Node::Exists(name, domain) => (name, domain, false),
            Node::Forall(name, domain) => (name, domain, true),
            other => return Err(unknown(other)),
        };
        let mut column = Column::Same(match (self.mode, universal) {
            (Mode::Running, true) => Pending,
            (Mode::Running, false) => PFalse,
            (Mode::Finished, universal) => truth(universal),
        });
        let body = id - 1;
        let mut tables = Vec::new();
        for entity in self.run.entities(domain, bindings)? {
            let binding = Binding {
                outer: bindings,
                name,
                value: &entity,
            };
            let inner = self.table(body, Bindings::of(&binding))?;
            if let Some(verdicts) = inner.column(body) {
                column = column.zip(verdicts, if universal { Ord::min } else { Ord::max });
            }
            if self.keep {
                tables.push((entity, inner));
            }
        }
        if self.keep {
            table.entities.insert(id, tables);
        }
        Ok(column)
    }

    /// The column of a node whose operands' columns are in the table.
    fn column(
        &self,
        id: NodeId,
        bindings: Bindings<'_>,
        table: &mut Table,
    ) -> Result<Column, EvaluationError> {
        if !self.plan.shared[id] {
            return self.compute(id, bindings, table);
        }
        if let Some((column, fact)) = self.shared.borrow().get(&id) {
            table.facts.extend(fact.map(|fact| (id, fact)));
            return Ok(column.clone());
        }
        let column = self.compute(id, bindings, table)?;
        let fact = table.facts.get(&id).copied();
        self.shared.borrow_mut().insert(id, (column.clone(), fact));
        Ok(column)
    }

    fn compute(
        &self,
        id: NodeId,
        bindings: Bindings<'_>,
        table: &mut Table,
    ) -> Result<Column, EvaluationError> {
        let node = self.plan.tree.node(id);
        if let Some(fact) = atoms::fact(node, self.run, bindings) {
            if self.keep {
                table.facts.insert(id, fact);
            }
            return Ok(Column::Same(match self.mode {
                Mode::Running => fact.verdict,
                Mode::Finished => truth(fact.verdict.holds()),
            }));
        }
        let n = self.run.len();
        let child = |index: usize| -> &Column {
            // Operands come before their operator, and only it takes them out of the table.
            &table.columns[&self.plan.tree.children(id)[index]]
        };
        let tail = |finished| self.mode.pending_or(finished);
        Ok(match node {
            Node::Now(tool) => self.calls_at(self.run.positions_from(tool.as_str(), self.from)),
            Node::Matches(pattern) => self.matches(pattern, bindings)?,
            Node::Predicate { function, .. } => {
                let mut verdicts = Vec::with_capacity(self.height());
                for position in 0..self.height() {
                    let answer = hosts::predicate(function, self.run.calls(), position)?;
                    verdicts.push(match (self.mode, answer.holds, answer.is_final) {
                        (Mode::Finished, holds, _) | (Mode::Running, holds, true) => truth(holds),
                        (Mode::Running, true, false) => PTrue,
                        (Mode::Running, false, false) => PFalse,
                    });
                }
                Column::Each(0, verdicts.into())
            }
            Node::Not => child(0).map(|verdict| !verdict),
            Node::And(operands) => {
                (1..*operands as usize).fold(child(0).clone(), |all, i| all.zip(child(i), Ord::min))
            }
            Node::Or(operands) => {
                (1..*operands as usize).fold(child(0).clone(), |any, i| any.zip(child(i), Ord::max))
            }
            Node::Implies => child(0).zip(child(1), |f, g| (!f).max(g)),
            Node::Next => self.each(|i| {
                if i + 1 < n {
                    child(0).at(i + 1)
                } else {
                    tail(false)
                }
            }),
            Node::At(position) => Column::Same(match usize::try_from(*position) {
                Err(_) if *position < 0 => False,
                Ok(position) if position < n => child(0).at(position),
                _ => tail(false),
            }),
            Node::Globally => self.backward(tail(true), |i, rest| child(0).at(i).min(rest)),
            Node::Eventually => self.backward(tail(false), |i, rest| child(0).at(i).max(rest)),
            Node::Until => self.until(child(0), child(1), tail(false)),
            Node::WeakUntil => self.until(child(0), child(1), tail(true)),
            Node::Release => self.backward(tail(true), |i, rest| {
                child(1).at(i).min(child(0).at(i).max(rest))
            }),
            Node::Previous => self.each(|i| if i == 0 { False } else { child(0).at(i - 1) }),
            Node::Once => self.forward(tail(false), False, |i, seen| child(0).at(i).max(seen)),
            Node::Historically => {
                self.forward(tail(true), True, |i, seen| child(0).at(i).min(seen))
            }
            Node::Since => self.forward(tail(false), False, |i, seen| {
                child(1).at(i).max(child(0).at(i).min(seen))
            }),
            Node::CountBefore(bound) => self.count_before(child(0), *bound),
            other => return Err(unknown(other)),
        })
    }

    fn each(&self, verdict: impl Fn(usize) -> Verdict) -> Column {
        Column::Each(0, (0..self.height()).map(verdict).collect())
    }

    /// From the last call back, starting with what lies beyond it.
    fn backward(&self, tail: Verdict, step: impl Fn(usize, Verdict) -> Verdict) -> Column {
        let mut verdicts = vec![tail; self.height()];
        let mut rest = tail;
        for i in (0..self.run.len()).rev() {
            rest = step(i, rest);
            verdicts[i] = rest;
        }
        Column::Each(0, verdicts.into())
    }

    fn until(&self, f: &Column, g: &Column, tail: Verdict) -> Column {
        self.backward(tail, |i, rest| g.at(i).max(f.at(i).min(rest)))
    }

    /// From the first call on; `empty` is the verdict where there is none.
    fn forward(
        &self,
        empty: Verdict,
        start: Verdict,
        step: impl Fn(usize, Verdict) -> Verdict,
    ) -> Column {
        if self.run.len() == 0 {
            return Column::Same(empty);
        }
        let mut seen = start;
        let verdicts = (0..self.run.len()).map(|i| {
            seen = step(i, seen);
            seen
        });
        Column::Each(0, verdicts.collect())
    }

    fn count_before(&self, operand: &Column, bound: Bound) -> Column {
        if self.run.len() == 0 {
            return Column::Same(self.mode.pending_or(bound.admits(0)));
        }
        let (mut least, mut most) = (0, 0);
        let verdicts = (0..self.run.len()).map(|i| {
            let verdict = between(bound, least, most);
            let operand = operand.at(i);
            least += u64::from(operand == True);
            most += u64::from(operand != False);
            verdict
        });
        Column::Each(0, verdicts.collect())
    }

    /// TRUE at the positions, of which none is before the first that is asked about; FALSE elsewhere.
    fn calls_at(&self, positions: &[u32]) -> Column {
        if self.run.len() == 0 {
            return Column::Same(self.mode.pending_or(false));
        }
        let mut verdicts = vec![False; self.run.len() - self.from];
        for position in positions {
            verdicts[*position as usize - self.from] = True;
        }
        Column::Each(self.from, verdicts.into())
    }

    fn matches(
        &self,
        pattern: &Pattern,
        bindings: Bindings<'_>,
    ) -> Result<Column, EvaluationError> {
        match pattern {
            Pattern::Tools(tools, args) => {
                let positions: Vec<u32> = tools
                    .iter()
                    .flat_map(|tool| {
                        self.run
                            .matching_from(tool.as_str(), args, bindings, self.from)
                    })
                    .collect();
                Ok(self.calls_at(&positions))
            }
            Pattern::Host { pattern, maybe } => {
                let mut positions = Vec::new();
                for (position, call) in (self.from as u32..).zip(&self.run.calls()[self.from..]) {
                    let matches = match hosts::pattern(pattern, call)? {
                        Match::Yes => true,
                        Match::No => false,
                        Match::Maybe => {
                            self.asked_maybe.set(true);
                            *maybe == (self.maybe == Maybe::AsWritten)
                        }
                    };
                    if matches {
                        positions.push(position);
                    }
                }
                Ok(self.calls_at(&positions))
            }
            other => Err(EvaluationError {
                what: format!("the pattern {other:?}"),
                message: "it is of a kind this version does not know".to_owned(),
            }),
        }
    }
}

fn unknown(node: &Node) -> EvaluationError {
    EvaluationError {
        what: format!("the node {node:?}"),
        message: "it is of a kind this version does not know".to_owned(),
    }
}

/// Whether the comparison holds for every number from `least` to `most`, for none, or for some.
fn between(Bound { cmp, number }: Bound, least: u64, most: u64) -> Verdict {
    let admits = |count| Bound { cmp, number }.admits(count);
    match (admits(least), admits(most)) {
        // `==` admits both ends only if they are one number.
        (true, true) => True,
        // The other comparisons are monotone; `==` may admit a number in between.
        (false, false) if cmp != Cmp::Eq => False,
        (false, false) => {
            let inside =
                i128::from(least) < i128::from(number) && i128::from(number) < i128::from(most);
            if inside { Pending } else { False }
        }
        _ => Pending,
    }
}
