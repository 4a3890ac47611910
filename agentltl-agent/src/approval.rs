//! Asking a human.

use std::future::Future;
use std::sync::Arc;

use agentltl::{Decision, ToolCall};

use crate::chat::BoxFuture;

/// Decides about calls that an ASK constraint refused. A closure is one.
///
/// ```
/// use agentltl_agent::{Agent, Approval, ApprovalRequest};
/// let builder = Agent::builder().approver(async |request: ApprovalRequest| {
///     match request.call.arguments.get("amount").and_then(|amount| amount.as_f64()) {
///         Some(amount) if amount < 100.0 => Approval::Approved,
///         _ => Approval::Denied { reason: "too much money".to_owned() },
///     }
/// });
/// ```
pub trait Approver: Send + Sync + 'static {
    /// May the call run?
    fn decide(&self, request: ApprovalRequest) -> impl Future<Output = Approval> + Send;
}

impl<F, R> Approver for F
where
    F: Fn(ApprovalRequest) -> R + Send + Sync + 'static,
    R: Future<Output = Approval> + Send,
{
    fn decide(&self, request: ApprovalRequest) -> impl Future<Output = Approval> + Send {
        self(request)
    }
}

/// A call that waits for a human.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The call.
    pub call: ToolCall,
    /// Why it was refused.
    pub decision: Arc<Decision>,
}

/// What a human said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// The call runs, unless the run has changed meanwhile so that a stronger rule forbids it.
    Approved,
    /// It does not.
    Denied {
        /// What the model is told; may be empty.
        reason: String,
    },
}

/// [`Approver`] behind a `dyn`.
pub(crate) trait AnyApprover: Send + Sync {
    fn decide(&self, request: ApprovalRequest) -> BoxFuture<'_, Approval>;
}

impl<A: Approver> AnyApprover for A {
    fn decide(&self, request: ApprovalRequest) -> BoxFuture<'_, Approval> {
        Box::pin(Approver::decide(self, request))
    }
}
