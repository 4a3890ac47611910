//! A formula prepared for stepping: its distinct subformulas in order, the questions they ask of a
//! call, and where its instances are.

use std::collections::HashMap;

use super::atom::{Atom, MAX_TOOLS};
use super::diagram::MAX_COUNT;
use super::{Input, Unsupported};
use crate::formula::{Formula, NodeId, Tree};
use crate::host::Host;
use crate::node::{Bound, Node, Pattern};
use crate::text::Name;
use crate::verdict::{Verdict, VerdictSet};

/// The index of a distinct subformula.
pub(super) type ItemId = usize;

/// Numbers in atoms up to this one are part of the state; larger ones are counted beside it.
const MAX_SMALL: i64 = 64;
const MAX_NODES: usize = 4096;
const MAX_VARIABLES: usize = 300;

/// What a subformula computes; the numbers are those of variables, registers and inputs.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Constant(Verdict),
    /// `several`: it has instances of its own, which the machine does not know.
    Atom {
        atom: usize,
        variable: usize,
        several: bool,
    },
    /// TRUE or FALSE by the call.
    Call(usize),
    /// Any verdict, settled by the call.
    Told(usize),
    Not,
    And,
    Or,
    Implies,
    Next {
        variable: usize,
    },
    At {
        variable: usize,
        register: usize,
        input: usize,
        position: i64,
    },
    /// `each`: one instance a position, rather than one.
    Globally {
        variable: usize,
        each: bool,
    },
    Eventually {
        variable: usize,
    },
    /// `weak`: for ever will do.
    Until {
        variable: usize,
        weak: bool,
    },
    Release {
        variable: usize,
    },
    Previous {
        register: usize,
    },
    Once {
        register: usize,
    },
    Historically {
        register: usize,
    },
    Since {
        register: usize,
    },
    Count {
        register: usize,
        bound: Bound,
        limit: u32,
    },
}

/// A distinct subformula.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) op: Op,
    pub(super) operands: Vec<ItemId>,
    /// Does its value depend on the position?
    pub(super) local: bool,
    /// Is its value at a position settled by the calls up to there?
    past: bool,
    /// The counting atoms that tell its failures apart, at the first position and at later ones.
    pub(super) keys: [u64; 2],
}

/// A formula prepared for stepping.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
    pub(super) inputs: Vec<Input>,
    pub(super) atoms: Vec<Atom>,
    /// For each atom its bit among those that count, if it does.
    pub(super) counters: Vec<Option<u32>>,
    /// For each atom its variable.
    pub(super) atom_variables: Vec<usize>,
    pub(super) domains: Vec<VerdictSet>,
    pub(super) registers: usize,
    pub(super) root: ItemId,
    /// For a machine about finished runs: what the variables stand for where no call follows.
    pub(super) ends: Option<Vec<Verdict>>,
}

/// A position, as far as it is known beforehand.
#[derive(Clone, Copy)]
enum Place {
    Exactly(i64),
    AtLeast(i64),
}

/// An atom about the whole run on its own, with the questions it asks.
pub(super) fn counter(node: &Node) -> Option<(Atom, Vec<Input>)> {
    let formula = Formula::from_nodes(vec![node.clone()]);
    let mut planner = Planner::new(&formula, &|_| false);
    let atom = planner.whole_run(0).ok()??;
    Some((atom, planner.plan.inputs))
}

/// What each node can reach if predicates answer anything: what was declared of them binds nobody.
pub(crate) fn reach_whatever_is_declared(formula: &Formula) -> Vec<VerdictSet> {
    let nodes = formula.nodes().iter().map(|node| match node {
        Node::Predicate { function, .. } => Node::Predicate {
            function: function.clone(),
            runtime_safe: None,
        },
        node => node.clone(),
    });
    let reach = Formula::from_nodes(nodes.collect()).reach();
    reach.iter().map(|reach| reach.verdicts).collect()
}

/// A node as it prints, and its operands.
type Spelling = (String, Vec<ItemId>);

struct Planner<'f> {
    looks_back: &'f dyn Fn(&Host) -> bool,
    tree: Tree<'f>,
    plan: Plan,
    /// Items by what they print as, which is not always what they are.
    known: HashMap<Spelling, Vec<(NodeId, ItemId)>>,
    reach: Vec<VerdictSet>,
}

impl Plan {
    /// # Errors
    /// What the formula has that a monitor cannot follow.
    pub(super) fn new(
        formula: &Formula,
        each_position: bool,
        looks_back: &dyn Fn(&Host) -> bool,
    ) -> Result<Self, Unsupported> {
        let mut plan = Self::items(formula, looks_back)?;
        if let Op::Globally { each, .. } = &mut plan.items[plan.root].op {
            *each |= each_position;
        }
        plan.find_instances()?;
        Ok(plan)
    }

    /// A plan for finished runs, where there are two truths and the whole is one instance.
    ///
    /// # Errors
    /// What the formula has that a monitor cannot follow.
    pub(super) fn finished(
        formula: &Formula,
        looks_back: &dyn Fn(&Host) -> bool,
    ) -> Result<Self, Unsupported> {
        let mut plan = Self::items(formula, looks_back)?;
        let mut ends = vec![Verdict::False; plan.domains.len()];
        for item in &plan.items {
            if let Op::Globally { variable, .. }
            | Op::Release { variable }
            | Op::Until {
                variable,
                weak: true,
            } = item.op
            {
                ends[variable] = Verdict::True;
            }
        }
        plan.domains
            .fill(VerdictSet::of(&[Verdict::False, Verdict::True]));
        plan.ends = Some(ends);
        Ok(plan)
    }

    fn items(formula: &Formula, looks_back: &dyn Fn(&Host) -> bool) -> Result<Self, Unsupported> {
        if formula.nodes().len() > MAX_NODES {
            return Err(Unsupported::new("it is too large"));
        }
        let mut planner = Planner::new(formula, looks_back);
        planner.run()?;
        let plan = planner.plan;
        if plan.domains.len() > MAX_VARIABLES {
            return Err(Unsupported::new("it has too many undecided parts"));
        }
        Ok(plan)
    }

    fn find_instances(&mut self) -> Result<(), Unsupported> {
        // Each item that instances can start at, at the first position and at later ones.
        let mut seen = vec![[false; 2]; self.items.len()];
        let mut todo = vec![(self.root, true)];
        while let Some((id, first)) = todo.pop() {
            if std::mem::replace(&mut seen[id][usize::from(!first)], true) {
                continue;
            }
            let item = &self.items[id];
            match item.op {
                Op::And => todo.extend(item.operands.iter().map(|operand| (*operand, first))),
                Op::Globally { each, .. } => {
                    todo.push((item.operands[0], first));
                    if each {
                        todo.push((id, false));
                    }
                }
                Op::Next { .. } => todo.push((item.operands[0], false)),
                Op::At { position, .. } => {
                    todo.push((item.operands[0], position == 0));
                    if !first && !self.is_single(item.operands[0]) {
                        return Err(Unsupported::new(
                            "an earlier position has several instances",
                        ));
                    }
                    self.set_keys(id, first)?;
                }
                Op::Historically { .. } if first => todo.push((item.operands[0], true)),
                Op::Historically { .. } if !self.items[item.operands[0]].past => {
                    return Err(Unsupported::new("`H` over something undecided"));
                }
                Op::Atom { several: true, .. } => {
                    return Err(Unsupported::new("a quantifier with instances of its own"));
                }
                Op::Previous { .. } if !first && !self.is_single(item.operands[0]) => {
                    return Err(Unsupported::new(
                        "an earlier position has several instances",
                    ));
                }
                _ => self.set_keys(id, first)?,
            }
        }
        Ok(())
    }

    fn set_keys(&mut self, id: ItemId, first: bool) -> Result<(), Unsupported> {
        let place = if first {
            Place::Exactly(0)
        } else {
            Place::AtLeast(1)
        };
        let keys = self.keys(id, false, place)?;
        self.items[id].keys[usize::from(!first)] = keys;
        Ok(())
    }

    /// Is the subformula one instance, whenever it is looked at?
    fn is_single(&self, mut id: ItemId) -> bool {
        loop {
            let item = &self.items[id];
            match item.op {
                _ if item.past => return true,
                Op::And
                | Op::Globally { .. }
                | Op::Historically { .. }
                | Op::Atom { several: true, .. } => return false,
                Op::Next { .. } | Op::Previous { .. } | Op::At { .. } => id = item.operands[0],
                _ => return true,
            }
        }
    }

    /// The counting atoms whose counts belong to the subformula where it has this final verdict. As
    /// deep as the formula.
    fn keys(&self, id: ItemId, holds: bool, place: Place) -> Result<u64, Unsupported> {
        let item = &self.items[id];
        let operand = || item.operands[0];
        Ok(match item.op {
            Op::Atom { atom, .. } => self.counters[atom].map_or(0, |counter| 1 << counter),
            Op::Not => self.keys(operand(), !holds, place)?,
            Op::Next { .. } => {
                let place = match place {
                    Place::Exactly(position) => Place::Exactly(position + 1),
                    Place::AtLeast(position) => Place::AtLeast(position + 1),
                };
                self.keys(operand(), holds, place)?
            }
            Op::Previous { .. } => match place {
                Place::Exactly(0) => 0,
                Place::Exactly(position) => {
                    self.keys(operand(), holds, Place::Exactly(position - 1))?
                }
                Place::AtLeast(0) => match self.keys(operand(), holds, Place::AtLeast(0))? {
                    0 => 0,
                    _ => {
                        return Err(Unsupported::new(
                            "which failure `Y` has depends on the position",
                        ));
                    }
                },
                Place::AtLeast(position) => {
                    self.keys(operand(), holds, Place::AtLeast(position - 1))?
                }
            },
            Op::At { position, .. } => self.keys(operand(), holds, Place::Exactly(position))?,
            // Of any position: the first that decides can be found out late.
            Op::Once { .. } if holds => self.keys(operand(), true, Place::AtLeast(0))?,
            Op::Historically { .. } if !holds => self.keys(operand(), false, Place::AtLeast(0))?,
            Op::Or if !holds => item.operands.iter().try_fold(0, |keys, operand| {
                Ok(keys | self.keys(*operand, false, place)?)
            })?,
            Op::Implies if !holds => {
                self.keys(operand(), true, place)? | self.keys(item.operands[1], false, place)?
            }
            _ => 0,
        })
    }
}

impl<'f> Planner<'f> {
    fn new(formula: &'f Formula, looks_back: &'f dyn Fn(&Host) -> bool) -> Self {
        Planner {
            looks_back,
            plan: Plan {
                items: Vec::new(),
                inputs: Vec::new(),
                atoms: Vec::new(),
                counters: Vec::new(),
                atom_variables: Vec::new(),
                domains: Vec::new(),
                registers: 0,
                root: 0,
                ends: None,
            },
            known: HashMap::new(),
            reach: reach_whatever_is_declared(formula),
            tree: formula.tree(),
        }
    }

    fn run(&mut self) -> Result<(), Unsupported> {
        let count = self.tree.len();
        // Parents come after their operands: from the root down, is the node judged at position 0
        // only, and is it part of something computed elsewhere?
        let mut at_start = vec![false; count];
        let mut skipped = vec![false; count];
        let mut external = vec![false; count];
        at_start[self.tree.root()] = true;
        for id in (0..count).rev() {
            let node = self.tree.node(id);
            if !skipped[id] {
                external[id] = self.is_external(id, at_start[id])?;
            }
            let passes = at_start[id]
                && matches!(node, Node::Not | Node::And(_) | Node::Or(_) | Node::Implies);
            for child in self.tree.children(id) {
                at_start[*child] = passes;
                skipped[*child] = skipped[id] || external[id];
            }
        }
        let mut items: Vec<ItemId> = vec![0; count];
        for id in 0..count {
            if skipped[id] {
                continue;
            }
            let operands: Vec<ItemId> = if external[id] {
                Vec::new()
            } else {
                self.tree
                    .children(id)
                    .iter()
                    .map(|child| items[*child])
                    .collect()
            };
            // Rust items print by name alone, so equal text is confirmed by equality.
            let key = (format!("{:?}", self.tree.node(id)), operands.clone());
            let same = self
                .known
                .get(&key)
                .into_iter()
                .flatten()
                .find(|(other, _)| {
                    if external[id] {
                        self.tree.subformula(*other) == self.tree.subformula(id)
                    } else {
                        self.tree.node(*other) == self.tree.node(id)
                    }
                });
            items[id] = match same {
                Some((_, item)) => *item,
                None => {
                    let item = if external[id] {
                        self.external(id)
                    } else {
                        self.item(id, operands)?
                    };
                    self.plan.items.push(item);
                    let item = self.plan.items.len() - 1;
                    self.known.entry(key).or_default().push((id, item));
                    item
                }
            };
        }
        self.plan.root = items[self.tree.root()];
        Ok(())
    }

    /// Is the node a fact that is better computed beside the monitor: one with a large number, a
    /// quantified one, or Rust code?
    fn is_external(&self, id: NodeId, at_start: bool) -> Result<bool, Unsupported> {
        Ok(match self.tree.node(id) {
            Node::CalledN(_, bound) => bound.number > MAX_SMALL,
            Node::WithinSteps(_, _, steps) => *steps > MAX_SMALL,
            Node::InstanceBefore(_, n, _, m) => *n > MAX_SMALL || *m > MAX_SMALL,
            Node::Forall(..) | Node::Exists(..) => {
                let mut body = self.tree.extent(id - 1);
                if !at_start && body.any(|id| self.tree.node(id).is_local()) {
                    return Err(Unsupported::new("a quantifier judged at many positions"));
                }
                true
            }
            Node::Predicate { function, .. } if (self.looks_back)(function) => false,
            Node::Predicate { .. } if at_start => true,
            Node::Predicate { .. } => {
                return Err(Unsupported::new("a predicate judged at many positions"));
            }
            _ => false,
        })
    }

    fn external(&mut self, id: NodeId) -> Item {
        let input = self.input(Input::External(id));
        let node = self.tree.node(id);
        let domain = self.reach[id];
        let mut op = self.atom(Atom::External(input), domain, Atom::counts(node));
        if let Op::Atom { several, .. } = &mut op {
            *several = matches!(node, Node::Forall(..));
        }
        let local = matches!(node, Node::Predicate { .. });
        Item {
            op,
            operands: Vec::new(),
            local,
            past: false,
            keys: [0; 2],
        }
    }

    fn input(&mut self, input: Input) -> usize {
        let inputs = &mut self.plan.inputs;
        inputs
            .iter()
            .position(|other| *other == input)
            .unwrap_or_else(|| {
                inputs.push(input);
                inputs.len() - 1
            })
    }

    fn tool(&mut self, tool: &Name) -> usize {
        self.input(Input::Tool(tool.clone()))
    }

    fn variable(&mut self, domain: VerdictSet) -> usize {
        self.plan.domains.push(domain);
        self.plan.domains.len() - 1
    }

    fn register(&mut self) -> usize {
        self.plan.registers += 1;
        self.plan.registers - 1
    }

    fn atom(&mut self, atom: Atom, domain: VerdictSet, counts: bool) -> Op {
        let variable = self.variable(domain);
        let counter = counts.then(|| self.plan.counters.iter().flatten().count() as u32);
        self.plan.counters.push(counter);
        self.plan.atoms.push(atom);
        self.plan.atom_variables.push(variable);
        Op::Atom {
            atom: self.plan.atoms.len() - 1,
            variable,
            several: false,
        }
    }

    /// The place in a letter for whether a call comes after the one the node remembers.
    fn later(&mut self, id: NodeId) -> usize {
        self.input(Input::Later(id))
    }

    fn whole_run(&mut self, id: NodeId) -> Result<Option<Atom>, Unsupported> {
        Ok(Some(match self.tree.node(id) {
            Node::Called(tool) => Atom::Called(self.tool(tool)),
            Node::CalledWith(tool, args) => Atom::Called(self.input(Input::Call(
                [tool.clone()].into_iter().collect(),
                args.clone(),
            ))),
            Node::CalledWithResult(tool, result, args) => {
                Atom::Result(self.input(Input::Result(tool.clone(), result.clone(), args.clone())))
            }
            Node::CalledN(tool, bound) => Atom::CalledN(self.tool(tool), *bound),
            Node::Before(a, b) => Atom::Before {
                a: self.tool(a),
                b: self.tool(b),
                later: self.later(id),
            },
            Node::After(a, b) => Atom::After(self.tool(a), self.tool(b)),
            Node::AllBefore(tools, gate) => {
                if tools.len() > MAX_TOOLS {
                    return Err(Unsupported::new("`all_before` of too many tools"));
                }
                let tools = tools.iter().map(|tool| self.tool(tool)).collect();
                Atom::AllBefore(tools, self.tool(gate))
            }
            Node::InOrder(tools) => Atom::InOrder {
                tools: tools.iter().map(|tool| self.tool(tool)).collect(),
                later: self.later(id),
            },
            Node::BranchCalled { correct, wrong, .. } => Atom::Branch(
                self.tool(correct),
                wrong.as_ref().map(|wrong| self.tool(wrong)),
            ),
            Node::WithinSteps(a, b, steps) => Atom::Within(self.tool(a), self.tool(b), *steps),
            Node::InstanceBefore(a, n, b, m) => Atom::Instance {
                a: self.tool(a),
                n: *n,
                b: self.tool(b),
                m: *m,
                later: self.later(id),
            },
            _ => return Ok(None),
        }))
    }

    fn item(&mut self, id: NodeId, operands: Vec<ItemId>) -> Result<Item, Unsupported> {
        let node = self.tree.node(id);
        let local = node.is_local() || operands.iter().any(|item| self.plan.items[*item].local);
        let settled = node.is_past() || matches!(node, Node::Predicate { .. });
        let past = settled && operands.iter().all(|item| self.plan.items[*item].past);
        let pending = VerdictSet::of(&[Verdict::Pending]);
        let own = self.reach[id] | pending;
        let operand = match self.tree.children(id) {
            [operand, ..] => self.reach[*operand] | pending,
            [] => pending,
        };
        let op = if let Some(atom) = self.whole_run(id)? {
            let counts = Atom::counts(node);
            if counts && self.plan.counters.iter().flatten().count() >= 64 {
                return Err(Unsupported::new("too many atoms that count"));
            }
            // Registers are also read before their first call.
            self.atom(atom, self.reach[id], counts)
        } else {
            match node {
                Node::True => Op::Constant(Verdict::True),
                Node::False => Op::Constant(Verdict::False),
                Node::Now(tool) => Op::Call(self.tool(tool)),
                Node::Matches(Pattern::Tools(tools, args)) => {
                    Op::Call(self.input(Input::Call(tools.clone(), args.clone())))
                }
                Node::Matches(Pattern::Host { pattern, maybe }) => {
                    Op::Call(self.input(Input::Pattern(pattern.clone(), *maybe)))
                }
                Node::Predicate { function, .. } => {
                    Op::Told(self.input(Input::LookingBack(function.clone())))
                }
                Node::Not => Op::Not,
                Node::And(_) => Op::And,
                Node::Or(_) => Op::Or,
                Node::Implies => Op::Implies,
                Node::Next => Op::Next {
                    variable: self.variable(operand),
                },
                Node::At(position) if *position < 0 => Op::Constant(Verdict::False),
                Node::At(position) => Op::At {
                    variable: self.variable(operand),
                    register: self.register(),
                    input: self.input(Input::Position(position.unsigned_abs())),
                    position: *position,
                },
                Node::Globally => Op::Globally {
                    variable: self.variable(own),
                    each: operands.iter().any(|item| self.plan.items[*item].local),
                },
                Node::Eventually => Op::Eventually {
                    variable: self.variable(own),
                },
                Node::Until | Node::WeakUntil => Op::Until {
                    variable: self.variable(own),
                    weak: *node == Node::WeakUntil,
                },
                Node::Release => Op::Release {
                    variable: self.variable(own),
                },
                Node::Previous => Op::Previous {
                    register: self.register(),
                },
                Node::Once => Op::Once {
                    register: self.register(),
                },
                Node::Historically => Op::Historically {
                    register: self.register(),
                },
                Node::Since => Op::Since {
                    register: self.register(),
                },
                Node::CountBefore(bound) => {
                    let limit = bound.number.max(0).unsigned_abs() + 1;
                    if limit > u64::from(MAX_COUNT) {
                        return Err(Unsupported::new("`count_before` with a large number"));
                    }
                    Op::Count {
                        register: self.register(),
                        bound: *bound,
                        limit: limit as u32,
                    }
                }
                _ => return Err(Unsupported::new("an operator that is not known")),
            }
        };
        Ok(Item {
            op,
            operands,
            local,
            past,
            keys: [0; 2],
        })
    }
}
