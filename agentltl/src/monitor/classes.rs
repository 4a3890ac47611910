//! The entities of a quantifier by the state of its body: a step moves whole classes, and only the
//! entities a call mentions are moved one by one.

use super::lazy::StateId;

/// The number of a class, or of one that has merged into another.
pub(super) type ClassId = u32;

/// Entities in the same state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub(super) state: StateId,
    /// Are they in the domain?
    pub(super) inside: bool,
    /// How many entities there are, those of merged classes included.
    pub(super) members: u32,
    /// How many entities name this class as theirs.
    direct: u32,
    /// How many classes merged into this one directly, and are still named.
    merged: u32,
    /// The class this one merged into.
    parent: Option<ClassId>,
}

/// Disjoint sets without path compression, so that a check need not write; the depth is logarithmic
/// because the smaller class joins the larger.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    all: Vec<Class>,
    free: Vec<ClassId>,
    /// The classes that have not merged into another.
    roots: Vec<ClassId>,
    /// How to take back what was done since the log was last taken.
    log: Vec<Undo>,
}

/// How to take one change back.
#[derive(Clone, Debug)]
pub(super) enum Undo {
    Class(ClassId, Class),
    Created,
    Freed,
    Reused(ClassId),
    Roots(Vec<ClassId>),
}

impl Classes {
    pub(super) fn clear(&mut self) {
        *self = Classes::default();
    }

    /// How to take back what was done since the last time.
    pub(super) fn take_log(&mut self) -> Vec<Undo> {
        std::mem::take(&mut self.log)
    }

    pub(super) fn undo(&mut self, log: Vec<Undo>) {
        for undo in log.into_iter().rev() {
            match undo {
                Undo::Class(id, class) => self.all[id as usize] = class,
                Undo::Created => _ = self.all.pop(),
                Undo::Freed => _ = self.free.pop(),
                Undo::Reused(id) => self.free.push(id),
                Undo::Roots(roots) => self.roots = roots,
            }
        }
    }

    fn change(&mut self, id: ClassId) -> &mut Class {
        let class = &mut self.all[id as usize];
        self.log.push(Undo::Class(id, *class));
        class
    }

    fn change_roots(&mut self) -> &mut Vec<ClassId> {
        self.log.push(Undo::Roots(self.roots.clone()));
        &mut self.roots
    }

    /// The class an entity is in now, from the one it was put into.
    pub(super) fn find(&self, mut id: ClassId) -> ClassId {
        while let Some(parent) = self.all[id as usize].parent {
            id = parent;
        }
        id
    }

    pub(super) fn get(&self, id: ClassId) -> Class {
        self.all[id as usize]
    }

    pub(super) fn roots(&self) -> impl ExactSizeIterator<Item = (ClassId, Class)> {
        self.roots.iter().map(|id| (*id, self.all[*id as usize]))
    }

    pub(super) fn states(&mut self) -> impl Iterator<Item = &mut StateId> {
        // Merged ones are never looked at, but theirs must be numbers that exist.
        self.all
            .iter_mut()
            .filter(|class| class.parent.is_none() && class.members > 0)
            .map(|class| &mut class.state)
    }

    /// Puts an entity into the class of that state.
    pub(super) fn insert(&mut self, state: StateId, inside: bool) -> ClassId {
        let same = self
            .roots()
            .find(|(_, class)| class.state == state && class.inside == inside);
        let id = match same {
            Some((id, _)) => id,
            None => self.create(state, inside),
        };
        let class = self.change(id);
        class.members += 1;
        class.direct += 1;
        id
    }

    fn create(&mut self, state: StateId, inside: bool) -> ClassId {
        let class = Class {
            state,
            inside,
            members: 0,
            direct: 0,
            merged: 0,
            parent: None,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.log.push(Undo::Reused(id));
                *self.change(id) = class;
                id
            }
            None => {
                self.log.push(Undo::Created);
                self.all.push(class);
                (self.all.len() - 1) as ClassId
            }
        };
        self.change_roots().push(id);
        id
    }

    /// Takes an entity out of the class it was put into.
    pub(super) fn remove(&mut self, put_into: ClassId) {
        let root = self.find(put_into);
        self.change(root).members -= 1;
        self.change(put_into).direct -= 1;
        // Classes that nothing names any more are used again.
        let mut id = put_into;
        loop {
            let class = self.all[id as usize];
            if class.direct > 0 || class.merged > 0 {
                break;
            }
            self.free.push(id);
            self.log.push(Undo::Freed);
            match class.parent {
                Some(parent) => {
                    self.change(id).members = 0;
                    self.change(parent).merged -= 1;
                    id = parent;
                }
                None => {
                    self.change_roots().retain(|root| *root != id);
                    break;
                }
            }
        }
    }

    /// Moves every class to a new state, and merges those that are the same then.
    pub(super) fn step<E>(
        &mut self,
        mut step: impl FnMut(StateId) -> Result<StateId, E>,
    ) -> Result<(), E> {
        for i in 0..self.roots.len() {
            let id = self.roots[i];
            let state = self.all[id as usize].state;
            let next = step(state)?;
            if next != state {
                self.change(id).state = next;
            }
        }
        let before = self.roots.clone();
        let mut roots = std::mem::take(&mut self.roots);
        let mut kept = 0;
        for i in 0..roots.len() {
            let id = roots[i];
            let class = self.all[id as usize];
            let same = roots[..kept].iter().position(|other| {
                let other = self.all[*other as usize];
                other.state == class.state && other.inside == class.inside
            });
            match same {
                None => {
                    roots[kept] = id;
                    kept += 1;
                }
                Some(place) => {
                    let other = roots[place];
                    let (into, from) = match self.all[other as usize].members < class.members {
                        true => (id, other),
                        false => (other, id),
                    };
                    roots[place] = into;
                    let members = self.all[from as usize].members;
                    self.change(from).parent = Some(into);
                    let into = self.change(into);
                    into.members += members;
                    into.merged += 1;
                }
            }
        }
        if kept < roots.len() {
            self.log.push(Undo::Roots(before));
            roots.truncate(kept);
        }
        self.roots = roots;
        Ok(())
    }
}
