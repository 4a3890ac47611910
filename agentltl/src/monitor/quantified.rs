//! A quantifier: one machine for its body, one state a distinct entity state.
//!
//! Entities that no call has mentioned share the default state. A call that an entity's body can tell
//! from others mentions the entity, which then has a state of its own; it is in the domain only once
//! the domain has it, and its past counts from then on.

use std::collections::{HashMap, VecDeque};

use agentltl_core::monitor::{Machine, Unsupported};
use agentltl_core::{Domain, Formula, Name, Text, Verdict};
use serde_json::Value as Json;

use super::WINDOW;
use super::classes::{self, ClassId, Classes};
use super::lazy::{Lazy, LetterId, StateId, Step};
use super::reader::{At, Mentions, Reader, Trouble, looks_back};
use crate::matching::{Binding, Bindings, write_canonical};

/// What a call would do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) verdict: Verdict,
    pub(super) breaks: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Quantified {
    forall: bool,
    variable: Text,
    domain: Domain,
    /// Only what fails at the newest position counts as broken.
    newest: bool,
    reader: Reader,
    lazy: Lazy,
    /// The entities that are there before any call, by their canonical text.
    given: Vec<String>,
    entities: HashMap<Box<str>, ClassId>,
    classes: Classes,
    default: StateId,
    verdict: Verdict,
    /// How to take the newest calls back, the oldest first.
    log: VecDeque<Undo>,
    // Kept so that a check need not allocate.
    answers: Vec<u8>,
    text: String,
    lost: Vec<ClassId>,
}

/// How to take one call back.
#[derive(Clone, Debug)]
struct Undo {
    default: StateId,
    verdict: Verdict,
    classes: Vec<classes::Undo>,
    entities: Vec<(Box<str>, Option<ClassId>)>,
    /// Has what is kept beside the machine moved?
    beside: bool,
}

/// An entity that a call mentions.
struct Mentioned {
    put_into: Option<ClassId>,
    inside: bool,
    was_inside: bool,
    step: Step,
}

impl Quantified {
    pub(super) fn new(
        forall: bool,
        variable: &Text,
        domain: &Domain,
        body: &Formula,
        each_position: bool,
        newest: bool,
    ) -> Result<Self, Unsupported> {
        let machine = Machine::new(body, each_position, &looks_back)?;
        let mut given = Vec::new();
        match domain {
            Domain::Args(..) | Domain::Results(..) => {}
            Domain::Values(values) => {
                for value in values.iter() {
                    let json = Bindings::NONE
                        .resolve(value)
                        .ok_or(Unsupported::new("a domain about an outer variable"))?;
                    given.push(crate::matching::canonical(&json));
                }
            }
            _ => return Err(Unsupported::new("a domain in Rust")),
        }
        let mut quantified = Quantified {
            forall,
            variable: variable.clone(),
            domain: domain.clone(),
            newest,
            reader: Reader::new(body, machine.inputs())?,
            lazy: Lazy::new(machine),
            given,
            entities: HashMap::new(),
            classes: Classes::default(),
            default: Lazy::START,
            verdict: Verdict::Pending,
            log: VecDeque::new(),
            lost: Vec::new(),
            answers: Vec::new(),
            text: String::new(),
        };
        quantified.reset();
        Ok(quantified)
    }

    /// Before the first call again.
    pub(super) fn reset(&mut self) {
        self.reader.reset();
        self.log.clear();
        self.entities.clear();
        self.classes.clear();
        self.default = Lazy::START;
        self.verdict = if self.forall {
            Verdict::Pending
        } else {
            Verdict::PFalse
        };
        for text in &self.given {
            if !self.entities.contains_key(text.as_str()) {
                let class = self.classes.insert(Lazy::START, true);
                self.entities.insert(text.as_str().into(), class);
            }
        }
        self.classes.take_log();
    }

    /// Takes the newest call back. `false` if that is too long ago.
    pub(super) fn undo(&mut self) -> bool {
        let Some(undo) = self.log.pop_back() else {
            return false;
        };
        (self.default, self.verdict) = (undo.default, undo.verdict);
        self.classes.undo(undo.classes);
        for (text, put_into) in undo.entities {
            match put_into {
                Some(class) => _ = self.entities.insert(text, class),
                None => _ = self.entities.remove(&text),
            }
        }
        !undo.beside || self.reader.undo()
    }

    pub(super) fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Is every call asked about, whatever its tool?
    pub(super) fn asks_all(&self) -> bool {
        self.reader.asks_all()
    }

    pub(super) fn asks_run(&self) -> bool {
        self.reader.asks_run()
    }

    pub(super) fn last_position(&self) -> Option<u64> {
        self.reader.last_position()
    }

    /// Does a call that no question names change nothing and break nothing?
    pub(super) fn is_calm(&mut self) -> bool {
        if !self.reader.is_calm() {
            return false;
        }
        let answers = self.reader.simple(None);
        let Ok(letter) = self.lazy.letter(&answers) else {
            return false;
        };
        let mut calm = |state| {
            self.lazy
                .step(state, letter)
                .is_ok_and(|step| step.next() == state && !(step.breaks() || step.breaks_here()))
        };
        calm(self.default) && self.classes.roots().all(|(_, class)| calm(class.state))
    }

    /// The entity that the call brings into the domain, new or not.
    fn joins<'c>(&self, at: At<'c>) -> Option<&'c Json> {
        let is = |tool: &Name| tool.as_str() == at.call.tool_name;
        match &self.domain {
            Domain::Args(tool, key) if is(tool) => at.call.arguments.get(key.as_str()),
            Domain::Results(tool, None) if is(tool) => at.call.result.as_ref(),
            Domain::Results(tool, Some(field)) if is(tool) => {
                at.call.result.as_ref()?.as_object()?.get(field.as_str())
            }
            _ => None,
        }
    }

    /// The letter of a call for entities that it does not mention.
    fn default_letter(&mut self, at: At<'_>) -> Result<LetterId, Trouble> {
        self.reader.read(at, Bindings::NONE, &mut self.answers)?;
        Ok(self.lazy.letter(&self.answers)?)
    }

    /// Where an entity stands and what the call does to it; `None` if the call is to it as to any
    /// other. Leaves its canonical text in `self.text`.
    fn mentioned(
        &mut self,
        at: At<'_>,
        entity: &Json,
        joins: bool,
        default: LetterId,
    ) -> Result<Option<Mentioned>, Trouble> {
        let binding = Binding {
            outer: Bindings::NONE,
            name: self.variable.as_str(),
            value: entity,
        };
        self.reader
            .read(at, Bindings::of(&binding), &mut self.answers)?;
        let letter = self.lazy.letter(&self.answers)?;
        if letter == default && !joins {
            return Ok(None);
        }
        self.text.clear();
        write_canonical(entity, &mut self.text);
        let put_into = self.entities.get(self.text.as_str()).copied();
        let (state, was_inside) = match put_into {
            Some(id) => {
                let class = self.classes.get(self.classes.find(id));
                (class.state, class.inside)
            }
            None => (self.default, false),
        };
        let step = self.lazy.step(state, letter)?;
        Ok(Some(Mentioned {
            put_into,
            inside: was_inside || joins,
            was_inside,
            step,
        }))
    }

    fn fold(&self, outcome: &mut Outcome, step: Step, was_inside: bool) {
        outcome.verdict = match self.forall {
            true => outcome.verdict.min(step.verdict()),
            false => outcome.verdict.max(step.verdict()),
        };
        outcome.breaks |= match (self.newest, was_inside) {
            (true, _) => step.breaks_here(),
            (false, true) => step.breaks(),
            // All instances of an entity that joins are new.
            (false, false) => step.verdict().refuses(),
        };
    }

    /// What the call would do, without doing it.
    pub(super) fn peek(&mut self, at: At<'_>) -> Result<Outcome, Trouble> {
        let default = self.default_letter(at)?;
        let verdict = if self.forall {
            Verdict::Pending
        } else {
            Verdict::PFalse
        };
        let mut outcome = Outcome {
            verdict,
            breaks: false,
        };
        let mut mentions = Mentions::new();
        self.reader.mentions(at.call, &mut mentions);
        let joins = self.joins(at);
        if let Some(entity) = joins {
            mentions.add(entity);
        }
        self.lost.clear();
        for entity in mentions.iter() {
            let joins = joins.is_some_and(|joins| crate::matching::equal(joins, entity));
            if let Some(mentioned) = self.mentioned(at, entity, joins, default)? {
                if let Some(put_into) = mentioned.put_into {
                    self.lost.push(self.classes.find(put_into));
                }
                if mentioned.inside {
                    self.fold(&mut outcome, mentioned.step, mentioned.was_inside);
                }
            }
        }
        for i in 0..self.classes.roots().len() {
            let Some((id, class)) = self.classes.roots().nth(i) else {
                break;
            };
            let lost = self.lost.iter().filter(|lost| **lost == id).count();
            if class.inside && class.members as usize > lost {
                let step = self.lazy.step(class.state, default)?;
                self.fold(&mut outcome, step, true);
            }
        }
        Ok(outcome)
    }

    /// The call has been made.
    pub(super) fn advance(&mut self, at: At<'_>) -> Result<Outcome, Trouble> {
        if self.lazy.is_large() {
            let mut keep: Vec<&mut StateId> = self.classes.states().collect();
            keep.push(&mut self.default);
            self.lazy.forget(&mut keep)?;
            // The numbers in it are of states that are forgotten.
            self.log.clear();
        }
        let outcome = self.peek(at)?;
        let default = self.default_letter(at)?;
        let mut mentions = Mentions::new();
        self.reader.mentions(at.call, &mut mentions);
        let joins = self.joins(at);
        if let Some(entity) = joins {
            mentions.add(entity);
        }
        let mut moved: Vec<(Box<str>, Mentioned)> = Vec::new();
        for entity in mentions.iter() {
            let joins = joins.is_some_and(|joins| crate::matching::equal(joins, entity));
            if let Some(mentioned) = self.mentioned(at, entity, joins, default)? {
                moved.push((self.text.as_str().into(), mentioned));
            }
        }
        for (_, mentioned) in &moved {
            if let Some(put_into) = mentioned.put_into {
                self.classes.remove(put_into);
            }
        }
        let (was_default, was_verdict) = (self.default, self.verdict);
        let mut entities = Vec::new();
        let lazy = &mut self.lazy;
        self.classes
            .step(|state| lazy.step(state, default).map(Step::next))?;
        self.default = self.lazy.step(self.default, default)?.next();
        for (text, mentioned) in moved {
            entities.push((text.clone(), mentioned.put_into));
            let state = mentioned.step.next();
            if state == self.default && !mentioned.inside {
                // Again like those never mentioned.
                self.entities.remove(&text);
                continue;
            }
            let class = self.classes.insert(state, mentioned.inside);
            self.entities.insert(text, class);
        }
        let beside = self.reader.advance(at)?;
        self.verdict = outcome.verdict;
        if self.log.len() == WINDOW {
            self.log.pop_front();
        }
        let classes = self.classes.take_log();
        self.log.push_back(Undo {
            default: was_default,
            verdict: was_verdict,
            classes,
            entities,
            beside,
        });
        Ok(outcome)
    }
}
