//! A tool of an MCP server.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, ResourceContents, Tool};
use rmcp::service::{Peer, ServiceError};
use serde_json::{Map, Value as Json};

use crate::tool::{DynTool, InvalidArguments, Invocation, ToolDefinition, ToolError};

pub(super) struct McpTool {
    server: String,
    peer: Peer<RoleClient>,
    tool: Tool,
}

impl McpTool {
    pub(super) fn new(server: &str, peer: Peer<RoleClient>, tool: Tool) -> Self {
        McpTool {
            server: server.to_owned(),
            peer,
            tool,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.tool.name
    }
}

impl DynTool for McpTool {
    fn definition(&self) -> ToolDefinition {
        let description = self
            .tool
            .description
            .as_deref()
            .or(self.tool.title.as_deref());
        ToolDefinition::new(
            &*self.tool.name,
            description.unwrap_or_default(),
            Json::Object((*self.tool.input_schema).clone()),
        )
    }

    fn invoke(
        self: Arc<Self>,
        arguments: Map<String, Json>,
    ) -> Result<Invocation, InvalidArguments> {
        Ok(Box::pin(async move {
            let server = &self.server;
            if self.peer.is_transport_closed() {
                let message = format!("the MCP server '{server}' is not there any more");
                return Err(ToolError::never_ran(message));
            }
            let call = CallToolRequestParams::new(self.tool.name.clone()).with_arguments(arguments);
            match self.peer.call_tool(call).await {
                Ok(result) => outcome(result),
                // The server knows of no such call, or did not take its arguments.
                Err(ServiceError::McpError(error)) => Err(ToolError::new(error.message)),
                Err(error) => Err(ToolError::new(format_args!(
                    "the MCP server '{server}' did not answer: {error}"
                ))),
            }
        }))
    }
}

/// Structured content is the result where there is some; otherwise the text.
fn outcome(result: CallToolResult) -> Result<Json, ToolError> {
    let text = || {
        result
            .content
            .iter()
            .map(words)
            .collect::<Vec<_>>()
            .join("\n")
    };
    if result.is_error == Some(true) {
        return Err(ToolError::new(text()));
    }
    Ok(match result.structured_content {
        Some(json) => json,
        None => text().into(),
    })
}

fn words(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[image, {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[audio, {}]", audio.mime_type),
        ContentBlock::Resource(resource) => match &resource.resource {
            ResourceContents::TextResourceContents { text, .. } => text.clone(),
            ResourceContents::BlobResourceContents { uri, .. } => format!("[data, {uri}]"),
            _ => "[resource]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[resource, {}]", link.uri),
        _ => "[content of a kind not known here]".to_owned(),
    }
}
