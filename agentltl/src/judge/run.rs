//! The calls of a run with what atoms look up in them.

use std::borrow::Cow;
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

/// Where each tool's calls are in a run. It grows with the run, so that it need not be made anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    len: usize,
    by_tool: HashMap<Box<str>, Vec<u32>>,
}

impl Index {
    /// Takes in the calls that are new.
    pub(crate) fn extend(&mut self, calls: &[ToolCall]) {
        let new = calls.get(self.len..).unwrap_or_default();
        for (position, call) in (self.len as u32..).zip(new) {
            match self.by_tool.get_mut(call.tool_name.as_str()) {
                Some(positions) => positions.push(position),
                None => {
                    let tool = call.tool_name.as_str().into();
                    self.by_tool.insert(tool, vec![position]);
                }
            }
        }
        self.len = self.len.max(calls.len());
    }

    /// Forgets the newest call, which is this one.
    pub(crate) fn pop(&mut self, newest: &ToolCall) {
        if let Some(positions) = self.by_tool.get_mut(newest.tool_name.as_str()) {
            positions.pop();
        }
        self.len = self.len.saturating_sub(1);
    }

    /// Forgets the calls from that position on.
    pub(crate) fn truncate(&mut self, len: usize) {
        if len < self.len {
            self.len = len;
            for positions in self.by_tool.values_mut() {
                positions.truncate(positions.partition_point(|at| (*at as usize) < len));
            }
        }
    }

    fn positions(&self, tool: &str) -> &[u32] {
        self.by_tool.get(tool).map_or(&[][..], Vec::as_slice)
    }
}

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
    index: Cow<'a, Index>,
    by_value: RefCell<HashMap<(String, String), ByValue>>,
}

impl<'a> Run<'a> {
    /// Indexes the calls, in one pass.
    #[must_use]
    pub fn new(calls: &'a [ToolCall]) -> Self {
        let mut index = Index::default();
        index.extend(calls);
        Run {
            calls,
            index: Cow::Owned(index),
            by_value: RefCell::default(),
        }
    }

    /// The calls with an index of them that has been made before.
    pub(crate) fn with_index(calls: &'a [ToolCall], index: &'a Index) -> Self {
        Run {
            calls,
            index: Cow::Borrowed(index),
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
                for position in self.index.positions(tool) {
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
        self.cut(self.run.index.positions(tool))
    }

    /// The positions of a tool's calls that are not before `from`, in order.
    pub(crate) fn positions_from(self, tool: &str, from: usize) -> &'r [u32] {
        not_before(from, self.positions(tool))
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
        self.matching_from(tool, args, bindings, 0)
    }

    /// Those of them that are not before `from`.
    pub(crate) fn matching_from(
        self,
        tool: &str,
        args: &Args,
        bindings: Bindings<'_>,
        from: usize,
    ) -> Vec<u32> {
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
                let found = not_before(from, self.cut(found)).iter();
                found.filter(fits).copied().collect()
            }
            None => {
                let found = self.positions_from(tool, from).iter();
                found.filter(fits).copied().collect()
            }
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

fn not_before(from: usize, positions: &[u32]) -> &[u32] {
    &positions[positions.partition_point(|position| (*position as usize) < from)..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Trace;

    #[test]
    fn an_index_that_followed_a_run_is_as_one_made_anew() {
        let mut trace = Trace::from_names(["a", "b", "a"]);
        let mut index = Index::default();
        let check = |index: &Index, trace: &Trace| {
            let anew = Run::new(trace);
            for tool in ["a", "b", "c"] {
                assert_eq!(index.positions(tool), anew.index.positions(tool), "{tool}");
            }
            assert_eq!(index.len, trace.len());
        };
        index.extend(&trace);
        check(&index, &trace);
        trace.push(ToolCall::new("c"));
        index.extend(&trace);
        check(&index, &trace);
        // A candidate goes again, and another call comes in its place.
        trace.calls_mut().pop();
        index.pop(&ToolCall::new("c"));
        check(&index, &trace);
        trace.push(ToolCall::new("b"));
        index.extend(&trace);
        check(&index, &trace);
        // A call in flight is withdrawn.
        trace.calls_mut().remove(1);
        index.truncate(1);
        index.extend(&trace);
        check(&index, &trace);
        index.truncate(7);
        check(&index, &trace);
    }
}
