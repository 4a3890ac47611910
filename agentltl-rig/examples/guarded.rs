//! A rig agent under rules that the compiler checked. Without MODEL in the environment it talks to a
//! scripted server in this process; with it, to the endpoint that OPENAI_BASE_URL and OPENAI_API_KEY
//! name.
#![allow(clippy::print_stdout, clippy::unwrap_used, dead_code, unreachable_pub)]

#[path = "../../agentltl-agent/tests/support/server.rs"]
mod server;

use std::convert::Infallible;

use agentltl::{constraints, verify};
use agentltl_rig::Guard;
use rig::agent::AgentBuilder;
use rig::agent::tool::{Tool, ToolContext};
use rig::providers::openai::OpenAIConfig;
use serde_json::{Map, Value, json};
use server::{Line, Server, answer, calls};

macro_rules! tool {
    ($tool:ident, $name:literal, $description:literal, $result:literal) => {
        struct $tool;
        impl Tool for $tool {
            const NAME: &'static str = $name;
            type Args = Map<String, Value>;
            type Output = &'static str;
            type Error = Infallible;
            fn description(&self) -> String {
                $description.to_owned()
            }
            fn parameters(&self) -> Value {
                json!({"type": "object", "properties": {}})
            }
            async fn call(&self, _: &mut ToolContext, _: Self::Args) -> Result<&'static str, Infallible> {
                println!("  {} runs", $name);
                Ok($result)
            }
        }
    };
}
tool!(RunTests, "run_tests", "Runs the tests.", "all passed");
tool!(Deploy, "deploy", "Deploys what was built.", "deployed");

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = constraints! {
        #![strict_runtime_safety]

        /// Nothing is deployed untested.
        #[repair("Call run_tests first.")]
        test_first: SOFT_BLOCK = before(RunTests::NAME, Deploy::NAME);

        deploy_once: PERSISTENT_BLOCK = called_n(Deploy::NAME, <= 1);
    };
    let server = Server::start(vec![
        Line::Say(calls(&[("1", "deploy", "{}")])),
        Line::Say(calls(&[("2", "run_tests", "{}")])),
        Line::Say(calls(&[("3", "deploy", "{}")])),
        Line::Say(calls(&[("4", "deploy", "{}")])),
        Line::Say(answer("It is deployed.")),
    ])
    .await?;
    let model = match std::env::var("MODEL") {
        Ok(model) => OpenAIConfig::from_env()?.client().chat(model),
        Err(_) => OpenAIConfig::new("none")
            .with_base_url(&server.base_url)
            .client()
            .chat("scripted"),
    };
    let guard = Guard::new(policy.clone())?;
    let agent = AgentBuilder::new(model)
        .preamble("You deploy software with the tools you are given.")
        .tool(RunTests)
        .tool(Deploy)
        .add_hook(guard.clone())
        .build();
    let response = agent.prompt("Deploy the software.").max_turns(8).await?;
    println!("\nanswer: {}", response.output());
    if let Some(run) = guard.last_run() {
        println!("{} calls refused", run.status.soft_blocked_calls.len());
        println!("{}", verify(&policy, &run.trace));
    }
    Ok(())
}
