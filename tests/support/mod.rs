//! What several tests need.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

pub mod naive;

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

/// The lines of a conformance file with their numbers, from `AGENTLTL_CONFORMANCE_DIR` where it is set.
pub fn conformance(name: &str) -> Vec<(usize, Json)> {
    let folder = std::env::var_os("AGENTLTL_CONFORMANCE_DIR")
        .map_or_else(|| root().join("tests/conformance"), PathBuf::from);
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines: Vec<_> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            let line = serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{}:{number}: {error}", path.display()));
            (number, line)
        })
        .collect();
    assert!(!lines.is_empty(), "{} is empty", path.display());
    lines
}

/// The folder of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the folder `shared` beside the workspace, or `None` where there is none.
pub fn shared(name: &str) -> Option<PathBuf> {
    let path = root().parent()?.join("shared").join(name);
    path.exists().then_some(path)
}

/// A call of a conformance trace.
pub fn call(json: &Json) -> agentltl::ToolCall {
    let mut call = agentltl::ToolCall::new(json["tool_name"].as_str().unwrap());
    call.arguments = json["arguments"].as_object().unwrap().clone();
    call.result = json.get("result").cloned();
    call.step = json.get("step").map(|step| step.as_i64().unwrap());
    call
}
