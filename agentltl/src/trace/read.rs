//! Calls and runs in the reference library's JSON.

use serde_json::{Map, Value as Json};

use super::{Trace, TraceError, TraceProblem};
use crate::call::{Generation, ToolCall};

impl Trace {
    /// Reads the reference library's metrics: an object whose `tool_calls` lists the calls, each
    /// with its `tool_name` (or `name`), `arguments` (or `tool_args`; `null` for none) and `result`
    /// (or `tool_result`). A `result` that is absent is not known yet; `null` is a result.
    ///
    /// # Errors
    /// Where the list or a tool's name is missing or empty, where something has the wrong type, and
    /// where both spellings of a key are there with different values.
    pub fn from_metrics(metrics: &Json) -> Result<Self, TraceError> {
        let Json::Object(fields) = metrics else {
            return Err(TraceError::unexpected(
                "",
                "an object with `tool_calls`",
                metrics,
            ));
        };
        match fields.get("tool_calls") {
            Some(Json::Array(calls)) => Trace::from_calls(calls.iter().cloned(), "tool_calls"),
            Some(other) => Err(TraceError::unexpected(
                "tool_calls",
                "a list of calls",
                other,
            )),
            None => Err(TraceError::new(
                "",
                TraceProblem::Missing {
                    key: "`tool_calls`",
                },
            )),
        }
    }

    /// Reads metrics as text, see [`Trace::from_metrics`].
    ///
    /// # Errors
    /// As [`Trace::from_metrics`], and where the text is not JSON.
    pub fn from_metrics_text(text: &str) -> Result<Self, TraceError> {
        Trace::from_metrics(&document(text)?)
    }

    /// Reads a call a line, as in [`Trace::from_metrics`]; empty lines count only as lines.
    ///
    /// # Errors
    /// As [`Trace::from_metrics`], with the line.
    ///
    /// ```
    /// let error = agentltl::Trace::from_jsonl("{\"tool_name\": \"a\"}\n{\"tool_name\": 7}").unwrap_err();
    /// assert_eq!(error.to_string(), "line 2: tool_name: expected a string, found a number");
    /// ```
    pub fn from_jsonl(text: &str) -> Result<Self, TraceError> {
        let mut trace = Trace::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let call = serde_json::from_str(line)
                .map_err(|error| TraceError::malformed("", &error))
                .and_then(|json| read_call(json, String::new))
                .map_err(|error| error.on_line(number))?;
            trace.push(call);
        }
        Ok(trace)
    }

    /// The calls of a list that stands at `path`.
    pub(super) fn from_calls(
        calls: impl IntoIterator<Item = Json>,
        path: &str,
    ) -> Result<Self, TraceError> {
        calls
            .into_iter()
            .enumerate()
            .map(|(index, call)| read_call(call, || format!("{path}[{index}]")))
            .collect()
    }
}

/// A text that is one JSON value.
pub(super) fn document(text: &str) -> Result<Json, TraceError> {
    serde_json::from_str(text)
        .map_err(|error| TraceError::malformed("", &error).on_line(error.line()))
}

/// A call that stands at a path; the path is made only where something is wrong.
pub(crate) fn read_call(
    json: Json,
    path: impl Fn() -> String + Copy,
) -> Result<ToolCall, TraceError> {
    let Json::Object(mut fields) = json else {
        return Err(TraceError::unexpected(path(), "a call (an object)", &json));
    };
    let at = |key: &str| join(&path(), key);

    let tool_name = match either(&mut fields, ["tool_name", "name"], at)? {
        None => {
            let key = "`tool_name` (or `name`)";
            return Err(TraceError::new(path(), TraceProblem::Missing { key }));
        }
        Some((key, name)) => read_name(name, || at(key))?,
    };
    // `null` and `{}` both say that there are none, so they do not contradict each other.
    for key in ["arguments", "tool_args"] {
        if let Some(arguments) = fields.get_mut(key)
            && arguments.is_null()
        {
            *arguments = Json::Object(Map::new());
        }
    }
    let arguments = match either(&mut fields, ["arguments", "tool_args"], at)? {
        None => Map::new(),
        Some((_, Json::Object(arguments))) => arguments,
        Some((key, other)) => return Err(TraceError::unexpected(at(key), "an object", &other)),
    };
    let result = either(&mut fields, ["result", "tool_result"], at)?.map(|(_, result)| result);
    // Steps decide verdicts, so a step that is none is an error. The other fields decide none: what
    // they cannot hold stays in `extra`, as it was.
    let step = match fields.get("step") {
        None | Some(Json::Null) => None,
        Some(step) => Some(
            step.as_i64()
                .ok_or_else(|| TraceError::unexpected(at("step"), "a whole number", step))?,
        ),
    };
    if step.is_some() {
        fields.remove("step");
    }
    let generation = take(&mut fields, "generation", |json| match json {
        Json::String(text) => Some(Generation::Text(text.clone())),
        other => other.as_i64().map(Generation::Number),
    });
    let status = take(&mut fields, "status", Json::as_i64);
    let id = take(&mut fields, "id", |json| json.as_str().map(str::to_owned));
    Ok(ToolCall {
        tool_name,
        arguments,
        result,
        step,
        generation,
        status,
        id,
        extra: fields,
    })
}

/// A tool's name: any string that is not empty.
pub(super) fn read_name(json: Json, path: impl Fn() -> String) -> Result<String, TraceError> {
    match json {
        Json::String(name) if name.is_empty() => {
            Err(TraceError::new(path(), TraceProblem::EmptyName))
        }
        Json::String(name) => Ok(name),
        other => Err(TraceError::unexpected(path(), "a string", &other)),
    }
}

pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// Takes the value under one of two keys that mean the same. Where both are there and agree, the
/// second stays, so that nothing is lost.
fn either(
    fields: &mut Map<String, Json>,
    [first, second]: [&'static str; 2],
    at: impl Fn(&str) -> String,
) -> Result<Option<(&'static str, Json)>, TraceError> {
    match (fields.remove(first), fields.get(second)) {
        (Some(value), Some(other)) if *other != value => Err(TraceError::new(
            at(second),
            TraceProblem::Contradiction { other: first },
        )),
        (Some(value), _) => Ok(Some((first, value))),
        (None, _) => Ok(fields.remove(second).map(|value| (second, value))),
    }
}

/// Takes the value under a key if the field can hold it.
fn take<T>(
    fields: &mut Map<String, Json>,
    key: &str,
    hold: impl Fn(&Json) -> Option<T>,
) -> Option<T> {
    let value = hold(fields.get(key)?)?;
    fields.remove(key);
    Some(value)
}
