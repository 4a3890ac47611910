//! Asking a human.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use agentltl::{Decision, ToolCall};

/// A call that waits for a human.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The call.
    pub call: ToolCall,
    /// Why it was refused.
    pub decision: Arc<Decision>,
}

impl ApprovalRequest {
    pub(crate) fn new(call: ToolCall, decision: Arc<Decision>) -> Self {
        ApprovalRequest { call, decision }
    }
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

type Answer = Pin<Box<dyn Future<Output = Approval> + Send>>;

/// Who decides.
pub(crate) type Approver = Arc<dyn Fn(ApprovalRequest) -> Answer + Send + Sync>;
