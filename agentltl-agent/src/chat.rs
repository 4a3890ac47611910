//! What an agent says to a model, and what it hears back.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;

use crate::chat_error::ChatError;
use crate::tool::ToolDefinition;

/// A future on the heap, as traits behind a `dyn` need it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A model that answers a conversation, with a text or with calls of tools.
///
/// [`OpenAi`](crate::OpenAi) is one for OpenAI-compatible endpoints,
/// [`ScriptedModel`](crate::ScriptedModel) one for tests. Another provider plugs in like this:
///
/// ```
/// use agentltl_agent::{ChatError, ChatModel, ChatRequest, Completion};
///
/// struct Parrot;
///
/// impl ChatModel for Parrot {
///     async fn complete(&self, request: ChatRequest<'_>) -> Result<Completion, ChatError> {
///         let said = request.messages.last().map_or("", |message| message.content());
///         Ok(Completion::answer(said))
///     }
/// }
/// ```
pub trait ChatModel: Send + Sync {
    /// The next message of the conversation.
    fn complete(
        &self,
        request: ChatRequest<'_>,
    ) -> impl Future<Output = Result<Completion, ChatError>> + Send;
}

impl<M: ChatModel + ?Sized> ChatModel for Arc<M> {
    fn complete(
        &self,
        request: ChatRequest<'_>,
    ) -> impl Future<Output = Result<Completion, ChatError>> + Send {
        (**self).complete(request)
    }
}

/// [`ChatModel`] behind a `dyn`.
pub(crate) trait AnyModel: Send + Sync {
    fn complete<'a>(
        &'a self,
        request: ChatRequest<'a>,
    ) -> BoxFuture<'a, Result<Completion, ChatError>>;
}

impl<M: ChatModel> AnyModel for M {
    fn complete<'a>(
        &'a self,
        request: ChatRequest<'a>,
    ) -> BoxFuture<'a, Result<Completion, ChatError>> {
        Box::pin(ChatModel::complete(self, request))
    }
}

/// A conversation so far, and the tools the model may call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ChatRequest<'a> {
    /// The messages, oldest first.
    pub messages: &'a [Message],
    /// The tools.
    pub tools: &'a [ToolDefinition],
}

impl<'a> ChatRequest<'a> {
    /// A request.
    #[must_use]
    pub fn new(messages: &'a [Message], tools: &'a [ToolDefinition]) -> Self {
        ChatRequest { messages, tools }
    }
}

/// A message of a conversation. Serialises as OpenAI's chat messages do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Message {
    /// Instructions.
    System {
        /// The text.
        content: String,
    },
    /// What the user, or the loop on the user's behalf, says.
    User {
        /// The text.
        content: String,
    },
    /// What the model said.
    Assistant {
        /// The text; may be empty.
        content: String,
        /// The calls it wants made.
        #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "wire_calls")]
        tool_calls: Vec<ToolCallRequest>,
    },
    /// What came of a call.
    Tool {
        /// The call.
        tool_call_id: String,
        /// Its result, or why it did not run.
        content: String,
    },
}

impl Message {
    /// Instructions.
    pub fn system(content: impl Into<String>) -> Self {
        let content = content.into();
        Message::System { content }
    }

    /// What the user says.
    pub fn user(content: impl Into<String>) -> Self {
        let content = content.into();
        Message::User { content }
    }

    /// What came of a call.
    pub fn tool(tool_call_id: impl Into<String>, content: impl Into<String>) -> Self {
        let (tool_call_id, content) = (tool_call_id.into(), content.into());
        Message::Tool {
            tool_call_id,
            content,
        }
    }

    /// The text.
    #[must_use]
    pub fn content(&self) -> &str {
        match self {
            Message::System { content }
            | Message::User { content }
            | Message::Assistant { content, .. }
            | Message::Tool { content, .. } => content,
        }
    }
}

/// A call that the model wants made.
///
/// ```
/// use agentltl_agent::ToolCallRequest;
/// let call = ToolCallRequest::new("search", serde_json::json!({"query": "flights"})).with_id("c1");
/// assert_eq!(call.arguments, r#"{"query":"flights"}"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCallRequest {
    /// What the provider calls it; empty where it gave none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model wrote them: meant to be a JSON object.
    pub arguments: String,
}

impl ToolCallRequest {
    /// A call with arguments that are JSON.
    pub fn new(name: impl Into<String>, arguments: impl Into<serde_json::Value>) -> Self {
        ToolCallRequest::raw(name, arguments.into().to_string())
    }

    /// A call with arguments that may be anything.
    pub fn raw(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        ToolCallRequest {
            id: String::new(),
            name: name.into(),
            arguments: arguments.into(),
        }
    }

    /// The call with an id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }
}

fn wire_calls<S: serde::Serializer>(
    calls: &[ToolCallRequest],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Call<'a> {
        id: &'a str,
        r#type: &'static str,
        function: Function<'a>,
    }
    #[derive(Serialize)]
    struct Function<'a> {
        name: &'a str,
        arguments: &'a str,
    }
    serializer.collect_seq(calls.iter().map(|call| Call {
        id: &call.id,
        r#type: "function",
        function: Function {
            name: &call.name,
            arguments: &call.arguments,
        },
    }))
}

/// What a model answered.
///
/// ```
/// use agentltl_agent::{Completion, ToolCallRequest, Usage};
/// let completion = Completion::calls([ToolCallRequest::new("poll", serde_json::json!({}))])
///     .with_usage(Usage::new(120, 15));
/// assert_eq!(completion.usage.total(), 135);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completion {
    /// The text, if there is one.
    pub content: Option<String>,
    /// The calls it wants made; without any, the text is the answer.
    pub tool_calls: Vec<ToolCallRequest>,
    /// What it cost.
    pub usage: Usage,
}

impl Completion {
    /// A text and no calls.
    pub fn answer(content: impl Into<String>) -> Self {
        Completion {
            content: Some(content.into()),
            ..Completion::default()
        }
    }

    /// Calls and no text.
    pub fn calls(calls: impl IntoIterator<Item = ToolCallRequest>) -> Self {
        Completion {
            tool_calls: calls.into_iter().collect(),
            ..Completion::default()
        }
    }

    /// The completion with a text.
    #[must_use]
    pub fn with_content(mut self, content: impl Into<String>) -> Self {
        self.content = Some(content.into());
        self
    }

    /// The completion with what it cost.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }
}

/// Tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Usage {
    /// Read by the model.
    pub input_tokens: u64,
    /// Written by the model.
    pub output_tokens: u64,
}

impl Usage {
    /// Tokens read and written.
    #[must_use]
    pub const fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Usage {
            input_tokens,
            output_tokens,
        }
    }

    /// Both together.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    pub(crate) const fn plus(self, other: Usage) -> Usage {
        Usage {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
        }
    }
    pub(crate) const fn minus(self, earlier: Usage) -> Usage {
        Usage {
            input_tokens: self.input_tokens.saturating_sub(earlier.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(earlier.output_tokens),
        }
    }
}
