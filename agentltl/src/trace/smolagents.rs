//! Runs as the memory of a smolagents agent.

use serde_json::{Map, Value as Json};

use super::openai::tool_call;
use super::read::{document, join};
use super::{Trace, TraceError, TraceProblem};

impl Trace {
    /// Reads the steps of a smolagents agent: what `agent.memory.get_full_steps()` or
    /// `get_succinct_steps()` returns, or an object with them as `steps`, such as a `RunResult`.
    ///
    /// The calls are the `tool_calls` of the action steps, each with the step's number as
    /// [`step`](crate::ToolCall::step) and [`generation`](crate::ToolCall::generation): smolagents
    /// runs the calls of a step side by side. A step's `observations` are the result of its call
    /// where it has exactly one; of several calls they do not tell which said what, so there no
    /// result is known. The `code` of a code agent, which is no object, is the argument `code`. A
    /// step's `error` is kept in its calls' `extra`.
    ///
    /// # Errors
    /// Where a step is not one, or a call has no name or its arguments are not an object.
    ///
    /// ```
    /// use agentltl::Trace;
    /// use serde_json::json;
    /// let trace = Trace::from_smolagents(&json!([
    ///     {"task": "weather in Seattle?"},
    ///     {"step_number": 1, "observations": "rain", "tool_calls": [
    ///         {"id": "c1", "type": "function",
    ///          "function": {"name": "weather", "arguments": {"city": "SEA"}}}]},
    /// ]))?;
    /// assert_eq!((trace[0].step, &trace[0].result), (Some(1), &Some(json!("rain"))));
    /// # Ok::<(), agentltl::TraceError>(())
    /// ```
    pub fn from_smolagents(memory: &Json) -> Result<Self, TraceError> {
        let (steps, path) = match memory {
            Json::Array(steps) => (steps, ""),
            Json::Object(fields) => match ["steps", "messages"]
                .into_iter()
                .find_map(|key| Some((fields.get(key)?, key)))
            {
                Some((Json::Array(steps), key)) => (steps, key),
                Some((other, key)) => {
                    return Err(TraceError::unexpected(key, "a list of steps", other));
                }
                None => {
                    let key = "`steps`";
                    return Err(TraceError::new("", TraceProblem::Missing { key }));
                }
            },
            other => {
                let expected = "a list of steps, or an object with `steps`";
                return Err(TraceError::unexpected("", expected, other));
            }
        };
        let mut trace = Trace::new();
        for (index, step) in steps.iter().enumerate() {
            step_of(&mut trace, step, &format!("{path}[{index}]"))?;
        }
        Ok(trace)
    }

    /// Reads the steps of a smolagents agent as text, see [`Trace::from_smolagents`].
    ///
    /// # Errors
    /// As [`Trace::from_smolagents`], and where the text is not JSON.
    pub fn from_smolagents_text(text: &str) -> Result<Self, TraceError> {
        Trace::from_smolagents(&document(text)?)
    }
}

fn step_of(trace: &mut Trace, step: &Json, path: &str) -> Result<(), TraceError> {
    let Json::Object(fields) = step else {
        return Err(TraceError::unexpected(path, "a step (an object)", step));
    };
    let calls = match fields.get("tool_calls") {
        None | Some(Json::Null) => return Ok(()),
        Some(Json::Array(calls)) => calls,
        Some(other) => {
            let path = join(path, "tool_calls");
            return Err(TraceError::unexpected(path, "a list of calls", other));
        }
    };
    let number = match fields.get("step_number") {
        None | Some(Json::Null) => None,
        Some(number) => Some(number.as_i64().ok_or_else(|| {
            TraceError::unexpected(join(path, "step_number"), "a whole number", number)
        })?),
    };
    for (index, entry) in calls.iter().enumerate() {
        let path = format!("{path}.tool_calls[{index}]");
        let mut call = tool_call(&with_code(entry), &path)?;
        call.step = number;
        call.generation = number.map(Into::into);
        if calls.len() == 1 {
            call.result = fields
                .get("observations")
                .filter(|text| !text.is_null())
                .cloned();
        }
        if let Some(error) = fields.get("error").filter(|error| !error.is_null()) {
            call.extra.insert("error".to_owned(), error.clone());
        }
        trace.push(call);
    }
    Ok(())
}

/// The call with a code agent's code as an argument.
fn with_code(entry: &Json) -> Json {
    let mut entry = entry.clone();
    if let Some(function) = entry.get_mut("function")
        && function.get("name").and_then(Json::as_str) == Some("python_interpreter")
        && let Some(arguments) = function.get_mut("arguments")
        && let Json::String(code) = arguments
    {
        *arguments = Json::Object(Map::from_iter([(
            "code".to_owned(),
            Json::String(std::mem::take(code)),
        )]));
    }
    entry
}
