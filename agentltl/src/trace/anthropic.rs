//! Runs as Anthropic messages.

use serde_json::{Map, Value as Json};

use super::answers::{Answer, Reader};
use super::openai::{content, messages, text};
use super::read::{document, join, read_name};
use super::{Trace, TraceError, TraceProblem};
use crate::call::ToolCall;

/// Blocks that propose a call.
const CALLS: [&str; 3] = ["tool_use", "server_tool_use", "mcp_tool_use"];

impl Trace {
    /// Reads Anthropic messages: a list of them, or an object with `messages`.
    ///
    /// The calls are the `tool_use` blocks (and `server_tool_use`, `mcp_tool_use`) of the messages'
    /// `content`, in order, with their `id`; calls of one message share its index as
    /// [`generation`](ToolCall::generation). A block with a `tool_use_id`, such as `tool_result`, is
    /// the result of that call: its `content`, read as [`Trace::from_openai`] reads a `tool`
    /// message's, and absent content is `""`. What else a `tool_use` block says is kept in
    /// `extra`, and so is the result's `is_error` where it is true.
    ///
    /// # Errors
    /// Where a message or block is not one, a call has no name or its `input` is not an object, and
    /// where a result belongs to no call or to one that has its result.
    ///
    /// ```
    /// use agentltl::Trace;
    /// use serde_json::json;
    /// let trace = Trace::from_anthropic(&json!([
    ///     {"role": "user", "content": "weather in Seattle?"},
    ///     {"role": "assistant", "content": [
    ///         {"type": "text", "text": "I will look."},
    ///         {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "SEA"}}]},
    ///     {"role": "user", "content": [
    ///         {"type": "tool_result", "tool_use_id": "t1", "content": "rain"}]},
    /// ]))?;
    /// assert_eq!(trace[0].arguments["city"], "SEA");
    /// assert_eq!(trace[0].result, Some(json!("rain")));
    /// # Ok::<(), agentltl::TraceError>(())
    /// ```
    pub fn from_anthropic(conversation: &Json) -> Result<Self, TraceError> {
        let (messages, path) = messages(conversation)?;
        let mut reader = Reader::default();
        for (index, message) in messages.iter().enumerate() {
            let path = format!("{path}[{index}]");
            let Json::Object(fields) = message else {
                let expected = "a message (an object)";
                return Err(TraceError::unexpected(path, expected, message));
            };
            if text(fields, "role", &path)?.is_none() {
                return Err(TraceError::new(
                    path,
                    TraceProblem::Missing { key: "`role`" },
                ));
            }
            let at = join(&path, "content");
            match fields.get("content") {
                Some(Json::Array(blocks)) => blocks_of(&mut reader, blocks, &at, index)?,
                Some(Json::String(_) | Json::Null) | None => {}
                Some(other) => {
                    return Err(TraceError::unexpected(
                        at,
                        "a string or a list of blocks",
                        other,
                    ));
                }
            }
        }
        reader.join()
    }

    /// Reads Anthropic messages as text, see [`Trace::from_anthropic`].
    ///
    /// # Errors
    /// As [`Trace::from_anthropic`], and where the text is not JSON.
    pub fn from_anthropic_text(text: &str) -> Result<Self, TraceError> {
        Trace::from_anthropic(&document(text)?)
    }
}

/// Is the block of a kind that only Anthropic messages have?
pub(super) fn is_block(block: &Json) -> bool {
    let kind = block.get("type").and_then(Json::as_str).unwrap_or_default();
    CALLS.contains(&kind) || block.get("tool_use_id").is_some()
}

fn blocks_of(
    reader: &mut Reader,
    blocks: &[Json],
    path: &str,
    index: usize,
) -> Result<(), TraceError> {
    let first = reader.calls.len();
    for (number, block) in blocks.iter().enumerate() {
        let path = format!("{path}[{number}]");
        let Json::Object(fields) = block else {
            return Err(TraceError::unexpected(path, "a block (an object)", block));
        };
        let kind = text(fields, "type", &path)?.unwrap_or_default();
        if CALLS.contains(&kind.as_str()) {
            reader.calls.push(tool_use(fields, &path)?);
        } else if let Some(id) = text(fields, "tool_use_id", &path)? {
            if fields.get("is_error") == Some(&Json::Bool(true))
                && let Some(call) = reader
                    .calls
                    .iter_mut()
                    .rev()
                    .find(|call| call.id.as_ref() == Some(&id))
            {
                call.extra.insert("is_error".to_owned(), Json::Bool(true));
            }
            let nothing = Json::String(String::new());
            reader.results.push(Answer {
                content: content(Some(fields.get("content").unwrap_or(&nothing)), &path)?,
                id: Some(id),
                id_key: "tool_use_id",
                name: None,
                seen: reader.calls.len(),
                block: reader.block,
                path,
            });
        }
    }
    reader.end_block(first, index);
    Ok(())
}

fn tool_use(fields: &Map<String, Json>, path: &str) -> Result<ToolCall, TraceError> {
    let Some(name) = fields.get("name") else {
        return Err(TraceError::new(
            path,
            TraceProblem::Missing { key: "`name`" },
        ));
    };
    let mut call = ToolCall::new(read_name(name.clone(), || join(path, "name"))?);
    call.arguments = match fields.get("input") {
        Some(Json::Object(input)) => input.clone(),
        None | Some(Json::Null) => Map::new(),
        Some(other) => {
            return Err(TraceError::unexpected(
                join(path, "input"),
                "an object",
                other,
            ));
        }
    };
    call.id = text(fields, "id", path)?;
    for (key, value) in fields {
        if !matches!(key.as_str(), "type" | "id" | "name" | "input") {
            call.extra.insert(key.clone(), value.clone());
        }
    }
    Ok(call)
}
