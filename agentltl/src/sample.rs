//! The runs that an analysis shows, as calls.

use agentltl_core::analysis::{SampleCall, SampleRun};
use serde_json::Value as Json;

use crate::call::ToolCall;
use crate::matching::value_to_json;
use crate::trace::Trace;

/// The call, with the arguments that matter.
impl From<&SampleCall> for ToolCall {
    fn from(sample: &SampleCall) -> Self {
        // There are no variables in it, which alone have no JSON.
        let json = |value| value_to_json(value).unwrap_or(Json::Null);
        let mut call = ToolCall::new(sample.tool.as_str());
        for (key, value) in sample.arguments.iter() {
            call = call.with_argument(key.as_str(), json(value));
        }
        call.result = sample.result.as_ref().map(json);
        call
    }
}

/// ```
/// use agentltl::{Args, Trace, build::*, holds};
/// let formula = before("fetch", "save") & called_with("save", Args::new([("to", "disk".into())]));
/// let run = formula.witness()?.expect("it can be met");
/// assert!(holds(&formula, &Trace::from(&run))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl From<&SampleRun> for Trace {
    fn from(run: &SampleRun) -> Self {
        run.iter().map(ToolCall::from).collect()
    }
}
