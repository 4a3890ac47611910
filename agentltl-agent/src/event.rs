//! What a caller hears while a run is going on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use agentltl::{Decision, Violation};
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::chat::Usage;

/// Something that happened in a run.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The model is being asked.
    ModelAsked {
        /// The step, from 1.
        step: u64,
    },
    /// The model answered.
    ModelAnswered {
        /// The step.
        step: u64,
        /// What it said, if anything.
        content: Option<String>,
        /// How many calls it wants made.
        tool_calls: usize,
        /// What that cost.
        usage: Usage,
    },
    /// A call was allowed and runs.
    CallStarted {
        /// The call.
        call: CallInfo,
        /// The TOLERATE constraints it breaks.
        notes: Vec<Violation>,
        /// The BLOCK_AND_WARN constraint that the model overrode.
        overridden: Option<String>,
        /// Did a human approve it?
        approved: bool,
    },
    /// A call was refused.
    CallRefused {
        /// The call.
        call: CallInfo,
        /// Why, and what the model is told.
        #[serde(serialize_with = "shared")]
        decision: Arc<Decision>,
    },
    /// A call waits for a human.
    ApprovalAsked {
        /// The call.
        call: CallInfo,
        /// Why.
        #[serde(serialize_with = "shared")]
        decision: Arc<Decision>,
    },
    /// A call that cannot be made: no such tool, or arguments that it cannot take.
    CallUnusable {
        /// The call; its arguments are empty where they could not be read.
        call: CallInfo,
        /// What the model is told.
        message: String,
    },
    /// A call ended.
    CallEnded {
        /// The call, without its arguments.
        call: CallInfo,
        /// What it returned, or what the model is told where it failed.
        result: Json,
        /// Did it fail, panic or time out?
        failed: bool,
        /// How long it took.
        elapsed: Duration,
    },
    /// The model wanted to finish and was sent back.
    SentBack {
        /// The step.
        step: u64,
        /// Why.
        #[serde(serialize_with = "shared")]
        decision: Arc<Decision>,
    },
    /// The model finished.
    Answered {
        /// The step.
        step: u64,
        /// The answer.
        answer: Option<String>,
    },
    /// A constraint stopped the run.
    Stopped {
        /// The step.
        step: u64,
        /// The constraint.
        constraint_name: String,
    },
}

fn shared<S: serde::Serializer>(
    decision: &Arc<Decision>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    decision.as_ref().serialize(serializer)
}

/// Which call an event is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CallInfo {
    /// The step in which the model wanted it.
    pub step: u64,
    /// Its id in the conversation.
    pub id: String,
    /// The tool.
    pub tool_name: String,
    /// Its arguments.
    pub arguments: Map<String, Json>,
}

type Listener = dyn Fn(Event) + Send + Sync;

/// Those who listen; making an event costs nothing where nobody does.
#[derive(Clone, Default)]
pub(crate) struct Listeners(Vec<Arc<Listener>>);

impl Listeners {
    pub(crate) fn add(&mut self, listener: impl Fn(Event) + Send + Sync + 'static) {
        self.0.push(Arc::new(listener));
    }

    pub(crate) fn with(&self, others: &Listeners) -> Listeners {
        Listeners(self.0.iter().chain(&others.0).cloned().collect())
    }

    pub(crate) fn tell(&self, event: impl FnOnce() -> Event) {
        if self.0.is_empty() {
            return;
        }
        let event = event();
        for listener in &self.0 {
            let event = event.clone();
            // A broken progress display is no reason to break off a run.
            if catch_unwind(AssertUnwindSafe(|| listener(event))).is_err() {
                tracing::warn!("a listener of a run panicked");
            }
        }
    }
}
