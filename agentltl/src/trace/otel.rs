//! Runs as OpenTelemetry spans, by the conventions for generative AI.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use super::format::RecordedRun;
use super::openai::{arguments, content};
use super::read::{document, join, read_name};
use super::{Trace, TraceError, TraceProblem};
use crate::call::ToolCall;

impl Trace {
    /// Reads the runs among OpenTelemetry spans: OTLP in JSON (an object with `resourceSpans`, or a
    /// list of them), or spans as the console exporters write them (one, or a list).
    ///
    /// The calls are the spans whose `gen_ai.operation.name` is `execute_tool`, in the order they
    /// started, with `gen_ai.tool.name`, `gen_ai.tool.call.id`, `gen_ai.tool.call.arguments` (an
    /// object, or its text) and `gen_ai.tool.call.result` (read as [`Trace::from_openai`] reads a
    /// `tool` message's content). Instrumentations record the last two only where they are told to.
    /// The `error.type` of a call that failed is kept in `extra`.
    ///
    /// Spans belong to the same run if they have the same `gen_ai.conversation.id` or are in one
    /// trace; the runs are in the order of their first spans, and a run without calls counts.
    ///
    /// # Errors
    /// Where a span has no trace or no start, and where a call has no name or its arguments are not
    /// an object.
    ///
    /// ```
    /// use agentltl::Trace;
    /// use serde_json::json;
    /// let runs = Trace::runs_from_otel(&json!({"resourceSpans": [{"scopeSpans": [{"spans": [{
    ///     "traceId": "4bf92f", "name": "execute_tool weather", "startTimeUnixNano": "1700000000",
    ///     "attributes": [
    ///         {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
    ///         {"key": "gen_ai.tool.name", "value": {"stringValue": "weather"}},
    ///         {"key": "gen_ai.tool.call.arguments", "value": {"stringValue": "{\"city\": \"SEA\"}"}},
    ///     ]}]}]}]}))?;
    /// assert_eq!(runs[0].id.as_deref(), Some("4bf92f"));
    /// assert_eq!(runs[0].trace[0].arguments["city"], "SEA");
    /// # Ok::<(), agentltl::TraceError>(())
    /// ```
    pub fn runs_from_otel(spans: &Json) -> Result<Vec<RecordedRun>, TraceError> {
        let mut found = Vec::new();
        collect(spans, String::new(), &mut found)?;
        runs(found)
    }

    /// Reads the runs among OpenTelemetry spans as text, see [`Trace::runs_from_otel`].
    ///
    /// # Errors
    /// As [`Trace::runs_from_otel`], and where the text is not JSON.
    pub fn runs_from_otel_text(text: &str) -> Result<Vec<RecordedRun>, TraceError> {
        Trace::runs_from_otel(&document(text)?)
    }
}

/// Is it a span, or an object of spans?
pub(super) fn is_spans(json: &Json) -> bool {
    json.get("resourceSpans").is_some()
        || json.get("resource_spans").is_some()
        || json.get("attributes").is_some()
            && (json.get("traceId").is_some() || json.get("context").is_some())
}

struct Span {
    trace: String,
    conversation: Option<String>,
    start: Start,
    call: Option<ToolCall>,
}

/// When a span started: nanoseconds, or a date as text, which sorts as it is within one exporter.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Start {
    Nanos(u128),
    Date(String),
}

/// Finds the spans in a value. The levels of OTLP are few and fixed, so this is no deep recursion.
fn collect(json: &Json, path: String, found: &mut Vec<Span>) -> Result<(), TraceError> {
    let (list, path) = match json {
        Json::Array(list) => (list, path),
        Json::Object(fields) => {
            let levels = [
                "resourceSpans",
                "resource_spans",
                "scopeSpans",
                "scope_spans",
                "spans",
            ];
            match levels
                .into_iter()
                .find_map(|key| Some((key, fields.get(key)?)))
            {
                Some((key, Json::Array(list))) => (list, join(&path, key)),
                Some((key, other)) => {
                    let path = join(&path, key);
                    return Err(TraceError::unexpected(path, "a list", other));
                }
                // A resource or scope may have no spans.
                None if fields.contains_key("resource") && !is_spans(json)
                    || fields.contains_key("scope") =>
                {
                    return Ok(());
                }
                None => {
                    found.push(span(fields, &path)?);
                    return Ok(());
                }
            }
        }
        other => return Err(TraceError::unexpected(path, "spans (an object)", other)),
    };
    for (index, entry) in list.iter().enumerate() {
        let path = format!("{path}[{index}]");
        if entry.is_array() {
            return Err(TraceError::unexpected(path, "spans (an object)", entry));
        }
        collect(entry, path, found)?;
    }
    Ok(())
}

fn span(fields: &Map<String, Json>, path: &str) -> Result<Span, TraceError> {
    let attributes = attributes(fields, path)?;
    let context = fields.get("context");
    let missing = |key| TraceError::new(path, TraceProblem::Missing { key });
    let trace = fields
        .get("traceId")
        .or_else(|| fields.get("trace_id"))
        .or_else(|| context?.get("trace_id").or_else(|| context?.get("traceId")))
        .and_then(Json::as_str)
        .ok_or_else(|| missing("`traceId`"))?;
    let start = ["startTimeUnixNano", "start_time_unix_nano", "start_time"]
        .into_iter()
        .find_map(|key| fields.get(key))
        .and_then(|start| match start {
            Json::String(text) => Some(
                text.parse()
                    .map_or_else(|_| Start::Date(text.clone()), Start::Nanos),
            ),
            other => other.as_u64().map(|nanos| Start::Nanos(nanos.into())),
        })
        .ok_or_else(|| missing("`startTimeUnixNano`"))?;
    Ok(Span {
        trace: trace.to_owned(),
        conversation: attributes
            .get("gen_ai.conversation.id")
            .and_then(Json::as_str)
            .map(str::to_owned),
        start,
        call: call(fields, &attributes, path)?,
    })
}

fn call(
    span: &Map<String, Json>,
    attributes: &Map<String, Json>,
    path: &str,
) -> Result<Option<ToolCall>, TraceError> {
    let operation = attributes
        .get("gen_ai.operation.name")
        .and_then(Json::as_str);
    let is_call = match operation {
        Some(operation) => operation == "execute_tool",
        None => attributes.contains_key("gen_ai.tool.name"),
    };
    if !is_call {
        return Ok(None);
    }
    let at = |key: &str| join(&join(path, "attributes"), key);
    let in_span_name = || {
        let name = span.get("name")?.as_str()?.strip_prefix("execute_tool ")?;
        Some(Json::String(name.to_owned()))
    };
    let key = "`gen_ai.tool.name`";
    let name = attributes
        .get("gen_ai.tool.name")
        .cloned()
        .or_else(in_span_name)
        .ok_or_else(|| TraceError::new(path, TraceProblem::Missing { key }))?;
    let mut call = ToolCall::new(read_name(name, || at("gen_ai.tool.name"))?);
    let key = "gen_ai.tool.call.arguments";
    call.arguments = arguments(attributes.get(key), || at(key))?;
    let key = "gen_ai.tool.call.result";
    if let Some(result) = attributes.get(key) {
        call.result = Some(content(Some(result), &at(key))?);
    }
    call.id = attributes
        .get("gen_ai.tool.call.id")
        .and_then(Json::as_str)
        .map(str::to_owned);
    if let Some(error) = attributes.get("error.type") {
        call.extra.insert("error.type".to_owned(), error.clone());
    }
    Ok(Some(call))
}

/// The attributes as an object: OTLP lists them, with each value in a box that tells its type.
fn attributes(fields: &Map<String, Json>, path: &str) -> Result<Map<String, Json>, TraceError> {
    match fields.get("attributes") {
        None | Some(Json::Null) => Ok(Map::new()),
        Some(Json::Object(attributes)) => Ok(attributes.clone()),
        Some(Json::Array(list)) => list
            .iter()
            .enumerate()
            .map(|(index, entry)| {
                let key = entry.get("key").and_then(Json::as_str).ok_or_else(|| {
                    let path = format!("{}[{index}]", join(path, "attributes"));
                    TraceError::unexpected(path, "a key and a value", entry)
                })?;
                let value = value(entry.get("value").unwrap_or(&Json::Null), 0);
                Ok((key.to_owned(), value))
            })
            .collect(),
        Some(other) => Err(TraceError::unexpected(
            join(path, "attributes"),
            "a list or an object",
            other,
        )),
    }
}

/// What an OTLP value holds. One that nests deeper than anyone writes stays as it is.
fn value(boxed: &Json, depth: usize) -> Json {
    let Json::Object(fields) = boxed else {
        return boxed.clone();
    };
    let Some((kind, inner)) = fields.iter().next().filter(|_| depth < 64) else {
        return Json::Null;
    };
    match (kind.as_str(), inner) {
        // 64-bit integers are strings in OTLP's JSON.
        ("intValue" | "int_value", Json::String(text)) => text
            .parse::<i64>()
            .map_or_else(|_| inner.clone(), Json::from),
        ("arrayValue" | "array_value", _) => inner
            .get("values")
            .and_then(Json::as_array)
            .map(|values| values.iter().map(|entry| value(entry, depth + 1)).collect())
            .unwrap_or_else(|| Json::Array(Vec::new())),
        ("kvlistValue" | "kvlist_value", _) => inner
            .get("values")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let key = entry.get("key")?.as_str()?.to_owned();
                Some((key, value(entry.get("value")?, depth + 1)))
            })
            .collect::<Map<_, _>>()
            .into(),
        _ => inner.clone(),
    }
}

fn runs(mut spans: Vec<Span>) -> Result<Vec<RecordedRun>, TraceError> {
    // A conversation is often named on the agent's span alone, and it may last several traces.
    let mut conversations: HashMap<String, String> = HashMap::new();
    for span in &spans {
        if let Some(conversation) = &span.conversation {
            conversations
                .entry(span.trace.clone())
                .or_insert_with(|| conversation.clone());
        }
    }
    spans.sort_by(|a, b| a.start.cmp(&b.start));
    let mut runs: Vec<RecordedRun> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for span in spans {
        let id = span
            .conversation
            .or_else(|| conversations.get(&span.trace).cloned())
            .unwrap_or(span.trace);
        let place = *places.entry(id.clone()).or_insert_with(|| {
            runs.push(RecordedRun {
                id: Some(id),
                trace: Trace::new(),
            });
            runs.len() - 1
        });
        runs[place].trace.extend(span.call);
    }
    Ok(runs)
}
