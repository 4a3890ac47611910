//! The tools of MCP servers.

mod server;
mod tool;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use rmcp::RoleClient;
use rmcp::service::RunningService;

pub use server::{McpError, McpFailure, McpServer};

use crate::toolbox::Offer;
use tool::McpTool;

/// Connections to MCP servers, each known by a name.
///
/// A server that does not start is [reported](Self::failures); the others serve. Child processes end
/// with [`shutdown`](Self::shutdown), or when this is dropped.
///
/// ```no_run
/// use agentltl_agent::{Agent, McpServer, McpServers, ScriptedModel};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let servers = McpServers::connect([
///     McpServer::stdio("files", "mcp-server-filesystem").arg("/srv/data"),
///     McpServer::http("graph", "https://example.com/mcp").header("authorization", "Bearer t0ken"),
/// ])
/// .await;
/// for failure in servers.failures() {
///     eprintln!("{failure}");
/// }
/// let agent = Agent::builder().model(ScriptedModel::new([])).mcp(&servers).build()?;
/// servers.shutdown().await;
/// # Ok(()) }
/// ```
pub struct McpServers {
    connected: Vec<Connected>,
    failures: Vec<McpFailure>,
}

struct Connected {
    name: String,
    service: RunningService<RoleClient, rmcp::model::ClientConfig>,
    tools: Vec<Arc<McpTool>>,
}

/// How long a server may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(15);

impl McpServers {
    /// Connects to the servers, all at once, and asks what tools they have.
    pub async fn connect(servers: impl IntoIterator<Item = McpServer>) -> Self {
        let mut wanted: Vec<McpServer> = Vec::new();
        let mut failures = Vec::new();
        for server in servers {
            if wanted.iter().any(|other| other.name == server.name) {
                failures.push(McpFailure::new(server.name, McpError::DuplicateName));
            } else {
                wanted.push(server);
            }
        }
        let attempts = wanted.into_iter().map(|server| async {
            let name = server.name.clone();
            match server.connect().await {
                Ok((service, tools)) => Ok(Connected {
                    tools: tools
                        .into_iter()
                        .map(|tool| Arc::new(McpTool::new(&name, service.peer().clone(), tool)))
                        .collect(),
                    name,
                    service,
                }),
                Err(error) => Err(McpFailure::new(name, error)),
            }
        });
        let mut connected = Vec::new();
        for attempt in join_all(attempts).await {
            match attempt {
                Ok(server) => connected.push(server),
                Err(failure) => {
                    tracing::warn!("{failure}");
                    failures.push(failure);
                }
            }
        }
        McpServers {
            connected,
            failures,
        }
    }

    /// The servers that did not start, and why.
    #[must_use]
    pub fn failures(&self) -> &[McpFailure] {
        &self.failures
    }

    /// The names of the servers that serve.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.connected.iter().map(|server| &*server.name)
    }

    /// The tools: the server's name and the tool's.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &str)> {
        self.connected.iter().flat_map(|server| {
            let tools = server.tools.iter();
            tools.map(|tool| (&*server.name, tool.name()))
        })
    }

    pub(crate) fn offers(&self) -> impl Iterator<Item = Offer> {
        self.connected.iter().flat_map(|server| {
            server.tools.iter().map(|tool| Offer {
                server: Some(server.name.clone()),
                tool: Arc::clone(tool) as _,
            })
        })
    }

    /// Ends the connections and waits for child processes to end: their input is closed, then they
    /// are asked to end, then killed. Calls that come later fail.
    pub async fn shutdown(self) {
        let ends = self.connected.into_iter().map(|mut server| async move {
            if !matches!(
                server.service.close_with_timeout(PATIENCE).await,
                Ok(Some(_))
            ) {
                tracing::warn!(server = server.name, "an MCP server did not end in time");
            }
        });
        join_all(ends).await;
    }
}

impl fmt::Debug for McpServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.names().collect();
        f.debug_struct("McpServers")
            .field("connected", &names)
            .field("failures", &self.failures)
            .finish()
    }
}
