//! What the examples share.
#![allow(dead_code)]

use agentltl::{Policy, verify};
use agentltl_agent::{
    Agent, AgentBuilder, Completion, Event, OpenAi, OpenAiError, RunResult, ScriptedModel,
    ToolCallRequest,
};
use serde_json::Value as Json;

/// An agent on the model that the environment names (MODEL, with OPENAI_BASE_URL and
/// OPENAI_API_KEY), or else on one that says these lines. It tells what happens.
pub fn agent(lines: impl IntoIterator<Item = Completion>) -> Result<AgentBuilder, OpenAiError> {
    let builder = Agent::builder().on_event(tell);
    Ok(if std::env::var_os("MODEL").is_some() {
        builder.model(OpenAi::from_env()?)
    } else {
        println!("(a scripted model; set MODEL for a real one)");
        builder.model(ScriptedModel::new(lines))
    })
}

/// A line of the script: calls of these tools.
pub fn calls<const N: usize>(calls: [(&str, Json); N]) -> Completion {
    Completion::calls(calls.map(|(tool, arguments)| ToolCallRequest::new(tool, arguments)))
}

/// A line of the script: the answer.
pub fn answer(text: &str) -> Completion {
    Completion::answer(text)
}

fn tell(event: Event) {
    match event {
        Event::CallStarted { call, .. } => println!("  {} runs", call.tool_name),
        Event::CallRefused { call, decision } => {
            println!("  {} is refused ({})", call.tool_name, decision.action);
        }
        Event::CallEnded { call, result, .. } => println!("  {} returned {result}", call.tool_name),
        Event::SentBack { .. } => println!("  not finished yet"),
        _ => {}
    }
}

/// Prints what came of a run, and how it did by the rules.
pub fn report(result: &RunResult, policy: &Policy) {
    println!("\nanswer: {}", result.answer.as_deref().unwrap_or("none"));
    if let Some(error) = &result.error {
        println!("error: {error}");
    }
    println!("{}", verify(policy, &result.metrics.tool_calls));
}
