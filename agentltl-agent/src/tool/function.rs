//! Closures as tools.

use std::fmt;
use std::fmt::Display;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use super::{DynTool, InvalidArguments, Invocation, ToolDefinition, parameters_of, read, written};

/// A closure as a tool.
///
/// ```
/// use agentltl_agent::{NoArguments, tool_fn};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Save {
///     path: String,
/// }
///
/// let save = tool_fn("save", "Saves the results.", async |save: Save| {
///     Ok::<_, std::io::Error>(format!("saved to {}", save.path))
/// });
/// let poll = tool_fn("poll", "Asks whether the job is done.", async |_: NoArguments| {
///     Ok::<_, std::convert::Infallible>("READY")
/// });
/// ```
pub fn tool_fn<A, F, R, O, E>(
    name: impl Into<String>,
    description: impl Into<String>,
    function: F,
) -> FnTool<A, F>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(A) -> R + Send + Sync + 'static,
    R: Future<Output = Result<O, E>> + Send + 'static,
    O: Serialize,
    E: Display,
{
    FnTool {
        definition: ToolDefinition::new(name, description, parameters_of::<A>()),
        function,
        arguments: PhantomData,
    }
}

/// A closure as a tool: made by [`tool_fn`].
pub struct FnTool<A, F> {
    definition: ToolDefinition,
    function: F,
    arguments: PhantomData<fn(A)>,
}

impl<A, F, R, O, E> DynTool for FnTool<A, F>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(A) -> R + Send + Sync + 'static,
    R: Future<Output = Result<O, E>> + Send + 'static,
    O: Serialize + 'static,
    E: Display + 'static,
{
    fn definition(&self) -> ToolDefinition {
        self.definition.clone()
    }

    fn invoke(
        self: Arc<Self>,
        arguments: Map<String, Json>,
    ) -> Result<Invocation, InvalidArguments> {
        let arguments = read::<A>(arguments)?;
        Ok(Box::pin(async move {
            let call = (self.function)(arguments);
            written(call.await)
        }))
    }
}

impl<A, F> fmt::Debug for FnTool<A, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FnTool")
            .field(&self.definition.name)
            .finish()
    }
}
