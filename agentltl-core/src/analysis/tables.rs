//! The machines of all rules. Those that differ in the names of tools alone are one.

use super::NotAnalysed;
use super::free::is_free_of_code;
use super::shape::Shape;
use super::table::{Budget, LetterId, StateId, Step, Table};
use crate::formula::Formula;
use crate::monitor::Input;

pub(super) type TableId = usize;

/// What a machine judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Calls.
    Enforcing,
    /// Finished runs.
    Finished,
}

#[derive(Debug, Default)]
pub(super) struct Tables {
    machines: Vec<Table>,
    /// Those that are shared, with what they judge.
    shapes: Vec<(Formula, Kind, usize)>,
    uses: Vec<Use>,
}

/// A machine with the names of a formula.
#[derive(Debug)]
struct Use {
    machine: usize,
    inputs: Vec<Input>,
}

impl Kind {
    pub(super) fn table(self, formula: &Formula) -> Result<Table, NotAnalysed> {
        match self {
            Kind::Enforcing => Table::enforcing(formula),
            Kind::Finished => Table::finished(formula),
        }
    }
}

impl Tables {
    pub(super) fn add(&mut self, formula: &Formula, kind: Kind) -> Result<TableId, NotAnalysed> {
        let has_names = !formula.tools().iter().any(|tool| tool.is_path());
        let (machine, inputs) = if has_names && is_free_of_code(formula) {
            let shape = Shape::of(formula);
            let machine = self.machine_of(&shape.formula, kind)?;
            let inputs = self.machines[machine].inputs().iter();
            (machine, inputs.map(|input| shape.named(input)).collect())
        } else {
            let machine = self.push(kind.table(formula)?);
            (machine, self.machines[machine].inputs().to_vec())
        };
        self.uses.push(Use { machine, inputs });
        Ok(self.uses.len() - 1)
    }

    fn machine_of(&mut self, shape: &Formula, kind: Kind) -> Result<usize, NotAnalysed> {
        let mut known = self.shapes.iter();
        if let Some((.., machine)) =
            known.find(|(other, judges, _)| *judges == kind && other == shape)
        {
            return Ok(*machine);
        }
        let machine = self.push(kind.table(shape)?);
        self.shapes.push((shape.clone(), kind, machine));
        Ok(machine)
    }

    fn push(&mut self, table: Table) -> usize {
        self.machines.push(table);
        self.machines.len() - 1
    }

    /// How many tables there are.
    pub(super) fn len(&self) -> usize {
        self.uses.len()
    }

    /// What the table asks of each call.
    pub(super) fn inputs(&self, table: TableId) -> &[Input] {
        &self.uses[table].inputs
    }

    /// The machine of the table, which others may share.
    pub(super) fn machine_id(&self, table: TableId) -> usize {
        self.uses[table].machine
    }

    pub(super) fn machine(&mut self, table: TableId) -> &mut Table {
        &mut self.machines[self.uses[table].machine]
    }

    pub(super) fn step(
        &mut self,
        table: TableId,
        state: StateId,
        letter: LetterId,
        budget: &mut Budget,
    ) -> Result<Step, NotAnalysed> {
        let machine = self.uses[table].machine;
        self.machines[machine].step(state, letter, budget)
    }
}
