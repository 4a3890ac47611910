//! A small MCP server over standard input and output, for the tests and the example `mcp_tools`:
//! notes that can be read and written.
#![allow(unreachable_pub)]

#[path = "support/notes.rs"]
mod notes;

use rmcp::ServiceExt;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "notes".to_owned());
    let server = notes::Notes::new(&name)
        .serve(rmcp::transport::stdio())
        .await?;
    server.waiting().await?;
    Ok(())
}
