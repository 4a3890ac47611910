//! OpenAI's JSON.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json};

use crate::chat::{ChatRequest, Completion, Message, ToolCallRequest, Usage};
use crate::chat_error::ChatError;
use crate::tool::ToolDefinition;

#[derive(Serialize)]
struct Request<'a> {
    #[serde(flatten)]
    fields: &'a Map<String, Json>,
    messages: &'a [Message],
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<WireTool<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
}

#[derive(Serialize)]
struct WireTool<'a> {
    r#type: &'static str,
    function: &'a ToolDefinition,
}

pub(super) fn request(
    fields: &Map<String, Json>,
    request: ChatRequest<'_>,
) -> Result<Vec<u8>, serde_json::Error> {
    let tools = request.tools.iter().map(|function| WireTool {
        r#type: "function",
        function,
    });
    let any = !request.tools.is_empty();
    let choice_given = fields.contains_key("tool_choice");
    serde_json::to_vec(&Request {
        fields,
        messages: request.messages,
        tools: any.then(|| tools.collect()),
        tool_choice: (any && !choice_given).then_some("auto"),
    })
}

#[derive(Deserialize)]
struct Response {
    #[serde(default, deserialize_with = "or_default")]
    choices: Vec<Choice>,
    #[serde(default, deserialize_with = "or_default")]
    usage: WireUsage,
    #[serde(default)]
    error: Option<Json>,
}

#[derive(Deserialize)]
struct Choice {
    message: WireMessage,
}

#[derive(Deserialize)]
struct WireMessage {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    tool_calls: Vec<WireCall>,
}

/// Some endpoints answer in parts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize)]
struct WireCall {
    #[serde(default)]
    id: Option<String>,
    function: WireFunction,
}

#[derive(Deserialize)]
struct WireFunction {
    name: String,
    #[serde(default)]
    arguments: Json,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireUsage {
    #[serde(deserialize_with = "or_default")]
    prompt_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    completion_tokens: u64,
}

/// `null` counts as absent.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

pub(super) fn response(bytes: &[u8]) -> Result<Completion, ChatError> {
    let invalid = |message: String| ChatError::InvalidResponse {
        message,
        excerpt: excerpt(bytes),
    };
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let response: Response = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let (path, cause) = (error.path().to_string(), error.into_inner());
        // At the outermost level the path says nothing.
        invalid(match path.as_str() {
            "." => cause.to_string(),
            path => format!("{path}: {cause}"),
        })
    })?;
    json.end().map_err(|error| invalid(error.to_string()))?;
    let Some(choice) = response.choices.into_iter().next() else {
        return Err(invalid(match response.error {
            Some(error) => format!("the endpoint reports an error: {}", in_words(&error)),
            None => "choices: there is none".to_owned(),
        }));
    };
    let message = choice.message;
    let content = match message.content {
        Some(Content::Text(text)) => Some(text),
        Some(Content::Parts(parts)) => {
            Some(parts.into_iter().filter_map(|part| part.text).collect())
        }
        None => None,
    };
    let tool_calls = message.tool_calls.into_iter().map(|call| ToolCallRequest {
        id: call.id.unwrap_or_default(),
        name: call.function.name,
        arguments: match call.function.arguments {
            Json::String(text) => text,
            Json::Null => String::new(),
            json => json.to_string(),
        },
    });
    Ok(Completion {
        content: content.or(message.refusal),
        tool_calls: tool_calls.collect(),
        usage: Usage::new(
            response.usage.prompt_tokens,
            response.usage.completion_tokens,
        ),
    })
}

/// What an endpoint says with an error status, in short.
pub(super) fn error_message(bytes: &[u8]) -> String {
    serde_json::from_slice::<Json>(bytes)
        .ok()
        .and_then(|json| json.get("error").map(in_words))
        .unwrap_or_else(|| excerpt(bytes))
}

fn in_words(error: &Json) -> String {
    let text = error.get("message").unwrap_or(error);
    match text.as_str() {
        Some(text) => excerpt(text.as_bytes()),
        None => excerpt(text.to_string().as_bytes()),
    }
}

fn excerpt(bytes: &[u8]) -> String {
    const LIMIT: usize = 300;
    // More than the characters shown can take.
    let bytes = &bytes[..bytes.len().min(4 * LIMIT)];
    String::from_utf8_lossy(bytes).chars().take(LIMIT).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(json: Json) -> Result<Completion, ChatError> {
        response(json.to_string().as_bytes())
    }

    #[test]
    fn what_endpoints_leave_out_or_write_otherwise_is_read() {
        let completion = read(json!({
            "choices": [{"message": {
                "content": null,
                "tool_calls": [
                    {"function": {"name": "a", "arguments": {"k": 1}}},
                    {"id": null, "function": {"name": "b"}},
                    {"id": "x", "function": {"name": "c", "arguments": "{"}},
                ]}}],
            "usage": null,
        }))
        .unwrap();
        let calls: Vec<_> = completion
            .tool_calls
            .iter()
            .map(|call| (&*call.id, &*call.name, &*call.arguments))
            .collect();
        assert_eq!(
            calls,
            [("", "a", r#"{"k":1}"#), ("", "b", ""), ("x", "c", "{")]
        );
        assert_eq!(completion.content, None);

        let parts = json!({"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}], "tool_calls": null}}]});
        assert_eq!(read(parts).unwrap().content.as_deref(), Some("ab"));
        let refusal = json!({"choices": [{"message": {"content": null, "refusal": "no"}}]});
        assert_eq!(read(refusal).unwrap().content.as_deref(), Some("no"));
    }

    #[test]
    fn errors_name_the_place() {
        for (json, place) in [
            (
                json!({"choices": [{"message": {"tool_calls": [{"id": 1}]}}]}),
                "choices[0].message.tool_calls[0].id: ",
            ),
            (json!({"choices": []}), "choices: there is none"),
            (
                json!({"error": {"message": "quota", "code": 1}}),
                "reports an error: quota",
            ),
            (json!([]), "choices: there is none"),
        ] {
            let error = read(json).unwrap_err().to_string();
            assert!(error.contains(place), "{error}");
        }
        let error = response(b"{\"choices\": [] } x").unwrap_err().to_string();
        assert!(error.contains("trailing characters"), "{error}");
    }
}
