//! What the tests share.
#![allow(dead_code)]

pub mod server;

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentltl_agent::*;
use serde_json::{Map, Value as Json};

#[allow(unused_imports)]
pub use server::{Line, Server, answer, calls};

/// What the tools were asked to do.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub fn ran(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub fn push(&self, entry: impl Into<String>) {
        self.0.lock().unwrap().push(entry.into());
    }

    /// A tool that notes that it ran and returns its name with `ok`.
    pub fn tool(&self, name: &'static str) -> impl DynTool + use<> {
        let log = self.clone();
        tool_fn(name, "A tool.", move |_: Map<String, Json>| {
            let log = log.clone();
            async move {
                log.push(name);
                Ok::<_, Infallible>(format!("{name} ok"))
            }
        })
    }
}

/// A model behind that server, impatient enough for tests.
pub fn model(base_url: &str) -> OpenAi {
    OpenAi::builder()
        .base_url(base_url)
        .api_key("test-key")
        .model("scripted")
        .timeout(Duration::from_millis(400))
        .backoff(Duration::from_millis(5), Duration::from_millis(100))
        .build()
        .unwrap()
}

/// A server with these lines, and an agent builder on it.
pub async fn scripted(lines: Vec<Line>) -> (Server, AgentBuilder) {
    let server = Server::start(lines).await.unwrap();
    let builder = Agent::builder().model(model(&server.base_url));
    (server, builder)
}

/// The tool messages that the server was told last: id and content.
pub fn told(server: &Server) -> Vec<(String, String)> {
    let asked = server.asked();
    let messages = asked.last().map(|asked| asked.body["messages"].clone());
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    messages
        .as_ref()
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter(|message| message["role"] == "tool")
        .map(|message| (text(&message["tool_call_id"]), text(&message["content"])))
        .collect()
}

/// The names of the calls that ran, as the metrics have them.
pub fn ran(result: &RunResult) -> Vec<String> {
    let names = result.metrics.tool_calls.tool_names();
    let names: Vec<String> = names.map(str::to_owned).collect();
    let trace = result.metrics.completed_trace.iter();
    let traced: Vec<String> = trace.map(|call| call.tool_name.clone()).collect();
    assert!(traced.ends_with(&names), "{traced:?} {names:?}");
    names
}
