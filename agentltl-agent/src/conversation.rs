//! One run: a conversation of one or more turns.

mod calls;
mod flights;
mod options;
mod requests;

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use agentltl::{Action, SharedEnforcer, ToolCall};
use futures_util::FutureExt;
use serde::Serialize;
use tokio::runtime::Handle;

pub use options::RunOptions;

use crate::agent::Agent;
use crate::chat::{ChatRequest, Completion, Message, Usage};
use crate::chat_error::ChatError;
use crate::event::{Event, Listeners};
use crate::result::{Metrics, RunEnd, RunError, RunResult, StepRecord, StepType};

/// A conversation with an agent over several turns: the model sees the earlier ones, and the rules
/// are kept through all of them, on one trace.
///
/// ```
/// use agentltl_agent::{Agent, Completion, ScriptedModel};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new([Completion::answer("Hello."), Completion::answer("Bye.")]);
/// let agent = Agent::builder().model(model).build()?;
/// let mut conversation = agent.conversation();
/// assert_eq!(conversation.turn("Hi").await.answer.as_deref(), Some("Hello."));
/// assert_eq!(conversation.turn("Good bye").await.answer.as_deref(), Some("Bye."));
/// assert_eq!(conversation.metrics().num_steps, 2);
/// # Ok(()) }
/// ```
///
/// A turn whose future is dropped is a turn cancelled: its calls stop where they can be stopped, and
/// stay in the trace with their results unknown. The conversation can go on.
pub struct Conversation {
    agent: Agent,
    enforcer: SharedEnforcer,
    messages: Vec<Message>,
    /// The calls of the last completion that the model has not been answered, in its order.
    unanswered: Vec<Unanswered>,
    /// Started calls in order; `None` for one that never ran after all.
    calls: Vec<Option<ToolCall>>,
    steps: Vec<StepRecord>,
    usage: Usage,
    turns: u64,
    blocked_steps: u64,
    blocked_steps_exhausted: bool,
}

struct Unanswered {
    id: String,
    answer: Option<String>,
}

/// What the model is told of a call of which nothing is known.
const INTERRUPTED: &str =
    "ERROR: the run was interrupted. Whether this call ran, and what it did, is not known.";

impl Conversation {
    pub(crate) fn new(agent: Agent, enforcer: SharedEnforcer) -> Self {
        let prompt = &agent.inner.system_prompt;
        let messages = if prompt.is_empty() {
            Vec::new()
        } else {
            vec![Message::system(prompt)]
        };
        Conversation {
            agent,
            enforcer,
            messages,
            unanswered: Vec::new(),
            calls: Vec::new(),
            steps: Vec::new(),
            usage: Usage::default(),
            turns: 0,
            blocked_steps: 0,
            blocked_steps_exhausted: false,
        }
    }

    /// One turn: the user speaks, and the model works until it answers.
    pub async fn turn(&mut self, task: impl Into<String>) -> RunResult {
        self.turn_with(task, RunOptions::default()).await
    }

    /// One turn, with options.
    pub async fn turn_with(&mut self, task: impl Into<String>, options: RunOptions) -> RunResult {
        self.settle();
        self.messages.push(Message::user(task));
        let turn = self.turns;
        self.turns += 1;
        let (calls_before, steps_before) = (self.calls.len(), self.steps.len());
        let usage_before = self.usage;
        let run = TurnRun {
            turn,
            listeners: self.agent.inner.listeners.with(&options.listeners),
        };
        let ended = if Handle::try_current().is_err() {
            Err(RunError::NoRuntime)
        } else {
            // Dropping the work leaves each call started in the trace, its result unknown.
            let work = self.work(&run);
            match options.cancellation {
                None => work.await,
                Some(token) => token
                    .run_until_cancelled(work)
                    .await
                    .unwrap_or(Err(RunError::Cancelled)),
            }
        };
        self.settle();
        let (answer, end, error) = match ended {
            Ok((end, answer)) => (answer, end, None),
            Err(error) => (None, error.end(), Some(error)),
        };
        let usage = self.usage.minus(usage_before);
        RunResult {
            answer,
            metrics: self.metrics_since(calls_before, steps_before, usage),
            error,
            end,
        }
    }

    /// Several turns, up to the first that breaks off.
    pub async fn run<T: Into<String>>(
        &mut self,
        turns: impl IntoIterator<Item = T>,
    ) -> ConversationResult {
        let mut per_turn = Vec::new();
        for task in turns {
            let result = self.turn(task).await;
            let broke_off = result.error.is_some();
            per_turn.push(result);
            if broke_off {
                break;
            }
        }
        ConversationResult {
            answers: per_turn.iter().map(|turn| turn.answer.clone()).collect(),
            metrics: self.metrics(),
            error: per_turn.last().and_then(|turn| turn.error.clone()),
            per_turn,
        }
    }

    /// What happened in all turns so far.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.metrics_since(0, 0, self.usage)
    }

    /// The messages so far.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The enforcer, for its status and for lifting a stop.
    #[must_use]
    pub fn enforcer(&self) -> &SharedEnforcer {
        &self.enforcer
    }

    fn metrics_since(&self, calls: usize, steps: usize, usage: Usage) -> Metrics {
        Metrics::new(
            self.calls[calls..].iter().flatten().cloned().collect(),
            self.steps[steps..].to_vec(),
            usage,
            self.enforcer.status(),
            self.blocked_steps,
            self.blocked_steps_exhausted,
        )
    }

    /// Answers the calls of the last completion, in its order. Endpoints refuse a conversation with
    /// a call that has no answer.
    fn settle(&mut self) {
        for Unanswered { id, answer } in self.unanswered.drain(..) {
            let answer = answer.unwrap_or_else(|| INTERRUPTED.to_owned());
            self.messages.push(Message::tool(id, answer));
        }
    }

    async fn work(&mut self, run: &TurnRun) -> Result<(RunEnd, Option<String>), RunError> {
        let agent = self.agent.clone();
        let inner = &agent.inner;
        let (mut steps_used, mut blocked_used) = (0, 0);
        while steps_used < inner.max_steps {
            if inner
                .max_blocked_steps
                .is_some_and(|max| blocked_used >= max)
            {
                self.blocked_steps_exhausted = true;
                return Ok((RunEnd::OutOfBlockedSteps, None));
            }
            let step = self.steps.len() as u64 + 1;
            run.listeners.tell(|| Event::ModelAsked { step });
            let mut completion = self.ask().await.map_err(RunError::Model)?;
            self.usage = self.usage.plus(completion.usage);
            requests::identify(&mut completion.tool_calls, step);
            run.listeners.tell(|| Event::ModelAnswered {
                step,
                content: completion.content.clone(),
                tool_calls: completion.tool_calls.len(),
                usage: completion.usage,
            });
            self.hear(&completion, step, run.turn);

            let anything_ran = if completion.tool_calls.is_empty() {
                if !self.is_sent_back(step, run) {
                    let answer = completion.content;
                    run.listeners.tell(|| Event::Answered {
                        step,
                        answer: answer.clone(),
                    });
                    return Ok((RunEnd::Answered, answer));
                }
                false
            } else {
                let ran = self.make_calls(completion.tool_calls, step, run).await?;
                self.settle();
                ran > 0
            };
            // A step in which nothing ran is one that the rules took from the agent.
            if !anything_ran {
                self.blocked_steps += 1;
            }
            if anything_ran || inner.max_blocked_steps.is_none() {
                steps_used += 1;
            } else {
                blocked_used += 1;
            }
        }
        Ok((RunEnd::OutOfSteps, None))
    }

    async fn ask(&self) -> Result<Completion, ChatError> {
        let inner = &self.agent.inner;
        let request = ChatRequest::new(&self.messages, inner.toolbox.definitions());
        AssertUnwindSafe(inner.model.complete(request))
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| {
                let message = calls::panic_message(&*panic);
                Err(ChatError::other(format!("it panicked: {message}")))
            })
    }

    /// Notes what the model said.
    fn hear(&mut self, completion: &Completion, step: u64, turn: u64) {
        let wants = &completion.tool_calls;
        let r#type = if wants.is_empty() {
            StepType::Reasoning
        } else {
            StepType::ToolCall
        };
        let content = completion.content.clone();
        self.steps
            .push(StepRecord::new(step, turn, r#type, content.clone()));
        self.messages.push(Message::Assistant {
            content: content.unwrap_or_default(),
            tool_calls: wants.clone(),
        });
        self.unanswered = wants
            .iter()
            .map(|call| Unanswered {
                id: call.id.clone(),
                answer: None,
            })
            .collect();
    }

    /// The model wants to finish: does a rule send it back?
    fn is_sent_back(&mut self, step: u64, run: &TurnRun) -> bool {
        let decision = self.enforcer.check_termination();
        if decision.action == Action::Allow {
            return false;
        }
        self.messages.push(Message::user(&decision.feedback));
        run.listeners.tell(|| Event::SentBack {
            step,
            decision: Arc::new(decision),
        });
        true
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation")
            .field("turns", &self.turns)
            .field("messages", &self.messages.len())
            .finish_non_exhaustive()
    }
}

/// What stays the same through a turn.
struct TurnRun {
    turn: u64,
    listeners: Listeners,
}

/// What came of a conversation of several turns.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ConversationResult {
    /// The answer of each turn that was begun.
    pub answers: Vec<Option<String>>,
    /// What came of each.
    pub per_turn: Vec<RunResult>,
    /// What happened in all of them: one trace.
    pub metrics: Metrics,
    /// Why the last turn broke off, if it did.
    pub error: Option<RunError>,
}
