//! The rules of a policy in the same string as their formulas.

use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use super::{Packed, Reader, Writer};
use crate::build;
use crate::constraint::Constraint;
use crate::severity::Severity;
use crate::text::{Name, Seq};

/// What `constraints!` lays into the program.
#[derive(Clone, Copy, Debug)]
pub struct PackedPolicy {
    /// The rules as a [`Writer`] wrote them, after their number.
    pub rules: Packed,
    /// The severities given by Rust code.
    pub severities: &'static [Severity],
    /// The weights given by Rust code.
    pub weights: &'static [f64],
    /// The severity of rules that name none.
    pub default_severity: Severity,
    /// The tools a rule may speak of.
    pub tools: &'static [Name],
    /// Was strict runtime safety asked for?
    pub strict: bool,
}

/// A part of a rule: known to the macro, or the number of the Rust code that knows it.
#[derive(Clone, Copy, Debug)]
pub enum Part<T> {
    /// The value itself.
    Known(T),
    /// An index into a table of [`PackedPolicy`].
    Code(usize),
}

/// A rule, apart from its formula.
#[derive(Clone, Copy, Debug)]
pub struct PackedRule<'a> {
    /// The name.
    pub name: &'a str,
    /// The severity of its own, if it has one.
    pub severity: Option<Part<Severity>>,
    /// The weight.
    pub weight: Part<f64>,
    /// Why the rule exists.
    pub description: &'a str,
    /// What the agent should do about a violation; code is an index into the names.
    pub repair: Part<&'a str>,
    /// Is it also judged when the agent is about to finish?
    pub applies_to_final_answer: bool,
}

impl Writer<'_> {
    /// Writes a rule; its formula has to follow.
    pub fn rule(&mut self, rule: PackedRule<'_>) {
        self.text(rule.name);
        match rule.severity {
            None => self.tag('-'),
            Some(Part::Known(severity)) => self.text_part(Part::Known(severity.as_str())),
            Some(Part::Code(index)) => self.text_part(Part::Code(index)),
        }
        match rule.weight {
            // Its bits: no digit can get lost.
            Part::Known(weight) => {
                self.tag('=');
                self.number(weight.to_bits());
            }
            Part::Code(index) => self.text_part(Part::Code(index)),
        }
        self.text(rule.description);
        self.text_part(rule.repair);
        self.tag(if rule.applies_to_final_answer {
            'y'
        } else {
            'n'
        });
    }

    fn text_part(&mut self, part: Part<&str>) {
        match part {
            Part::Known(text) => {
                self.tag('=');
                self.text(text);
            }
            Part::Code(index) => {
                self.tag('$');
                self.number(index);
            }
        }
    }
}

impl PackedPolicy {
    /// The rules; `None` unless a [`Writer`] wrote them for these items.
    fn read(&self) -> Option<Vec<Constraint>> {
        let mut from = Reader::new(&self.rules);
        let count: usize = from.number()?;
        (0..count).map(|_| self.rule(&mut from)).collect()
    }

    fn rule(&self, from: &mut Reader<'_>) -> Option<Constraint> {
        let name = from.text()?;
        let severity = match from.tag()? {
            '-' => None,
            '=' => Some(from.text()?.parse().ok()?),
            _ => Some(*self.severities.get(from.number::<usize>()?)?),
        };
        let weight = match from.tag()? {
            '=' => f64::from_bits(from.number()?),
            _ => *self.weights.get(from.number::<usize>()?)?,
        };
        let description = from.text()?;
        let repair = match from.tag()? {
            '=' => from.text()?,
            _ => self.rules.names.get(from.number::<usize>()?)?,
        };
        let applies_to_final_answer = from.tag()? == 'y';
        Some(Constraint::__from_static(
            name,
            from.formula()?,
            severity,
            weight,
            description,
            repair,
            applies_to_final_answer,
        ))
    }
}

/// The rules of a policy: there, or still as the compiler left them.
pub(crate) struct Rules {
    packed: Option<&'static PackedPolicy>,
    rules: OnceLock<Seq<Constraint>>,
}

impl Rules {
    /// Costs nothing until a rule is looked at.
    pub(crate) const fn packed(policy: &'static PackedPolicy) -> Self {
        Rules {
            packed: Some(policy),
            rules: OnceLock::new(),
        }
    }
}

impl Deref for Rules {
    type Target = [Constraint];

    fn deref(&self) -> &[Constraint] {
        self.rules.get_or_init(|| {
            self.packed.map_or_else(Seq::default, |packed| {
                packed.read().unwrap_or_else(unreadable).into()
            })
        })
    }
}

/// The macro and the library are not of the same version, or a table was made by hand: refuse every
/// call rather than check nothing.
fn unreadable() -> Vec<Constraint> {
    vec![
        Constraint::new("unreadable_policy", build::truth(false)).with_severity(Severity::HardStop),
    ]
}

impl From<Vec<Constraint>> for Rules {
    fn from(rules: Vec<Constraint>) -> Self {
        Rules {
            packed: None,
            rules: OnceLock::from(Seq::from(rules)),
        }
    }
}

impl Clone for Rules {
    fn clone(&self) -> Self {
        Rules {
            packed: self.packed,
            rules: self.rules.clone(),
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
