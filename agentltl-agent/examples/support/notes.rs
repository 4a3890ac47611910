//! Notes that can be read and written, as an MCP server.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, ServerCapabilities, ServerConfig};
use rmcp::{ErrorData, ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Clone)]
pub struct Notes {
    name: String,
    notes: Arc<Mutex<BTreeMap<String, String>>>,
    tool_router: ToolRouter<Self>,
}

#[derive(Deserialize, JsonSchema)]
pub struct Read {
    /// Which note.
    note: String,
}

#[derive(Deserialize, JsonSchema)]
pub struct Write {
    /// Which note.
    note: String,
    /// What it is to say.
    text: String,
}

#[tool_router]
impl Notes {
    pub fn new(name: &str) -> Self {
        let first = ("todo".to_owned(), "buy milk".to_owned());
        Notes {
            name: name.to_owned(),
            notes: Arc::new(Mutex::new(BTreeMap::from([first]))),
            tool_router: Self::tool_router(),
        }
    }

    #[tool(description = "Reads a note.")]
    fn read_note(&self, Parameters(Read { note }): Parameters<Read>) -> CallToolResult {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        match notes.get(&note) {
            Some(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            None => {
                let message = format!("{} has no note '{note}'", self.name);
                CallToolResult::error(vec![ContentBlock::text(message)])
            }
        }
    }

    #[tool(description = "Writes a note.")]
    fn write_note(&self, Parameters(Write { note, text }): Parameters<Write>) -> String {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.insert(note, text);
        format!("{} notes", notes.len())
    }

    #[tool(description = "How many notes there are.")]
    fn count_notes(&self) -> Result<CallToolResult, ErrorData> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(CallToolResult::structured(
            serde_json::json!({"notes": notes.len(), "of": self.name}),
        ))
    }

    #[tool(description = "Takes a minute.")]
    async fn sleep(&self) -> String {
        tokio::time::sleep(Duration::from_secs(60)).await;
        "rested".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}
