//! Runs as OpenAI chat messages.

use serde_json::{Map, Value as Json};

use super::answers::{Answer, Reader};
use super::read::{document, join, read_name};
use super::{Trace, TraceError, TraceProblem};
use crate::call::ToolCall;

impl Trace {
    /// Reads OpenAI chat messages: a list of them, or an object with `messages`.
    ///
    /// The calls are those of the `assistant` messages' `tool_calls`, in order, with their `id`;
    /// their [`generation`](ToolCall::generation) is the index of the message, so parallel calls of one message share
    /// it. No `step` is set: whether parallel calls run one after the other is up to the agent. The
    /// legacy `function_call` is a call without an id. Whatever else an entry of `tool_calls` says
    /// is kept in `extra`, `type` excepted.
    ///
    /// A `tool` message is the result of the call that `tool_call_id` names; it may stand anywhere.
    /// Some providers use an id again: then a result belongs to a call of the assistant message
    /// before it if that has calls with the id, and otherwise to the last such calls without a
    /// result, in order. A result without an id (or a `function` message) belongs to the first call
    /// before it, back to the last message with calls, that has no result and, where the message
    /// has a `name`, that name. A call nobody answered has no known result.
    ///
    /// A result is the message's `content`. Text parts are joined; a text that is a JSON object or
    /// list is read as that, so that `results(T, "field")` and `called_with_result` see its fields;
    /// any other text is a string as it stands: `"12"` is a string, not a number.
    ///
    /// # Errors
    /// Where a message is not one, a call has no name or its arguments are not an object (as
    /// JSON or as text), and where a result belongs to no call or to one that has its result.
    ///
    /// ```
    /// use agentltl::Trace;
    /// use serde_json::json;
    /// let trace = Trace::from_openai(&json!([
    ///     {"role": "user", "content": "weather in Seattle?"},
    ///     {"role": "assistant", "content": null, "tool_calls": [
    ///         {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"SEA\"}"}},
    ///         {"id": "c2", "type": "function", "function": {"name": "time", "arguments": "{}"}}]},
    ///     {"role": "tool", "tool_call_id": "c2", "content": "9:41"},
    ///     {"role": "tool", "tool_call_id": "c1", "content": "{\"sky\": \"rain\"}"},
    /// ]))?;
    /// assert_eq!(trace[0].arguments["city"], "SEA");
    /// assert_eq!(trace[0].result, Some(json!({"sky": "rain"})));
    /// assert_eq!(trace[0].generation, trace[1].generation);
    /// assert_eq!(trace[1].result, Some(json!("9:41")));
    /// # Ok::<(), agentltl::TraceError>(())
    /// ```
    pub fn from_openai(conversation: &Json) -> Result<Self, TraceError> {
        let (messages, path) = messages(conversation)?;
        let mut reader = Reader::default();
        for (index, message) in messages.iter().enumerate() {
            reader.message(message, index, format!("{path}[{index}]"))?;
        }
        reader.join()
    }

    /// Reads OpenAI chat messages as text, see [`Trace::from_openai`].
    ///
    /// # Errors
    /// As [`Trace::from_openai`], and where the text is not JSON.
    pub fn from_openai_text(text: &str) -> Result<Self, TraceError> {
        Trace::from_openai(&document(text)?)
    }
}

impl Reader {
    /// An OpenAI message.
    fn message(&mut self, message: &Json, index: usize, path: String) -> Result<(), TraceError> {
        let Json::Object(fields) = message else {
            return Err(TraceError::unexpected(
                path,
                "a message (an object)",
                message,
            ));
        };
        let role = match fields.get("role") {
            Some(Json::String(role)) => role,
            Some(other) => {
                return Err(TraceError::unexpected(
                    join(&path, "role"),
                    "a string",
                    other,
                ));
            }
            None => {
                return Err(TraceError::new(
                    path,
                    TraceProblem::Missing { key: "`role`" },
                ));
            }
        };
        match role.as_str() {
            "assistant" => self.assistant(fields, index, &path),
            "tool" | "function" => self.tool(fields, path),
            _ => Ok(()),
        }
    }

    fn assistant(
        &mut self,
        message: &Map<String, Json>,
        index: usize,
        path: &str,
    ) -> Result<(), TraceError> {
        let first = self.calls.len();
        match message.get("tool_calls") {
            None | Some(Json::Null) => {}
            Some(Json::Array(calls)) => {
                for (number, call) in calls.iter().enumerate() {
                    let path = format!("{path}.tool_calls[{number}]");
                    self.calls.push(tool_call(call, &path)?);
                }
            }
            Some(other) => {
                let path = join(path, "tool_calls");
                return Err(TraceError::unexpected(path, "a list of calls", other));
            }
        }
        match message.get("function_call") {
            None | Some(Json::Null) => {}
            Some(function) => self
                .calls
                .push(named(function, &join(path, "function_call"))?),
        }
        self.end_block(first, index);
        Ok(())
    }

    fn tool(&mut self, message: &Map<String, Json>, path: String) -> Result<(), TraceError> {
        self.results.push(Answer {
            id_key: "tool_call_id",
            id: text(message, "tool_call_id", &path)?,
            name: text(message, "name", &path)?,
            content: content(message.get("content"), &path)?,
            seen: self.calls.len(),
            block: self.block,
            path,
        });
        Ok(())
    }
}

/// The messages of a conversation, and the path to their list.
pub(super) fn messages(conversation: &Json) -> Result<(&Vec<Json>, &'static str), TraceError> {
    match conversation {
        Json::Array(messages) => Ok((messages, "")),
        Json::Object(fields) => match fields.get("messages") {
            Some(Json::Array(messages)) => Ok((messages, "messages")),
            Some(other) => Err(TraceError::unexpected(
                "messages",
                "a list of messages",
                other,
            )),
            None => Err(TraceError::new(
                "",
                TraceProblem::Missing { key: "`messages`" },
            )),
        },
        other => {
            let expected = "a list of messages, or an object with `messages`";
            Err(TraceError::unexpected("", expected, other))
        }
    }
}

/// An entry of `tool_calls`.
pub(super) fn tool_call(entry: &Json, path: &str) -> Result<ToolCall, TraceError> {
    let Json::Object(fields) = entry else {
        return Err(TraceError::unexpected(path, "a call (an object)", entry));
    };
    let Some(function) = fields.get("function") else {
        return Err(TraceError::new(
            path,
            TraceProblem::Missing { key: "`function`" },
        ));
    };
    let mut call = named(function, &join(path, "function"))?;
    call.id = text(fields, "id", path)?;
    for (key, value) in fields {
        if !matches!(key.as_str(), "function" | "id" | "type") {
            call.extra.insert(key.clone(), value.clone());
        }
    }
    Ok(call)
}

/// A function's name and arguments.
pub(super) fn named(function: &Json, path: &str) -> Result<ToolCall, TraceError> {
    let Json::Object(fields) = function else {
        return Err(TraceError::unexpected(path, "an object", function));
    };
    let Some(name) = fields.get("name") else {
        return Err(TraceError::new(
            path,
            TraceProblem::Missing { key: "`name`" },
        ));
    };
    let name = read_name(name.clone(), || join(path, "name"))?;
    let arguments = arguments(fields.get("arguments"), || join(path, "arguments"))?;
    Ok(ToolCall::new(name).with_arguments(arguments))
}

/// A call's arguments: an object or its text.
pub(super) fn arguments(
    arguments: Option<&Json>,
    at: impl Fn() -> String,
) -> Result<Map<String, Json>, TraceError> {
    match arguments {
        None | Some(Json::Null) => Ok(Map::new()),
        Some(Json::Object(arguments)) => Ok(arguments.clone()),
        // Some models write nothing where they mean no arguments.
        Some(Json::String(text)) if text.trim().is_empty() => Ok(Map::new()),
        Some(Json::String(text)) => match serde_json::from_str(text) {
            Ok(Json::Object(arguments)) => Ok(arguments),
            Ok(other) => Err(TraceError::unexpected(
                at(),
                "the text of an object",
                &other,
            )),
            Err(error) => Err(TraceError::malformed(at(), &error)),
        },
        Some(other) => Err(TraceError::unexpected(at(), "an object or its text", other)),
    }
}

/// An optional string.
pub(super) fn text(
    fields: &Map<String, Json>,
    key: &str,
    path: &str,
) -> Result<Option<String>, TraceError> {
    match fields.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(TraceError::unexpected(join(path, key), "a string", other)),
    }
}

/// What a tool message says.
pub(super) fn content(content: Option<&Json>, path: &str) -> Result<Json, TraceError> {
    let text = match content {
        None => {
            return Err(TraceError::new(
                path,
                TraceProblem::Missing { key: "`content`" },
            ));
        }
        Some(Json::String(text)) => text.clone(),
        Some(Json::Array(parts)) => {
            let texts: Option<Vec<&str>> = parts
                .iter()
                .map(|part| part.get("text").and_then(Json::as_str))
                .collect();
            match texts {
                Some(texts) => texts.concat(),
                // Pictures and the like have no text; they are the result as they stand.
                None => return Ok(Json::Array(parts.clone())),
            }
        }
        Some(other) => return Ok(other.clone()),
    };
    if text.trim_start().starts_with(['{', '['])
        && let Ok(json) = serde_json::from_str(&text)
    {
        return Ok(json);
    }
    Ok(Json::String(text))
}
