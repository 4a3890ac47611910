//! What is put to the enforcer: a call, or several that run together.

use std::borrow::Cow;

use serde_json::{Map, Value as Json};

use crate::call::{Generation, ToolCall};

/// A call that the agent wants to make. A [`ToolCall`] is one by itself; step numbers and
/// generations can be added.
///
/// ```
/// use agentltl::{Enforcer, Policy, Proposal, ToolCall};
/// let mut enforcer = Enforcer::new(Policy::default())?;
/// let call = ToolCall::new("search");
/// assert!(enforcer.check(&call).allowed());
/// assert!(enforcer.check(Proposal::new(&call).step_number(7).generation("completion-1")).allowed());
/// # Ok::<(), agentltl::EnforcerError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal<'a> {
    pub(super) call: Cow<'a, ToolCall>,
    pub(super) step_number: Option<i64>,
    pub(super) generation: Option<Generation>,
}

impl<'a> Proposal<'a> {
    /// The proposal of a call.
    #[must_use]
    pub fn new(call: &'a ToolCall) -> Self {
        Proposal {
            call: Cow::Borrowed(call),
            step_number: None,
            generation: None,
        }
    }

    /// The number that violations report as the step; by default that of the call in the trace,
    /// from 1. It has nothing to do with [`ToolCall::step`].
    #[must_use]
    pub fn step_number(mut self, step: i64) -> Self {
        self.step_number = Some(step);
        self
    }

    /// The model completion that proposed the call, in place of [`ToolCall::generation`].
    #[must_use]
    pub fn generation(mut self, key: impl Into<Generation>) -> Self {
        self.generation = Some(key.into());
        self
    }

    /// The call itself.
    #[must_use]
    pub fn into_call(self) -> ToolCall {
        self.call.into_owned()
    }

    pub(super) fn key(&self) -> Option<&Generation> {
        self.generation.as_ref().or(self.call.generation.as_ref())
    }
}

impl<'a> From<&'a ToolCall> for Proposal<'a> {
    fn from(call: &'a ToolCall) -> Self {
        Proposal::new(call)
    }
}

impl From<ToolCall> for Proposal<'_> {
    fn from(call: ToolCall) -> Self {
        Proposal {
            call: Cow::Owned(call),
            step_number: None,
            generation: None,
        }
    }
}

impl From<(&str, Map<String, Json>)> for Proposal<'_> {
    fn from((tool_name, arguments): (&str, Map<String, Json>)) -> Self {
        let mut call = ToolCall::new(tool_name);
        call.arguments = arguments;
        call.into()
    }
}

/// The call as it is judged: what only comes with running it is not known.
pub(super) fn candidate(call: &ToolCall) -> Cow<'_, ToolCall> {
    if call.result.is_none() && call.status.is_none() && call.step.is_none() {
        return Cow::Borrowed(call);
    }
    let mut call = call.clone();
    (call.result, call.status, call.step) = (None, None, None);
    Cow::Owned(call)
}

/// Calls that run together, such as a shell command line: all or none.
///
/// ```
/// use agentltl::{Chain, Enforcer, Policy, ToolCall};
/// let mut enforcer = Enforcer::new(Policy::default())?;
/// let calls = [ToolCall::new("test"), ToolCall::new("deploy")];
/// assert!(enforcer.check_chain(Chain::new(&calls).key("test && deploy")).allowed());
/// # Ok::<(), agentltl::EnforcerError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Chain<'a> {
    pub(super) calls: &'a [ToolCall],
    pub(super) step_number: Option<i64>,
    pub(super) generation: Option<Generation>,
    pub(super) key: Option<Json>,
}

impl<'a> Chain<'a> {
    /// The calls in the order they run.
    #[must_use]
    pub fn new(calls: &'a [ToolCall]) -> Self {
        Chain {
            calls,
            step_number: None,
            generation: None,
            key: None,
        }
    }

    /// The number that violations report as the step.
    #[must_use]
    pub fn step_number(mut self, step: i64) -> Self {
        self.step_number = Some(step);
        self
    }

    /// The model completion that proposed the calls, in place of the first call's.
    #[must_use]
    pub fn generation(mut self, key: impl Into<Generation>) -> Self {
        self.generation = Some(key.into());
        self
    }

    /// What tells that the agent issues the same chain again; by default tools and arguments.
    #[must_use]
    pub fn key(mut self, key: impl Into<Json>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The calls.
    #[must_use]
    pub fn calls(&self) -> &'a [ToolCall] {
        self.calls
    }

    pub(super) fn generation_key(&self) -> Option<&Generation> {
        self.generation
            .as_ref()
            .or_else(|| self.calls.first()?.generation.as_ref())
    }

    pub(super) fn identity(&self) -> Json {
        self.key
            .clone()
            .filter(|key| !key.is_null())
            .unwrap_or_else(|| {
                let pair = |call: &ToolCall| {
                    Json::Array(vec![
                        Json::String(call.tool_name.clone()),
                        Json::Object(call.arguments.clone()),
                    ])
                };
                Json::Array(self.calls.iter().map(pair).collect())
            })
    }
}

impl<'a> From<&'a [ToolCall]> for Chain<'a> {
    fn from(calls: &'a [ToolCall]) -> Self {
        Chain::new(calls)
    }
}

impl<'a, const N: usize> From<&'a [ToolCall; N]> for Chain<'a> {
    fn from(calls: &'a [ToolCall; N]) -> Self {
        Chain::new(calls)
    }
}

impl<'a> From<&'a Vec<ToolCall>> for Chain<'a> {
    fn from(calls: &'a Vec<ToolCall>) -> Self {
        Chain::new(calls)
    }
}
