//! One step of a machine.

use super::atom::Register;
use super::diagram::{Diagrams, Full, MixMap, Ref};
use super::plan::ItemId;
use super::{Machine, Op, Output, OverBudget, State};
use crate::verdict::Verdict;

/// A register of a past operator before its first position.
pub(super) const UNSET: Ref = Ref::MAX;

impl From<Full> for OverBudget {
    fn from(_: Full) -> Self {
        OverBudget
    }
}

/// What is computed for one call.
struct Step<'m> {
    machine: &'m mut Machine,
    letter: &'m [u8],
    first: bool,
    /// What the variables stand for after the call.
    by: Vec<Option<Ref>>,
    memo: MixMap<Ref, Ref>,
    /// For each item its value at the call's position.
    values: Vec<Ref>,
    registers: Vec<Ref>,
    /// The verdicts of the variables as far as they are known.
    known: Vec<Verdict>,
    live: Vec<(Ref, u64)>,
    due: Vec<u32>,
    failed: bool,
    failed_keys: u64,
    open: bool,
    breaks_here: bool,
}

impl Machine {
    /// The state after a call whose answers are `letter`, and what it tells.
    ///
    /// # Errors
    /// The machine has outgrown its budget; [`Machine::compact`] may help.
    pub fn step(&mut self, state: &State, letter: &[u8]) -> Result<(State, Output), OverBudget> {
        if state.is_settled() {
            let output = Output {
                verdict: state.settled_verdict(),
                breaks: false,
                breaks_here: false,
            };
            return Ok((state.clone(), output));
        }
        let plan = &self.plan;
        let atoms: Box<[Register]> = plan
            .atoms
            .iter()
            .zip(&state.atoms)
            .map(|(atom, was)| atom.step(*was, letter))
            .collect();
        let mut incremented = 0;
        let mut by = vec![None; plan.domains.len()];
        let mut known = match &plan.ends {
            None => vec![Verdict::Pending; plan.domains.len()],
            Some(ends) => ends.clone(),
        };
        for (i, atom) in plan.atoms.iter().enumerate() {
            if let Some(counter) = plan.counters[i] {
                incremented |= u64::from(atom.counted(letter)) << counter;
            }
            let verdict = atom.verdict(atoms[i]);
            known[plan.atom_variables[i]] = match &plan.ends {
                None => verdict,
                Some(_) if verdict.holds() => Verdict::True,
                Some(_) => Verdict::False,
            };
            if verdict.is_final() {
                by[plan.atom_variables[i]] = Some(Diagrams::constant(verdict));
            }
        }
        let mut step = Step {
            letter,
            first: !state.started,
            by,
            memo: MixMap::default(),
            values: Vec::with_capacity(plan.items.len()),
            registers: state.registers.to_vec(),
            known,
            live: Vec::new(),
            due: Vec::new(),
            failed: state.failed,
            failed_keys: state.failed_keys,
            open: state.open,
            breaks_here: false,
            machine: self,
        };
        for item in 0..step.machine.plan.items.len() {
            let value = step.value(item)?;
            step.values.push(value);
        }
        let mut breaks = state.failed_keys & incremented != 0;
        for (diagram, keys) in &state.live {
            let diagram = step.progress(*diagram)?;
            breaks |= step.add(diagram, *keys);
        }
        for item in &state.due {
            step.start(*item as usize);
        }
        breaks |= step.breaks_here;
        let verdict = step.verdict();
        step.live.sort_unstable();
        step.live.dedup();
        step.due.sort_unstable();
        step.due.dedup();
        let breaks_here = step.breaks_here;
        let plan = &step.machine.plan;
        let kept = plan
            .atoms
            .iter()
            .zip(&atoms)
            .map(|(atom, register)| atom.kept(*register));
        let mut after = State {
            registers: step.registers.into(),
            live: step.live.into(),
            due: step.due.into(),
            failed: step.failed,
            failed_keys: step.failed_keys,
            open: step.open,
            started: true,
            atoms: kept.collect(),
        };
        after.settle();
        Ok((
            after,
            Output {
                verdict,
                breaks,
                breaks_here,
            },
        ))
    }
}

impl State {
    /// Can no call change anything any more?
    pub(crate) fn is_settled(&self) -> bool {
        self.started && self.live.is_empty() && self.due.is_empty() && self.failed_keys == 0
    }

    fn settled_verdict(&self) -> Verdict {
        match (self.failed, self.open) {
            (true, _) => Verdict::False,
            (false, true) => Verdict::Pending,
            (false, false) => Verdict::True,
        }
    }

    /// Settled states differ only in their verdict: what led there is forgotten.
    fn settle(&mut self) {
        // What has failed for good cannot get better.
        self.open &= !self.failed;
        if self.is_settled() {
            self.atoms.fill(0);
            self.registers.fill(UNSET);
        }
    }
}

impl Step<'_> {
    fn progress(&mut self, diagram: Ref) -> Result<Ref, Full> {
        self.machine
            .diagrams
            .substitute(diagram, &self.by, &mut self.memo)
    }

    /// A past operator's value at the previous position, as known now; `None` at the first one.
    fn previous(&mut self, register: usize) -> Result<Option<Ref>, Full> {
        match self.registers[register] {
            UNSET => Ok(None),
            diagram => self.progress(diagram).map(Some),
        }
    }

    /// The item's value at the call's position; those of its operands are there.
    fn value(&mut self, item: ItemId) -> Result<Ref, Full> {
        let op = self.machine.plan.items[item].op.clone();
        let operand =
            |step: &Self, i: usize| step.values[step.machine.plan.items[item].operands[i]];
        Ok(match op {
            Op::Constant(verdict) => Diagrams::constant(verdict),
            Op::Atom { variable, .. } => match self.by[variable] {
                Some(settled) => settled,
                None => self.machine.diagrams.variable(variable)?,
            },
            Op::Call(input) => Diagrams::constant(match self.letter[input] {
                0 => Verdict::False,
                _ => Verdict::True,
            }),
            Op::Told(input) => Ref::from(self.letter[input].min(4)),
            Op::Not => {
                let f = operand(self, 0);
                self.machine.diagrams.not(f)?
            }
            Op::And | Op::Or => {
                let operands = self.machine.plan.items[item].operands.len();
                let mut value = operand(self, 0);
                for i in 1..operands {
                    let next = operand(self, i);
                    value = match op {
                        Op::And => self.machine.diagrams.min(value, next)?,
                        _ => self.machine.diagrams.max(value, next)?,
                    };
                }
                value
            }
            Op::Implies => {
                let (f, g) = (operand(self, 0), operand(self, 1));
                let not = self.machine.diagrams.not(f)?;
                self.machine.diagrams.max(not, g)?
            }
            Op::Next { variable } => {
                self.by[variable] = Some(operand(self, 0));
                self.machine.diagrams.variable(variable)?
            }
            Op::At {
                variable,
                register,
                input,
                ..
            } => {
                let value = if self.letter[input] != 0 {
                    operand(self, 0)
                } else {
                    match self.previous(register)? {
                        Some(value) => value,
                        None => {
                            return self.machine.diagrams.variable(variable);
                        }
                    }
                };
                self.by[variable] = Some(value);
                self.registers[register] = value;
                value
            }
            Op::Globally { variable, .. } => self.rest(
                variable,
                |diagrams, rest, f, _| diagrams.min(f, rest),
                operand(self, 0),
                0,
            )?,
            Op::Eventually { variable } => self.rest(
                variable,
                |diagrams, rest, f, _| diagrams.max(f, rest),
                operand(self, 0),
                0,
            )?,
            Op::Until { variable, .. } => self.rest(
                variable,
                |diagrams, rest, f, g| {
                    let going = diagrams.min(f, rest)?;
                    diagrams.max(g, going)
                },
                operand(self, 0),
                operand(self, 1),
            )?,
            Op::Release { variable } => self.rest(
                variable,
                |diagrams, rest, f, g| {
                    let going = diagrams.max(f, rest)?;
                    diagrams.min(g, going)
                },
                operand(self, 0),
                operand(self, 1),
            )?,
            Op::Previous { register } => {
                let was = self.previous(register)?;
                self.registers[register] = operand(self, 0);
                was.unwrap_or(Diagrams::constant(Verdict::False))
            }
            Op::Once { register } => {
                let f = operand(self, 0);
                let value = match self.previous(register)? {
                    Some(was) => self.machine.diagrams.max(f, was)?,
                    None => f,
                };
                self.registers[register] = value;
                value
            }
            Op::Historically { register } => {
                let f = operand(self, 0);
                let value = match self.previous(register)? {
                    Some(was) => self.machine.diagrams.min(f, was)?,
                    None => f,
                };
                self.registers[register] = value;
                value
            }
            Op::Since { register } => {
                let (f, g) = (operand(self, 0), operand(self, 1));
                let value = match self.previous(register)? {
                    Some(was) => {
                        let going = self.machine.diagrams.min(f, was)?;
                        self.machine.diagrams.max(g, going)?
                    }
                    None => g,
                };
                self.registers[register] = value;
                value
            }
            Op::Count {
                register,
                bound,
                limit,
            } => {
                let counts = self.previous(register)?.unwrap_or(Diagrams::no_count());
                let f = operand(self, 0);
                self.registers[register] = self.machine.diagrams.count(counts, f, limit)?;
                self.machine.diagrams.compare(counts, bound)?
            }
        })
    }

    /// A future operator's value, from that at the next position, which is not known yet; it is what
    /// the variable stood for until now.
    fn rest(
        &mut self,
        variable: usize,
        op: impl FnOnce(&mut Diagrams, Ref, Ref, Ref) -> Result<Ref, Full>,
        f: Ref,
        g: Ref,
    ) -> Result<Ref, Full> {
        let diagrams = &mut self.machine.diagrams;
        let rest = diagrams.variable(variable)?;
        let value = op(diagrams, rest, f, g)?;
        self.by[variable] = Some(value);
        Ok(value)
    }

    fn verdict_of(&self, diagram: Ref) -> Verdict {
        self.machine.diagrams.evaluate(diagram, &self.known)
    }

    /// Keeps an instance; does it fail?
    fn add(&mut self, diagram: Ref, keys: u64) -> bool {
        match Diagrams::as_constant(diagram) {
            Some(Verdict::True) => false,
            Some(Verdict::False) => {
                self.failed = true;
                self.failed_keys |= keys;
                true
            }
            _ => {
                self.live.push((diagram, keys));
                self.verdict_of(diagram).refuses()
            }
        }
    }

    /// Starts the instances of an item at the call's position.
    fn start(&mut self, item: ItemId) {
        if self.machine.plan.ends.is_some() {
            self.breaks_here |= self.add(self.values[item], 0);
            return;
        }
        let mut todo = vec![(item, self.first)];
        while let Some((id, first)) = todo.pop() {
            let item = &self.machine.plan.items[id];
            match item.op {
                Op::And => todo.extend(item.operands.iter().map(|operand| (*operand, first))),
                Op::Globally { each, .. } => {
                    self.open = true;
                    todo.push((item.operands[0], first));
                    if each {
                        self.due.push(id as u32);
                    }
                }
                Op::Next { .. } => self.due.push(item.operands[0] as u32),
                Op::At {
                    register,
                    input,
                    position,
                    ..
                } => {
                    if self.letter[input] != 0 {
                        todo.push((item.operands[0], position == 0));
                        continue;
                    }
                    if self.registers[register] == UNSET {
                        self.due.push(id as u32);
                        continue;
                    }
                    let keys = item.keys[usize::from(!first)];
                    self.breaks_here |= self.add(self.values[id], keys);
                }
                Op::Historically { .. } if first => todo.push((item.operands[0], true)),
                _ => {
                    let keys = item.keys[usize::from(!first)];
                    self.breaks_here |= self.add(self.values[id], keys);
                }
            }
        }
    }

    /// The verdict of all instances together.
    fn verdict(&self) -> Verdict {
        if self.failed {
            return Verdict::False;
        }
        let limit = match self.open || !self.due.is_empty() {
            true => Verdict::Pending,
            false => Verdict::True,
        };
        self.live.iter().fold(limit, |verdict, (diagram, _)| {
            verdict.min(self.verdict_of(*diagram))
        })
    }
}
