//! What a model can call.

mod error;
mod function;
mod schema;

use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

pub use error::{InvalidArguments, ToolError};
pub use function::{FnTool, tool_fn};
pub use schema::{NoArguments, parameters_of};

use crate::chat::BoxFuture;

/// A tool with a name known at compile time, arguments of a Rust type and a result of another.
///
/// The name can stand in `constraints!`, and the JSON schema that the model sees is derived from the
/// arguments' type.
///
/// ```
/// use agentltl_agent::Tool;
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct DeployArguments {
///     /// Where to deploy.
///     environment: String,
/// }
///
/// struct Deploy;
///
/// impl Tool for Deploy {
///     const NAME: &'static str = "deploy";
///     type Arguments = DeployArguments;
///     type Output = String;
///     type Error = std::io::Error;
///
///     fn description(&self) -> String {
///         "Deploys what was built.".to_owned()
///     }
///
///     async fn call(&self, arguments: DeployArguments) -> Result<String, std::io::Error> {
///         Ok(format!("deployed to {}", arguments.environment))
///     }
/// }
///
/// let once = agentltl::build::called_n(Deploy::NAME, agentltl::Cmp::Le, 1);
/// ```
pub trait Tool: Send + Sync + 'static {
    /// What the model calls it.
    const NAME: &'static str;
    /// The arguments: a struct, [`NoArguments`], or a map.
    type Arguments: DeserializeOwned + JsonSchema + Send;
    /// What a call returns. A string reaches the model as it is, anything else as JSON.
    type Output: Serialize;
    /// Why a call failed; the model reads it.
    type Error: Display;

    /// What it does and when to call it, for the model.
    fn description(&self) -> String;

    /// Runs it.
    fn call(
        &self,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<Self::Output, Self::Error>> + Send;
}

/// A tool whose name and schema are known at run time only, such as one of an MCP server.
///
/// Every [`Tool`] is one, and so is a [closure](tool_fn).
pub trait DynTool: Send + Sync + 'static {
    /// What the model is told of it.
    fn definition(&self) -> ToolDefinition;

    /// Reads the arguments, and returns what will run the call once it is polled: nothing may happen
    /// before, as the call has not been judged yet.
    ///
    /// # Errors
    /// Where the tool cannot be called with such arguments.
    fn invoke(
        self: Arc<Self>,
        arguments: Map<String, Json>,
    ) -> Result<Invocation, InvalidArguments>;
}

/// A call that has been prepared. It runs when it is polled.
pub type Invocation = BoxFuture<'static, Result<Json, ToolError>>;

impl<T: Tool> DynTool for T {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition::new(T::NAME, self.description(), parameters_of::<T::Arguments>())
    }

    fn invoke(
        self: Arc<Self>,
        arguments: Map<String, Json>,
    ) -> Result<Invocation, InvalidArguments> {
        let arguments = read::<T::Arguments>(arguments)?;
        Ok(Box::pin(async move { written(self.call(arguments).await) }))
    }
}

fn read<A: DeserializeOwned>(arguments: Map<String, Json>) -> Result<A, InvalidArguments> {
    serde_path_to_error::deserialize(Json::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        match path.as_str() {
            "." => InvalidArguments::new(error.inner()),
            _ => InvalidArguments::new(format_args!("{path}: {}", error.inner())),
        }
    })
}

fn written<O: Serialize, E: Display>(result: Result<O, E>) -> Result<Json, ToolError> {
    let output = result.map_err(ToolError::new)?;
    serde_json::to_value(output)
        .map_err(|error| ToolError::new(format_args!("the result cannot be written: {error}")))
}

/// What a model is told of a tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// What the model calls it.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: Json,
}

impl ToolDefinition {
    /// A definition.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: impl Into<Json>,
    ) -> Self {
        ToolDefinition {
            name: name.into(),
            description: description.into(),
            parameters: parameters.into(),
        }
    }
}
