//! A policy as a text: the keys there are, and what may stand under them. TOML and JSON are read
//! into the same [`Item`]s first.

use std::collections::HashMap;
use std::ops::Range;

use super::error::{PolicyError, PolicyProblem, Position, Problem};
use super::{Policy, check, place};
use crate::build;
use crate::constraint::Constraint;
use crate::formula::Formula;
use crate::nearest::nearest;
use crate::severity::Severity;
use crate::syntax::{NoHost, Resolve, parse_with};
use crate::text::Name;

/// The keys of a policy.
pub(super) const POLICY: [&str; 4] = [
    "default_severity",
    "strict_runtime_safety",
    "tools",
    "constraint",
];

/// The keys of a rule.
pub(super) const RULE: [&str; 7] = [
    "name",
    "formula",
    "severity",
    "weight",
    "description",
    "repair",
    "applies_to_final_answer",
];

impl Policy {
    /// The keys of a rule in a policy file, in the order they are written: for the command.
    #[doc(hidden)]
    pub const __RULE_KEYS: [&'static str; 7] = RULE;
}

/// Nothing in a policy nests deeper than a field of a rule.
pub(super) const DEPTH: usize = 3;

/// A value and where it stands.
pub(super) struct Item {
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    Text(String),
    Bool(bool),
    Number(f64),
    List(Vec<Item>),
    Table(Vec<Entry>),
    /// Something that stands nowhere in a policy, in words.
    Other(&'static str),
}

/// A key of a table and its value.
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_range: Range<usize>,
    pub(super) value: Item,
}

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Kind::Text(_) => "a string",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::List(_) => "a list",
            Kind::Table(_) => "a table",
            Kind::Other(name) => name,
        }
    }
}

/// A text that is not TOML or JSON.
pub(super) fn malformed(text: &str, offset: usize, message: String) -> PolicyError {
    let mut reader = Reader::new(Some(text));
    reader.add(offset, String::new(), Problem::Malformed { message });
    PolicyError {
        problems: reader.located(),
    }
}

/// The policy that the outermost table describes, of the text if there is one.
pub(super) fn read(
    text: Option<&str>,
    item: Item,
    host: &mut dyn Resolve,
) -> Result<Policy, PolicyError> {
    read_with_places(text, item, host).map(|(policy, _)| policy)
}

/// The policy, and where the formula of each rule stands in the text.
pub(super) fn read_with_positions(
    text: &str,
    item: Item,
) -> Result<(Policy, Vec<Position>), PolicyError> {
    let (policy, offsets) = read_with_places(Some(text), item, &mut NoHost)?;
    let mut places: Vec<Position> = offsets.into_iter().map(place::at).collect();
    place::fill(text, places.iter_mut());
    Ok((policy, places))
}

/// The policy, and for each rule the byte of the text where its formula starts.
fn read_with_places(
    text: Option<&str>,
    item: Item,
    host: &mut dyn Resolve,
) -> Result<(Policy, Vec<usize>), PolicyError> {
    let mut reader = Reader::new(text);
    let mut policy = Policy::default();
    let mut rules = Vec::new();
    for (key, value) in reader.fields(item, "", &POLICY) {
        match key {
            "default_severity" => {
                let severity = reader.severity(value, key);
                policy.default_severity = severity.unwrap_or_default();
            }
            "strict_runtime_safety" => {
                policy.strict = reader.boolean(value, key).unwrap_or_default();
            }
            "tools" => {
                let items = reader.list(value, key, "a list of strings");
                let tools = (0..).zip(items);
                policy.tools = tools
                    .filter_map(|(i, tool)| reader.text(tool, &format!("{key}[{i}]")))
                    .map(|(tool, _)| Name::from(tool))
                    .collect();
            }
            _ => rules = reader.list(value, key, "a list of constraints"),
        }
    }
    let (constraints, places): (Vec<_>, Vec<_>) = (0..)
        .zip(rules)
        .map(|(index, rule)| reader.rule(index, rule, host))
        .unzip();
    policy.constraints = constraints.into();
    let policy = reader.check(policy, &places)?;
    let formulas = places.iter().map(|places| places.of(&["formula"]).1);
    Ok((policy, formulas.collect()))
}

/// Where the parts of a rule stand; absent ones where the rule stands.
struct Places {
    rule: Range<usize>,
    fields: HashMap<&'static str, Range<usize>>,
}

impl Places {
    fn of(&self, keys: &[&'static str]) -> (&'static str, usize) {
        keys.iter()
            .find_map(|key| Some((*key, self.fields.get(key)?.start)))
            .unwrap_or(("", self.rule.start))
    }
}

struct Reader<'t> {
    /// The text, where there is one.
    file: Option<&'t str>,
    problems: Vec<PolicyProblem>,
    /// The rule being read, for its problems.
    index: Option<usize>,
    name: Option<String>,
}

impl<'t> Reader<'t> {
    fn new(file: Option<&'t str>) -> Self {
        Reader {
            file,
            problems: Vec::new(),
            index: None,
            name: None,
        }
    }

    fn add(&mut self, offset: usize, path: String, problem: Problem) {
        self.problems.push(PolicyProblem {
            position: self.position(offset),
            path,
            index: self.index,
            constraint: self.name.clone(),
            problem,
        });
    }

    /// The place, of which the line and column are found out at the end.
    fn position(&self, offset: usize) -> Option<Position> {
        self.file.map(|_| place::at(offset))
    }

    fn located(mut self) -> Vec<PolicyProblem> {
        if let Some(file) = self.file {
            place::locate(file, &mut self.problems);
        }
        self.problems
    }

    fn unexpected(&mut self, item: &Item, path: &str, expected: &'static str) {
        let found = item.kind.name();
        let problem = Problem::Unexpected { expected, found };
        self.add(item.range.start, path.to_owned(), problem);
    }

    /// The values of a table by the keys it may have; other keys are problems.
    fn fields(
        &mut self,
        item: Item,
        path: &str,
        known: &[&'static str],
    ) -> Vec<(&'static str, Item)> {
        let Kind::Table(entries) = item.kind else {
            self.unexpected(&item, path, "a table");
            return Vec::new();
        };
        let mut fields: Vec<(&'static str, Item)> = Vec::new();
        for Entry {
            key,
            key_range,
            value,
        } in entries
        {
            let path = || join(path, &key);
            // In JSON one would call the list by the plural.
            let name = if key == "constraints" {
                "constraint"
            } else {
                key.as_str()
            };
            match known.iter().find(|known| **known == name) {
                Some(name) if fields.iter().any(|(other, _)| other == name) => {
                    self.add(
                        key_range.start,
                        path(),
                        Problem::DuplicateKey { key: key.clone() },
                    );
                }
                Some(name) => fields.push((name, value)),
                None => {
                    let suggestion = nearest(&key, known.iter().copied())
                        .and_then(|near| known.iter().copied().find(|known| *known == near));
                    let problem = Problem::UnknownKey {
                        key: key.clone(),
                        suggestion,
                    };
                    self.add(key_range.start, path(), problem);
                }
            }
        }
        fields
    }

    fn text(&mut self, item: Item, path: &str) -> Option<(String, Range<usize>)> {
        match item.kind {
            Kind::Text(text) => Some((text, item.range)),
            _ => {
                self.unexpected(&item, path, "a string");
                None
            }
        }
    }

    fn boolean(&mut self, item: Item, path: &str) -> Option<bool> {
        match item.kind {
            Kind::Bool(value) => Some(value),
            _ => {
                self.unexpected(&item, path, "true or false");
                None
            }
        }
    }

    fn list(&mut self, item: Item, path: &str, expected: &'static str) -> Vec<Item> {
        match item.kind {
            Kind::List(items) => items,
            _ => {
                self.unexpected(&item, path, expected);
                Vec::new()
            }
        }
    }

    fn severity(&mut self, item: Item, path: &str) -> Option<Severity> {
        let (name, range) = self.text(item, path)?;
        name.parse()
            .map_err(|error| {
                self.add(
                    range.start,
                    path.to_owned(),
                    Problem::UnknownSeverity(error),
                );
            })
            .ok()
    }

    fn formula(&mut self, item: Item, path: &str, host: &mut dyn Resolve) -> Option<Formula> {
        let (text, range) = self.text(item, path)?;
        parse_with(&text, host)
            .map(|parsed| parsed.formula)
            .map_err(|error| {
                let offset = self.file.map_or(0, |file| {
                    place::inside(file, &range, &text, error.range.start)
                });
                self.add(offset, path.to_owned(), Problem::Formula { text, error });
            })
            .ok()
    }

    /// Reads a rule. One with problems still counts, so that what does not depend on them is
    /// checked too.
    fn rule(&mut self, index: usize, item: Item, host: &mut dyn Resolve) -> (Constraint, Places) {
        let base = format!("constraint[{index}]");
        self.index = Some(index);
        self.name = name_of(&item);
        let rule = item.range.clone();
        let is_table = matches!(item.kind, Kind::Table(_));
        let fields = self.fields(item, &base, &RULE);
        let places = Places {
            fields: fields
                .iter()
                .map(|(key, value)| (*key, value.range.clone()))
                .collect(),
            rule,
        };
        for key in ["name", "formula"] {
            if is_table && !places.fields.contains_key(key) {
                self.add(places.rule.start, base.clone(), Problem::MissingKey { key });
            }
        }
        let name = self.name.clone().unwrap_or_default();
        let mut constraint = Constraint::new(name.as_str(), build::truth(true));
        for (key, value) in fields {
            let path = join(&base, key);
            constraint = match key {
                "name" => {
                    self.text(value, &path);
                    constraint
                }
                "formula" => match self.formula(value, &path, host) {
                    Some(formula) => constraint.with_formula(formula),
                    None => constraint,
                },
                "severity" => match self.severity(value, &path) {
                    Some(severity) => constraint.with_severity(severity),
                    None => constraint,
                },
                "weight" => match value.kind {
                    Kind::Number(weight) => constraint.with_weight(weight),
                    _ => {
                        self.unexpected(&value, &path, "a number");
                        constraint
                    }
                },
                "description" => match self.text(value, &path) {
                    Some((text, _)) => constraint.with_description(text),
                    None => constraint,
                },
                "repair" => match self.text(value, &path) {
                    Some((text, _)) => constraint.with_repair(text),
                    None => constraint,
                },
                _ => match self.boolean(value, &path) {
                    Some(true) => constraint.on_final_answer(),
                    _ => constraint,
                },
            };
        }
        self.index = None;
        self.name = None;
        (constraint, places)
    }

    /// The policy, if nothing is wrong with the text nor with the rules.
    fn check(mut self, policy: Policy, places: &[Places]) -> Result<Policy, PolicyError> {
        let mut found = check::problems(&policy);
        // Without a name there is a problem already, and without a formula no class.
        found.retain(|problem| {
            let has = |key| {
                let places = problem.index.and_then(|index| places.get(index));
                places.is_some_and(|places| places.fields.contains_key(key))
            };
            !matches!(problem.problem, Problem::EmptyName) || has("name")
        });
        if self.problems.is_empty() && found.is_empty() && policy.strict {
            found = policy
                .check_strict()
                .map_or_else(PolicyError::into_problems, |()| Vec::new());
        }
        for mut problem in found {
            if let Some((index, places)) = problem.index.and_then(|i| Some((i, places.get(i)?))) {
                let (key, offset) = places.of(match problem.problem {
                    Problem::EmptyName | Problem::DuplicateName { .. } => &["name"],
                    Problem::BadWeight { .. } => &["weight"],
                    Problem::Mismatch(_) => &["severity", "formula"],
                    _ => &["formula"],
                });
                problem.position = self.position(offset);
                problem.path = join(&format!("constraint[{index}]"), key);
            }
            self.problems.push(problem);
        }
        PolicyError::unless_empty(self.located()).map(|()| policy)
    }
}

/// A rule's name, if it has one that can be told.
fn name_of(rule: &Item) -> Option<String> {
    let Kind::Table(entries) = &rule.kind else {
        return None;
    };
    entries.iter().find_map(|entry| match &entry.value.kind {
        Kind::Text(name) if entry.key == "name" && !name.is_empty() => Some(name.clone()),
        _ => None,
    })
}

fn join(path: &str, key: &str) -> String {
    match (path.is_empty(), key.is_empty()) {
        (true, _) => key.to_owned(),
        (_, true) => path.to_owned(),
        _ => format!("{path}.{key}"),
    }
}

impl<R: Resolve + ?Sized> Resolve for &mut R {
    fn tool(&mut self, path: &str) -> Result<Name, String> {
        (**self).tool(path)
    }

    fn predicate(&mut self, path: &str) -> Result<crate::host::Host, String> {
        (**self).predicate(path)
    }

    fn domain(&mut self, path: &str) -> Result<crate::host::Host, String> {
        (**self).domain(path)
    }
}
