//! Runs as SWE-agent trajectories.

use serde_json::{Value as Json, json};

use super::openai::text;
use super::read::{document, join};
use super::{Trace, TraceError, TraceProblem};
use crate::call::ToolCall;

impl Trace {
    /// Reads a SWE-agent trajectory: the content of a `.traj` file, an object with `trajectory`.
    ///
    /// Each entry with an `action` is a call: the tool is the first word of the action, such as
    /// `ls`, `edit` or `str_replace_editor`; the argument `command` is the action as a whole,
    /// without blanks around it; the result is the `observation`. An empty action, which SWE-agent
    /// writes where the model's answer could not be read, is no call.
    ///
    /// # Errors
    /// Where the list is missing, and where an entry is not one or its action is not a string.
    ///
    /// ```
    /// use agentltl::Trace;
    /// use serde_json::json;
    /// let trace = Trace::from_swe_agent(&json!({"trajectory": [
    ///     {"action": "ls -F\n", "observation": "README.md", "thought": "Look around."},
    /// ]}))?;
    /// assert_eq!(trace[0].tool_name, "ls");
    /// assert_eq!(trace[0].arguments["command"], "ls -F");
    /// # Ok::<(), agentltl::TraceError>(())
    /// ```
    pub fn from_swe_agent(trajectory: &Json) -> Result<Self, TraceError> {
        let Json::Object(fields) = trajectory else {
            let expected = "an object with `trajectory`";
            return Err(TraceError::unexpected("", expected, trajectory));
        };
        let entries = match fields.get("trajectory") {
            Some(Json::Array(entries)) => entries,
            Some(other) => {
                return Err(TraceError::unexpected(
                    "trajectory",
                    "a list of steps",
                    other,
                ));
            }
            None => {
                let key = "`trajectory`";
                return Err(TraceError::new("", TraceProblem::Missing { key }));
            }
        };
        let mut trace = Trace::new();
        for (index, entry) in entries.iter().enumerate() {
            let path = format!("trajectory[{index}]");
            let Json::Object(entry) = entry else {
                return Err(TraceError::unexpected(path, "a step (an object)", entry));
            };
            let action = match text(entry, "action", &path)? {
                Some(action) => action,
                None if entry.contains_key("action") => continue,
                None => {
                    let key = "`action`";
                    return Err(TraceError::new(path, TraceProblem::Missing { key }));
                }
            };
            let action = action.trim();
            let Some(tool) = action.split_whitespace().next() else {
                continue;
            };
            let mut call = ToolCall::new(tool).with_argument("command", action);
            call.generation = Some((index as i64).into());
            call.result = entry.get("observation").cloned();
            if let Some(seconds) = entry.get("execution_time") {
                if !seconds.is_number() && !seconds.is_null() {
                    let path = join(&path, "execution_time");
                    return Err(TraceError::unexpected(path, "a number", seconds));
                }
                call.extra
                    .insert("execution_time".to_owned(), json!(seconds));
            }
            trace.push(call);
        }
        Ok(trace)
    }

    /// Reads a SWE-agent trajectory as text, see [`Trace::from_swe_agent`].
    ///
    /// # Errors
    /// As [`Trace::from_swe_agent`], and where the text is not JSON.
    pub fn from_swe_agent_text(text: &str) -> Result<Self, TraceError> {
        Trace::from_swe_agent(&document(text)?)
    }
}
