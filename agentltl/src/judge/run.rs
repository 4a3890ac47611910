//! The calls of a run with what atoms look up in them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use agentltl_core::{Args, Domain, Value};
use serde_json::Value as Json;

use super::EvaluationError;
use super::hosts;
use crate::call::ToolCall;
use crate::matching::{Bindings, canonical};

/// Positions by canonical value of an argument.
type ByValue = Rc<HashMap<String, Vec<u32>>>;

/// The calls of a run, indexed once for any number of formulas.
///
/// ```
/// use agentltl::{Run, Trace, Verdict, build::before};
/// let trace = Trace::from_names(["fetch", "save"]);
/// let run = Run::new(&trace);
/// assert_eq!(run.verdict(&before("fetch", "save"))?, Verdict::True);
/// assert!(run.finding(&before("fetch", "save"))?.holds);
/// # Ok::<(), agentltl::EvaluationError>(())
/// ```
pub struct Run<'a> {
    calls: &'a [ToolCall],
    by_tool: HashMap<&'a str, Vec<u32>>,
    by_value: RefCell<HashMap<(String, String), ByValue>>,
}

impl<'a> Run<'a> {
    /// Indexes the calls, in one pass.
    #[must_use]
    pub fn new(calls: &'a [ToolCall]) -> Self {
        let mut by_tool: HashMap<&str, Vec<u32>> = HashMap::new();
        for (position, call) in (0..).zip(calls) {
            by_tool.entry(&call.tool_name).or_default().push(position);
        }
        Run {
            calls,
            by_tool,
            by_value: RefCell::default(),
        }
    }

    /// The calls.
    #[must_use]
    pub fn calls(&self) -> &'a [ToolCall] {
        self.calls
    }

    /// The run as it was after its first `len` calls.
    pub(crate) fn prefix(&self, len: usize) -> Prefix<'_, 'a> {
        Prefix { run: self, len }
    }

    fn by_value(&self, tool: &str, key: &str) -> ByValue {
        let mut indices = self.by_value.borrow_mut();
        let index = indices
            .entry((tool.to_owned(), key.to_owned()))
            .or_insert_with(|| {
                let mut index: HashMap<String, Vec<u32>> = HashMap::new();
                for position in self.by_tool.get(tool).into_iter().flatten() {
                    if let Some(value) = self.calls[*position as usize].arguments.get(key) {
                        index.entry(canonical(value)).or_default().push(*position);
                    }
                }
                Rc::new(index)
            });
        Rc::clone(index)
    }
}

/// The first calls of a run.
#[derive(Clone, Copy)]
pub(crate) struct Prefix<'r, 'a> {
    run: &'r Run<'a>,
    len: usize,
}

impl<'r, 'a> Prefix<'r, 'a> {
    pub(crate) fn calls(self) -> &'a [ToolCall] {
        &self.run.calls[..self.len]
    }

    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// The positions of a tool's calls, in order.
    pub(crate) fn positions(self, tool: &str) -> &'r [u32] {
        let all = self.run.by_tool.get(tool).map_or(&[][..], Vec::as_slice);
        self.cut(all)
    }

    fn cut(self, positions: &[u32]) -> &[u32] {
        &positions[..positions.partition_point(|position| (*position as usize) < self.len)]
    }

    /// The position of the n-th call of a tool, counted from 1.
    pub(crate) fn nth(self, tool: &str, n: i64) -> Option<usize> {
        let index = usize::try_from(n).ok()?.checked_sub(1)?;
        self.positions(tool)
            .get(index)
            .map(|position| *position as usize)
    }

    /// The position of a tool's first call.
    pub(crate) fn first(self, tool: &str) -> Option<usize> {
        self.nth(tool, 1)
    }

    /// The positions of a tool's calls with the arguments, in order.
    pub(crate) fn matching(self, tool: &str, args: &Args, bindings: Bindings<'_>) -> Vec<u32> {
        let fits =
            |position: &&u32| bindings.arguments_match(args, &self.run.calls[**position as usize]);
        // Under a quantifier the calls are looked up once an entity: then by the entity's value.
        let entity = args.iter().find_map(|(key, value)| match value {
            Value::Var(name) => Some((key, bindings.get(name)?)),
            _ => None,
        });
        match entity {
            Some((key, value)) => {
                let index = self.run.by_value(tool, key);
                let found = index.get(&canonical(value)).map_or(&[][..], Vec::as_slice);
                self.cut(found).iter().filter(fits).copied().collect()
            }
            None => self.positions(tool).iter().filter(fits).copied().collect(),
        }
    }

    /// The distinct entities a quantifier ranges over, in order of appearance.
    pub(crate) fn entities(
        self,
        domain: &Domain,
        bindings: Bindings<'_>,
    ) -> Result<Vec<Json>, EvaluationError> {
        let calls = |tool: &str| {
            self.positions(tool)
                .iter()
                .map(|position| &self.run.calls[*position as usize])
        };
        let found: Vec<Json> = match domain {
            Domain::Args(tool, key) => calls(tool.as_str())
                .filter_map(|call| call.arguments.get(key.as_str()).cloned())
                .collect(),
            Domain::Results(tool, None) => calls(tool.as_str())
                .filter_map(|call| call.result.clone())
                .collect(),
            Domain::Results(tool, Some(field)) => calls(tool.as_str())
                .filter_map(|call| {
                    call.result
                        .as_ref()?
                        .as_object()?
                        .get(field.as_str())
                        .cloned()
                })
                .collect(),
            Domain::Values(values) => values
                .iter()
                .map(|value| {
                    bindings.resolve(value).ok_or_else(|| EvaluationError {
                        what: "a quantifier's domain".to_owned(),
                        message: "a variable in it is not bound".to_owned(),
                    })
                })
                .collect::<Result<_, _>>()?,
            Domain::Host(host) => hosts::entities(host, self.calls())?,
            other => {
                return Err(EvaluationError {
                    what: format!("the domain {other:?}"),
                    message: "it is of a kind this version does not know".to_owned(),
                });
            }
        };
        let mut seen = std::collections::HashSet::new();
        Ok(found
            .into_iter()
            .filter(|entity| seen.insert(canonical(entity)))
            .collect())
    }
}
