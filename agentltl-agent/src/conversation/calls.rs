//! Making the calls of one completion.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use agentltl::{Action, Decision, Domain, InFlight, Node, Policy, Proposal, ToolCall, nearest};
use futures_util::FutureExt;
use serde_json::{Map, Value as Json};

use super::flights::{Ended, Flight, Flights, Outcome};
use super::requests::parse_arguments;
use super::{Conversation, TurnRun};
use crate::approval::{Approval, ApprovalRequest};
use crate::chat::ToolCallRequest;
use crate::event::{CallInfo, Event};
use crate::result::RunError;
use crate::tool::Invocation;

/// What the model is told of a call that came after one that stopped the run.
const AFTER_STOP: &str = "Not executed: the run was stopped by an earlier call.";

/// What becomes of a call that was asked for.
enum Admission {
    /// It may run.
    Runs(Box<ToolCall>, Invocation, InFlight),
    /// It may not, or cannot; the model is told why.
    Answered(String),
    /// It stops the run.
    Stops(Box<Decision>),
}

impl Conversation {
    /// Judges the calls in the order the model wrote them and runs the allowed ones at once, as far
    /// as that makes no difference to the rules. How many ran.
    pub(super) async fn make_calls(
        &mut self,
        requests: Vec<ToolCallRequest>,
        step: u64,
        run: &TurnRun,
    ) -> Result<usize, RunError> {
        let mut most = self.agent.inner.max_concurrent_calls;
        if requests.len() > 1
            && self
                .enforcer
                .with(|enforcer| looks_at_results(enforcer.policy()))
        {
            most = 1;
        }
        // Dropped with this future: each call in flight then stays in the trace, its result unknown.
        let mut flights = Flights::new(self.agent.inner.tool_timeout);
        let calls_before = self.calls.len();
        let mut stop: Option<Box<Decision>> = None;
        for (slot, request) in requests.into_iter().enumerate() {
            if stop.is_some() {
                self.answer(slot, AFTER_STOP.to_owned());
                continue;
            }
            while flights.len() >= most {
                self.land(&mut flights, step, run).await;
            }
            match self.admit(request, step, run, &mut flights).await {
                Admission::Runs(call, invocation, ticket) => {
                    let record = self.calls.len();
                    let flight = Flight::new(slot, record, ticket, call.tool_name.clone());
                    self.calls.push(Some(recorded(*call, step, run.turn)));
                    flights.start(flight, invocation);
                }
                Admission::Answered(answer) => self.answer(slot, answer),
                Admission::Stops(decision) => {
                    self.answer(slot, decision.feedback.clone());
                    stop = Some(decision);
                }
            }
        }
        while flights.len() > 0 {
            self.land(&mut flights, step, run).await;
        }
        let ran = self.calls[calls_before..].iter().flatten().count();
        let Some(decision) = stop else {
            return Ok(ran);
        };
        run.listeners.tell(|| Event::Stopped {
            step,
            constraint_name: decision.constraint_name().unwrap_or_default().to_owned(),
        });
        match decision.into_result() {
            Err(error) => Err(RunError::Stopped(Box::new(error))),
            Ok(()) => Ok(ran),
        }
    }

    fn answer(&mut self, slot: usize, answer: String) {
        if let Some(unanswered) = self.unanswered.get_mut(slot) {
            unanswered.answer = Some(answer);
        }
    }

    /// Finds out whether a call may run, and starts it in the enforcer if so.
    async fn admit(
        &mut self,
        request: ToolCallRequest,
        step: u64,
        run: &TurnRun,
        flights: &mut Flights,
    ) -> Admission {
        let (call, invocation) = match self.prepare(&request, step) {
            Ok(prepared) => prepared,
            Err(message) => {
                run.listeners.tell(|| Event::CallUnusable {
                    call: CallInfo {
                        step,
                        id: request.id,
                        tool_name: request.name,
                        arguments: Map::new(),
                    },
                    message: message.clone(),
                });
                return Admission::Answered(message);
            }
        };
        let number = i64::try_from(step).unwrap_or(i64::MAX);
        let proposal = || Proposal::new(&call).step_number(number);
        if flights.len() > 0 {
            let allowed_without_them = self.enforcer.with(|enforcer| {
                let mut without = enforcer.clone();
                for id in flights.ids() {
                    // One that is not there any more makes no difference.
                    let _ = without.withdraw(id);
                }
                without.check(proposal()).allowed()
            });
            if !allowed_without_them {
                while flights.len() > 0 {
                    self.land(flights, step, run).await;
                }
            }
        }
        let decision = match self.enforcer.start(proposal()) {
            Ok(ticket) => return self.admitted(call, invocation, ticket, step, run, false),
            Err(decision) => Arc::new(*decision),
        };
        let info = || CallInfo::of(&call, step);
        if decision.action != Action::Ask {
            run.listeners.tell(|| Event::CallRefused {
                call: info(),
                decision: Arc::clone(&decision),
            });
            return refused(Arc::unwrap_or_clone(decision));
        }
        let Some(approver) = self.agent.inner.approver.clone() else {
            run.listeners.tell(|| Event::CallRefused {
                call: info(),
                decision: Arc::clone(&decision),
            });
            let feedback = &decision.feedback;
            return Admission::Answered(format!("{feedback}\nNobody is here to approve it."));
        };
        run.listeners.tell(|| Event::ApprovalAsked {
            call: info(),
            decision: Arc::clone(&decision),
        });
        let asked = ApprovalRequest {
            call: call.clone(),
            decision: Arc::clone(&decision),
        };
        let said = AssertUnwindSafe(async { approver.decide(asked).await })
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| Approval::Denied {
                reason: format!("the approver panicked: {}", panic_message(&*panic)),
            });
        let (decision, answer) = match said {
            Approval::Approved => match self.enforcer.start_approved(proposal()) {
                Ok(ticket) => return self.admitted(call, invocation, ticket, step, run, true),
                Err(decision) => (Arc::new(*decision), None),
            },
            Approval::Denied { reason } => {
                let colon = if reason.is_empty() { "." } else { ": " };
                let feedback = &decision.feedback;
                let answer = format!("{feedback}\nThe human denied it{colon}{reason}");
                (decision, Some(answer))
            }
        };
        run.listeners.tell(|| Event::CallRefused {
            call: info(),
            decision: Arc::clone(&decision),
        });
        match answer {
            Some(answer) => Admission::Answered(answer),
            None => refused(Arc::unwrap_or_clone(decision)),
        }
    }

    fn admitted(
        &self,
        call: ToolCall,
        invocation: Invocation,
        ticket: InFlight,
        step: u64,
        run: &TurnRun,
        approved: bool,
    ) -> Admission {
        run.listeners.tell(|| Event::CallStarted {
            call: CallInfo::of(&call, step),
            notes: ticket.decision().notes.clone(),
            overridden: ticket.decision().overridden.clone(),
            approved,
        });
        Admission::Runs(Box::new(call), invocation, ticket)
    }

    /// The call under the tool's own name, and what will run it; or what the model is told.
    fn prepare(
        &self,
        request: &ToolCallRequest,
        step: u64,
    ) -> Result<(ToolCall, Invocation), String> {
        let toolbox = &self.agent.inner.toolbox;
        let Some((name, tool)) = toolbox.resolve(&request.name) else {
            let names = || toolbox.definitions().iter().map(|tool| &*tool.name);
            let mut message = format!("ERROR: unknown tool '{}'.", request.name);
            if let Some(near) = nearest(&request.name, names()) {
                message.push_str(&format!(" Did you mean '{near}'?"));
            }
            let names: Vec<&str> = names().collect();
            message.push_str(&format!(" The tools are: {}.", names.join(", ")));
            return Err(message);
        };
        let arguments = parse_arguments(&request.arguments).map_err(|error| {
            format!("ERROR: not executed: the arguments of '{name}' are not a JSON object: {error}")
        })?;
        let mut call = ToolCall::new(name).with_id(&request.id);
        call.arguments.clone_from(&arguments);
        if let Ok(step) = i64::try_from(step) {
            call = call.with_generation(step);
        }
        // Reading the arguments runs code of the tool.
        let invocation = catch_unwind(AssertUnwindSafe(|| Arc::clone(tool).invoke(arguments)))
            .unwrap_or_else(|panic| {
                let message = panic_message(&*panic);
                Err(crate::tool::InvalidArguments::new(format_args!(
                    "reading them panicked: {message}"
                )))
            })
            .map_err(|error| {
                format!("ERROR: not executed: the arguments of '{name}' do not fit: {error}")
            })?;
        Ok((call, invocation))
    }

    /// Waits for one of the calls in flight to end, and notes what came of it.
    async fn land(&mut self, flights: &mut Flights, step: u64, run: &TurnRun) {
        for Ended { flight, outcome } in flights.next().await {
            self.note(flight, outcome, step, run);
        }
    }

    fn note(&mut self, flight: Flight, outcome: Outcome, step: u64, run: &TurnRun) {
        let elapsed = flight.started.elapsed();
        let failed = !matches!(outcome, Outcome::Returned(_));
        let (result, ran) = match outcome {
            Outcome::Returned(result) => (result, true),
            Outcome::Failed(error) => (format!("ERROR: {error}").into(), error.ran()),
            Outcome::Panicked(message) => (format!("ERROR: the tool panicked: {message}").into(), true),
            Outcome::TimedOut(limit) => (
                format!("ERROR: no result within {limit:?}; whether the call had its effects is not known.")
                    .into(),
                true,
            ),
        };
        let id = self
            .unanswered
            .get(flight.slot)
            .map_or_else(String::new, |unanswered| unanswered.id.clone());
        self.answer(flight.slot, in_words(&result));
        let known = if ran {
            let status = i64::from(failed);
            if let Some(Some(call)) = self.calls.get_mut(flight.record) {
                call.result = Some(result.clone());
                call.status = Some(status);
            }
            flight.ticket.complete(result.clone(), Some(status))
        } else {
            self.calls[flight.record] = None;
            flight.ticket.withdraw().map(drop)
        };
        if let Err(error) = known {
            // The caller reset the enforcer meanwhile.
            tracing::debug!("{error}");
        }
        run.listeners.tell(|| Event::CallEnded {
            call: CallInfo {
                step,
                id,
                tool_name: flight.tool_name,
                arguments: Map::new(),
            },
            result,
            failed,
            elapsed,
        });
    }
}

fn refused(decision: Decision) -> Admission {
    if decision.action == Action::Stop {
        Admission::Stops(Box::new(decision))
    } else {
        Admission::Answered(decision.feedback)
    }
}

impl CallInfo {
    fn of(call: &ToolCall, step: u64) -> Self {
        CallInfo {
            step,
            id: call.id.clone().unwrap_or_default(),
            tool_name: call.tool_name.clone(),
            arguments: call.arguments.clone(),
        }
    }
}

/// The call as metrics have it.
fn recorded(mut call: ToolCall, step: u64, turn: u64) -> ToolCall {
    call.generation = None;
    call.step = i64::try_from(step).ok();
    call.extra.insert("turn".to_owned(), turn.into());
    call
}

/// A string as it is, anything else as JSON.
fn in_words(result: &Json) -> String {
    match result {
        Json::String(text) => text.clone(),
        json => json.to_string(),
    }
}

/// Can a rule tell whether an earlier call has returned?
fn looks_at_results(policy: &Policy) -> bool {
    let nodes = policy
        .constraints()
        .iter()
        .flat_map(|constraint| constraint.formula().nodes());
    nodes.into_iter().any(|node| {
        matches!(
            node,
            Node::CalledWithResult(..)
                | Node::Predicate { .. }
                | Node::Forall(_, Domain::Results(..) | Domain::Host(_))
                | Node::Exists(_, Domain::Results(..) | Domain::Host(_))
        )
    })
}

pub(super) fn panic_message(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "it gave no message".to_owned())
}
