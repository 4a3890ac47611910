#![doc = include_str!("../README.md")]

mod agent;
mod approval;
mod chat;
mod chat_error;
mod conversation;
mod event;
#[cfg(feature = "mcp")]
mod mcp;
mod openai;
mod result;
mod scripted;
mod sub_agents;
mod tool;
mod toolbox;

pub use agent::{Agent, AgentBuilder, AgentError};
pub use approval::{Approval, ApprovalRequest, Approver};
pub use chat::{BoxFuture, ChatModel, ChatRequest, Completion, Message, ToolCallRequest, Usage};
pub use chat_error::ChatError;
pub use conversation::{Conversation, ConversationResult, RunOptions};
pub use event::{CallInfo, Event};
#[cfg(feature = "mcp")]
pub use mcp::{McpError, McpFailure, McpServer, McpServers};
pub use openai::{OpenAi, OpenAiBuilder, OpenAiError};
pub use result::{Metrics, RunEnd, RunError, RunResult, StepRecord, StepType};
pub use scripted::ScriptedModel;
pub use sub_agents::{
    Requirement, SubAgents, SubAgentsMetrics, SubAgentsResult, SubResult, TemplateError,
};
pub use tokio_util::sync::CancellationToken;
pub use tool::{
    DynTool, FnTool, InvalidArguments, Invocation, NoArguments, Tool, ToolDefinition, ToolError,
    parameters_of, tool_fn,
};
pub use toolbox::{NameClash, ToolNameError};
