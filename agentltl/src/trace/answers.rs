//! Giving results to the calls they answer.

use std::collections::HashMap;

use serde_json::Value as Json;

use super::read::join;
use super::{Trace, TraceError, TraceProblem};
use crate::call::ToolCall;

/// The calls and results of a conversation, as they are read.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) calls: Vec<ToolCall>,
    /// Where the calls of the last assistant message that has some begin.
    pub(super) block: usize,
    pub(super) results: Vec<Answer>,
}

/// A tool message.
pub(super) struct Answer {
    pub(super) path: String,
    /// The key of the id.
    pub(super) id_key: &'static str,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    /// How many calls there were when it came, and where the last message's began.
    pub(super) seen: usize,
    pub(super) block: usize,
    pub(super) content: Json,
}

impl Reader {
    /// The calls from `first` on are those of the message at `index`.
    pub(super) fn end_block(&mut self, first: usize, index: usize) {
        if self.calls.len() > first {
            self.block = first;
            for call in &mut self.calls[first..] {
                call.generation = Some((index as i64).into());
            }
        }
    }

    /// Gives each result to its call.
    pub(super) fn join(mut self) -> Result<Trace, TraceError> {
        let mut by_id: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, call) in self.calls.iter().enumerate() {
            if let Some(id) = &call.id {
                by_id.entry(id.clone()).or_default().push(index);
            }
        }
        // Results of the same id after the same message are given out together.
        let mut groups: Vec<Vec<Answer>> = Vec::new();
        let mut open: HashMap<(Option<String>, usize), usize> = HashMap::new();
        for answer in self.results {
            let group = *open
                .entry((answer.id.clone(), answer.seen))
                .or_insert_with(|| {
                    groups.push(Vec::new());
                    groups.len() - 1
                });
            groups[group].push(answer);
        }
        let (mut early, mut nameless) = (Vec::new(), Vec::new());
        for group in groups {
            let Some(id) = group.first().and_then(|answer| answer.id.clone()) else {
                nameless.extend(group);
                continue;
            };
            let (seen, block) = group
                .first()
                .map_or((0, 0), |first| (first.seen, first.block));
            let waiting: Vec<usize> = by_id
                .get(&id)
                .into_iter()
                .flatten()
                .copied()
                .filter(|call| *call < seen && self.calls[*call].result.is_none())
                .collect();
            let here = waiting
                .iter()
                .position(|call| *call >= block)
                .unwrap_or(waiting.len());
            let from = if group.len() <= waiting.len() - here {
                here
            } else {
                waiting.len().saturating_sub(group.len())
            };
            let mut waiting = waiting[from..].iter();
            for answer in group {
                match waiting.next() {
                    Some(call) => self.calls[*call].result = Some(answer.content),
                    None => early.push((id.clone(), answer)),
                }
            }
        }
        // What is left came before its call, or has none.
        for (id, answer) in early {
            let calls = by_id.get(&id).map(Vec::as_slice).unwrap_or_default();
            match calls
                .iter()
                .find(|call| self.calls[**call].result.is_none())
            {
                Some(call) => self.calls[*call].result = Some(answer.content),
                None => {
                    let problem = if calls.is_empty() {
                        TraceProblem::NoSuchCall { id: Some(id) }
                    } else {
                        TraceProblem::AnsweredTwice { id }
                    };
                    return Err(TraceError::new(join(&answer.path, answer.id_key), problem));
                }
            }
        }
        for answer in nameless {
            give(&mut self.calls, answer)?;
        }
        Ok(self.calls.into())
    }
}

/// Gives a result without an id to the first call that waits for one.
fn give(calls: &mut [ToolCall], answer: Answer) -> Result<(), TraceError> {
    let name = answer.name.as_deref();
    let waiting = calls[answer.block..answer.seen]
        .iter_mut()
        .find(|call| call.result.is_none() && name.is_none_or(|name| call.tool_name == name));
    match waiting {
        Some(call) => {
            call.result = Some(answer.content);
            Ok(())
        }
        None => Err(TraceError::new(
            answer.path,
            TraceProblem::NoSuchCall { id: None },
        )),
    }
}
