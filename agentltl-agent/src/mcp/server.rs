//! One server: how to reach it, and reaching it.

use std::collections::HashMap;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process_wrap::tokio::{CommandWrap, KillOnDrop};
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, Tool};
use rmcp::service::RunningService;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{RoleClient, ServiceExt};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{ChildStderr, Command};

/// An MCP server: its name, and how to reach it.
///
/// ```
/// use agentltl_agent::McpServer;
/// let server = McpServer::stdio("git", "mcp-server-git")
///     .args(["--repository", "."])
///     .env("LOG_LEVEL", "error");
/// ```
#[derive(Clone)]
#[must_use = "pass it to `McpServers::connect`"]
pub struct McpServer {
    pub(super) name: String,
    reach: Reach,
    timeout: Duration,
}

#[derive(Clone)]
enum Reach {
    Stdio {
        program: OsString,
        args: Vec<OsString>,
        env: Vec<(OsString, OsString)>,
        dir: Option<PathBuf>,
    },
    Http {
        url: String,
        headers: Vec<(String, String)>,
    },
}

impl McpServer {
    /// A server that is a program, spoken to over its standard input and output.
    pub fn stdio(name: impl Into<String>, program: impl Into<OsString>) -> Self {
        McpServer::new(
            name,
            Reach::Stdio {
                program: program.into(),
                args: Vec::new(),
                env: Vec::new(),
                dir: None,
            },
        )
    }

    /// A server behind a URL, spoken to by streamable HTTP.
    pub fn http(name: impl Into<String>, url: impl Into<String>) -> Self {
        McpServer::new(
            name,
            Reach::Http {
                url: url.into(),
                headers: Vec::new(),
            },
        )
    }

    fn new(name: impl Into<String>, reach: Reach) -> Self {
        McpServer {
            name: name.into(),
            reach,
            timeout: Duration::from_secs(30),
        }
    }

    /// One more argument of the program. Nothing for a server behind a URL.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        if let Reach::Stdio { args, .. } = &mut self.reach {
            args.push(arg.into());
        }
        self
    }

    /// More arguments of the program.
    pub fn args<A: Into<OsString>>(self, args: impl IntoIterator<Item = A>) -> Self {
        args.into_iter().fold(self, McpServer::arg)
    }

    /// An environment variable of the program, beside those of this process.
    pub fn env(mut self, key: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        if let Reach::Stdio { env, .. } = &mut self.reach {
            env.push((key.into(), value.into()));
        }
        self
    }

    /// The folder in which the program runs.
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        if let Reach::Stdio { dir, .. } = &mut self.reach {
            *dir = Some(folder.into());
        }
        self
    }

    /// A header of each request. Nothing for a server that is a program.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Reach::Http { headers, .. } = &mut self.reach {
            headers.push((name.into(), value.into()));
        }
        self
    }

    /// How long connecting and listing the tools may take: 30 seconds by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    pub(super) async fn connect(
        self,
    ) -> Result<(RunningService<RoleClient, ClientConfig>, Vec<Tool>), McpError> {
        let implementation = Implementation::new("agentltl-agent", env!("CARGO_PKG_VERSION"));
        let client = ClientConfig::new(ClientCapabilities::default(), implementation);
        let timeout = self.timeout;
        let mut said = Said::default();
        let work = async {
            let service = match self.reach {
                Reach::Stdio {
                    program,
                    args,
                    env,
                    dir,
                } => {
                    let mut command = Command::new(program);
                    command.args(args).envs(env);
                    if let Some(dir) = dir {
                        command.current_dir(dir);
                    }
                    let (transport, errors) = spawn(command)?;
                    if let Some(errors) = errors {
                        said.follow(self.name, errors);
                    }
                    client.serve(transport).await.map_err(McpError::protocol)?
                }
                Reach::Http { url, headers } => {
                    let transport = http(&url, &headers)?;
                    client.serve(transport).await.map_err(McpError::protocol)?
                }
            };
            let tools = service.list_all_tools().await.map_err(McpError::protocol)?;
            Ok((service, tools))
        };
        match tokio::time::timeout(timeout, work).await {
            Ok(Err(McpError::Protocol { source, .. })) => Err(McpError::Protocol {
                source,
                stderr: said.settled().await,
            }),
            Ok(result) => result,
            Err(_) => Err(McpError::Timeout {
                after: timeout,
                stderr: said.tail(),
            }),
        }
    }
}

fn spawn(command: Command) -> Result<(TokioChildProcess, Option<ChildStderr>), McpError> {
    let mut command = CommandWrap::from(command);
    command.wrap(KillOnDrop);
    // A server is often a script that starts another program: both end together.
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    TokioChildProcess::builder(command)
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| McpError::Spawn(Arc::new(error)))
}

fn http(
    url: &str,
    headers: &[(String, String)],
) -> Result<StreamableHttpClientTransport<reqwest::Client>, McpError> {
    reqwest::Url::parse(url).map_err(|error| McpError::Url {
        url: url.to_owned(),
        why: error.to_string(),
    })?;
    let mut map = HashMap::new();
    for (name, value) in headers {
        let bad = || McpError::Header { name: name.clone() };
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        map.insert(header, HeaderValue::from_str(value).map_err(|_| bad())?);
    }
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(map);
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(McpError::protocol)?;
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// What a program says on its standard error: often the reason why it does not serve.
#[derive(Default)]
struct Said {
    tail: Arc<Mutex<String>>,
    task: Option<tokio::task::JoinHandle<()>>,
}

impl Said {
    fn follow(&mut self, server: String, errors: ChildStderr) {
        let tail = Arc::clone(&self.tail);
        self.task = Some(tokio::spawn(async move {
            let mut errors = BufReader::new(errors);
            loop {
                let mut line = Vec::new();
                // A line without end is cut, so that it does not fill the memory.
                let read = (&mut errors).take(4096).read_until(b'\n', &mut line).await;
                if !matches!(read, Ok(1..)) {
                    return;
                }
                let line = String::from_utf8_lossy(&line);
                tracing::debug!(server, "{}", line.trim_end());
                let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
                tail.push_str(&line);
                let excess = tail.len().saturating_sub(2000);
                let start = (excess..=tail.len()).find(|at| tail.is_char_boundary(*at));
                tail.drain(..start.unwrap_or(0));
            }
        }));
    }

    /// What it said, once it is through or a moment has passed.
    async fn settled(&mut self) -> String {
        if let Some(task) = &mut self.task {
            let _ = tokio::time::timeout(Duration::from_millis(500), task).await;
        }
        self.tail()
    }

    fn tail(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.trim().to_owned()
    }
}

impl fmt::Debug for McpServer {
    // Arguments, environment and headers may hold keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A server that does not serve.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct McpFailure {
    /// The server's name.
    pub server: String,
    /// What is wrong.
    pub error: McpError,
}

impl McpFailure {
    pub(super) fn new(server: String, error: McpError) -> Self {
        McpFailure { server, error }
    }
}

impl fmt::Display for McpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the MCP server `{}` does not serve: {}",
            self.server, self.error
        )
    }
}

impl Error for McpFailure {}

/// Why an MCP server does not serve.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum McpError {
    /// Another server has that name.
    DuplicateName,
    /// The program cannot be started.
    Spawn(Arc<std::io::Error>),
    /// The URL is not one.
    Url {
        /// What was given.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// A header cannot be sent.
    Header {
        /// Its name.
        name: String,
    },
    /// It did not answer in time.
    Timeout {
        /// The time it was given.
        after: Duration,
        /// What the program said on its standard error.
        stderr: String,
    },
    /// It was not reached, or does not speak MCP.
    Protocol {
        /// What happened.
        source: Arc<dyn Error + Send + Sync>,
        /// What the program said on its standard error.
        stderr: String,
    },
}

impl McpError {
    fn protocol(error: impl Error + Send + Sync + 'static) -> Self {
        McpError::Protocol {
            source: Arc::new(error),
            stderr: String::new(),
        }
    }
}

impl fmt::Display for McpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stderr = match self {
            McpError::DuplicateName => return f.write_str("another server has that name"),
            McpError::Spawn(error) => {
                return write!(f, "the program cannot be started: {error}");
            }
            McpError::Url { url, why } => return write!(f, "the URL {url:?} is wrong: {why}"),
            McpError::Header { name } => {
                return write!(
                    f,
                    "the header {name:?} cannot be sent: its name or value has characters that headers must not have"
                );
            }
            McpError::Timeout { after, stderr } => {
                write!(f, "no answer within {after:?}")?;
                stderr
            }
            McpError::Protocol { source, stderr } => {
                write!(f, "{source}")?;
                let mut cause = source.source();
                while let Some(error) = cause {
                    write!(f, ": {error}")?;
                    cause = error.source();
                }
                stderr
            }
        };
        if stderr.is_empty() {
            Ok(())
        } else {
            write!(f, "; it said: {stderr}")
        }
    }
}

// The causes are part of the text, so they are not offered as a source besides.
impl Error for McpError {}
