//! Runs that show something.

use std::fmt;
use std::ops::Deref;

use crate::text::{Name, Text};
use crate::value::{Args, Value};

/// A call of a [`SampleRun`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SampleCall {
    /// The tool.
    pub tool: Name,
    /// The arguments that matter. Others may be there, with any value.
    pub arguments: Args,
    /// What it returns, or `None` where that does not matter or is never known.
    pub result: Option<Value>,
}

/// As it is written in code, and what it returns: `book(city="SEA") gives "ok"`.
impl fmt::Display for SampleCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.tool.as_str())?;
        for (i, (key, value)) in self.arguments.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}={value}", key.as_str())?;
        }
        f.write_str(")")?;
        match &self.result {
            Some(result) => write!(f, " gives {result}"),
            None => Ok(()),
        }
    }
}

/// The calls of a run that shows something, in order. They come one at a time: none are parallel.
///
/// ```
/// use agentltl_core::build::*;
/// let run = before("fetch", "save").witness()?.expect("it can be met");
/// assert_eq!(run.to_string(), "fetch(), save()");
/// # Ok::<(), agentltl_core::analysis::NotAnalysed>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleRun(pub(super) Vec<SampleCall>);

impl Deref for SampleRun {
    type Target = [SampleCall];
    fn deref(&self) -> &[SampleCall] {
        &self.0
    }
}

impl fmt::Display for SampleRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the run without calls");
        }
        for (i, call) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{call}")?;
        }
        Ok(())
    }
}

/// Has a call with these arguments each of the expected ones, with an equal value?
pub(super) fn arguments_match(expected: &Args, given: &[(&Text, &Value)]) -> bool {
    expected.iter().all(|(key, value)| {
        given
            .iter()
            .any(|(other, given)| *other == key && *given == value)
    })
}

/// Does a result match: equal, or for an object with at least the expected top-level fields?
pub(super) fn result_matches(expected: &Value, result: &Value) -> bool {
    match (expected, result) {
        (Value::Object(fields), Value::Object(object)) => fields.iter().all(|(key, value)| {
            object
                .iter()
                .any(|(other, field)| other == key && field == value)
        }),
        _ => expected == result,
    }
}
