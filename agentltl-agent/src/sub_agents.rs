//! One fresh run per requirement.

mod template;

use std::fmt;

use agentltl::ToolCall;
use futures_util::StreamExt;
use futures_util::stream;
use serde::Serialize;

pub use template::TemplateError;

use crate::agent::Agent;
use crate::result::RunResult;
use template::Template;

/// Runs an agent once per requirement, each time from the beginning: a conversation, a trace and
/// rules of its own.
///
/// ```
/// use agentltl_agent::{Agent, Completion, Requirement, ScriptedModel, SubAgents};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new([Completion::answer("met"), Completion::answer("not met")]);
/// let agent = Agent::builder().model(model).build()?;
/// let sub_agents = SubAgents::new(agent, "Check {requirement_id}: {requirement_description}\n{tasks}")?
///     .max_concurrent(1);
/// let result = sub_agents
///     .run([
///         Requirement::new("R1", "The cabin is warm.").with_task("Read the thermometer."),
///         Requirement::new("R2", "The oven is off."),
///     ])
///     .await;
/// assert_eq!(result.sub_results[1].result.answer.as_deref(), Some("not met"));
/// assert_eq!(result.metrics.total_requirements, 2);
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "call `run`"]
pub struct SubAgents {
    agent: Agent,
    template: Template,
    max_concurrent: usize,
}

impl SubAgents {
    /// Runs of that agent, their tasks made from a template. In it, `{requirement_id}`,
    /// `{requirement_description}` and `{tasks}` stand for those of the requirement, `{{` and `}}` for
    /// braces.
    ///
    /// # Errors
    /// Where the template has another word in braces, or a brace without its partner.
    pub fn new(agent: Agent, template: &str) -> Result<Self, TemplateError> {
        Ok(SubAgents {
            agent,
            template: Template::parse(template)?,
            max_concurrent: 4,
        })
    }

    /// How many runs go on at once: 4 by default, and at least 1.
    pub fn max_concurrent(mut self, runs: usize) -> Self {
        self.max_concurrent = runs.max(1);
        self
    }

    /// Runs all of them. One that breaks off does not keep the others from running.
    pub async fn run(
        &self,
        requirements: impl IntoIterator<Item = Requirement>,
    ) -> SubAgentsResult {
        let requirements: Vec<Requirement> = requirements.into_iter().collect();
        let runs = requirements.into_iter().map(|requirement| async move {
            let prompt = self.template.fill(&requirement);
            let result = self.agent.run(prompt).await;
            SubResult {
                requirement,
                result,
            }
        });
        let sub_results: Vec<SubResult> = stream::iter(runs)
            .buffered(self.max_concurrent)
            .collect()
            .await;
        SubAgentsResult {
            answer: format!("{} requirements were worked on.", sub_results.len()),
            metrics: SubAgentsMetrics::of(&sub_results),
            sub_results,
        }
    }
}

impl fmt::Debug for SubAgents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubAgents")
            .field("agent", &self.agent)
            .field("max_concurrent", &self.max_concurrent)
            .finish_non_exhaustive()
    }
}

/// Something to be worked on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Requirement {
    /// What it is called.
    #[serde(rename = "requirement_id")]
    pub id: String,
    /// What it asks for.
    #[serde(rename = "requirement_description")]
    pub description: String,
    /// What is to be done for it; may be empty.
    pub tasks: Vec<String>,
}

impl Requirement {
    /// A requirement without tasks.
    pub fn new(id: impl Into<String>, description: impl Into<String>) -> Self {
        Requirement {
            id: id.into(),
            description: description.into(),
            tasks: Vec::new(),
        }
    }

    /// The requirement with one more task.
    #[must_use]
    pub fn with_task(mut self, task: impl Into<String>) -> Self {
        self.tasks.push(task.into());
        self
    }
}

/// What came of all runs. Serialises under the reference's names.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SubAgentsResult {
    /// That they are through.
    pub answer: String,
    /// What came of each, in the order of the requirements.
    pub sub_results: Vec<SubResult>,
    /// All of them together.
    pub metrics: SubAgentsMetrics,
}

/// What came of one run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SubResult {
    /// What it was for.
    #[serde(flatten)]
    pub requirement: Requirement,
    /// What came of it.
    #[serde(flatten)]
    pub result: RunResult,
}

/// What happened in all runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SubAgentsMetrics {
    /// How many requirements there were.
    pub total_requirements: usize,
    /// Tokens read by the model.
    pub total_input_tokens: u64,
    /// Tokens written by the model.
    pub total_output_tokens: u64,
    /// Both together.
    pub total_tokens: u64,
    /// How often the model was asked.
    pub total_steps: usize,
    /// How many calls ran.
    pub total_tool_calls: usize,
    /// `total_input_tokens` by requirement; 0 where there is none.
    pub avg_input_tokens_per_requirement: f64,
    /// `total_output_tokens` by requirement.
    pub avg_output_tokens_per_requirement: f64,
    /// `total_tokens` by requirement.
    pub avg_total_tokens_per_requirement: f64,
    /// The calls of all runs, run by run, each with `requirement_id` and `requirement_index`.
    pub all_tool_calls: Vec<ToolCall>,
}

impl SubAgentsMetrics {
    fn of(results: &[SubResult]) -> Self {
        let mut all = SubAgentsMetrics {
            total_requirements: results.len(),
            ..SubAgentsMetrics::default()
        };
        for (
            index,
            SubResult {
                requirement,
                result,
            },
        ) in results.iter().enumerate()
        {
            let metrics = &result.metrics;
            all.total_input_tokens += metrics.input_tokens;
            all.total_output_tokens += metrics.output_tokens;
            all.total_tokens += metrics.total_tokens;
            all.total_steps += metrics.num_steps;
            all.total_tool_calls += metrics.num_tool_calls;
            all.all_tool_calls
                .extend(metrics.tool_calls.iter().map(|call| {
                    let mut call = call.clone();
                    call.extra
                        .insert("requirement_id".to_owned(), requirement.id.clone().into());
                    call.extra
                        .insert("requirement_index".to_owned(), index.into());
                    call
                }));
        }
        let count = results.len().max(1) as f64;
        all.avg_input_tokens_per_requirement = all.total_input_tokens as f64 / count;
        all.avg_output_tokens_per_requirement = all.total_output_tokens as f64 / count;
        all.avg_total_tokens_per_requirement = all.total_tokens as f64 / count;
        all
    }
}
