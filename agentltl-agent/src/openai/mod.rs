//! The client of OpenAI-compatible endpoints.

mod builder;
mod retry;
mod wire;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Client, Url};
use serde_json::{Map, Value as Json};

pub use builder::{OpenAiBuilder, OpenAiError};

use crate::chat::{ChatModel, ChatRequest, Completion};
use crate::chat_error::ChatError;
use retry::{Failure, Retries};

/// A model behind an OpenAI-compatible `/chat/completions`: OpenAI, vLLM, llama.cpp, a gateway.
///
/// An attempt that may succeed when repeated is repeated, with growing pauses or the pause that the
/// endpoint asks for: no connection, a broken one, no answer in time, and the statuses 408, 409, 429
/// and 5xx.
///
/// ```
/// use agentltl_agent::OpenAi;
/// use std::time::Duration;
///
/// let model = OpenAi::builder()
///     .base_url("http://localhost:8000/v1")
///     .model("qwen3-32b")
///     .temperature(0.0)
///     .seed(7)
///     .timeout(Duration::from_secs(60))
///     .build()?;
/// # Ok::<(), agentltl_agent::OpenAiError>(())
/// ```
#[derive(Clone)]
pub struct OpenAi {
    inner: Arc<Inner>,
}

struct Inner {
    client: Client,
    url: Url,
    headers: HeaderMap,
    fields: Map<String, Json>,
    timeout: Duration,
    retries: Retries,
    max_response_bytes: usize,
}

impl OpenAi {
    /// Chooses an endpoint, a model and how to ask it.
    pub fn builder() -> OpenAiBuilder {
        OpenAiBuilder::default()
    }

    /// The model that `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `MODEL` name.
    ///
    /// # Errors
    /// As [`OpenAiBuilder::build`].
    pub fn from_env() -> Result<Self, OpenAiError> {
        OpenAi::builder().build()
    }

    async fn attempt(&self, body: Bytes) -> Result<Vec<u8>, Failure> {
        let request = self
            .inner
            .client
            .post(self.inner.url.clone())
            .headers(self.inner.headers.clone())
            .body(body);
        let work = async {
            let response = request.send().await.map_err(Failure::connection)?;
            let status = response.status();
            let pause = retry::asked_pause(response.headers());
            let limit = self.inner.max_response_bytes;
            if status.is_success() {
                return read(response, limit).await;
            }
            // What it says is a courtesy; where even that breaks off, the status stands.
            let said = read(response, limit.min(64 * 1024))
                .await
                .unwrap_or_default();
            Err(Failure::Status {
                status: status.as_u16(),
                message: wire::error_message(&said),
                pause,
            })
        };
        tokio::time::timeout(self.inner.timeout, work)
            .await
            .unwrap_or(Err(Failure::Timeout(self.inner.timeout)))
    }
}

/// The whole body, as long as it stays within the limit.
async fn read(mut response: reqwest::Response, limit: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(Failure::connection)? {
        if bytes.len() + chunk.len() > limit {
            return Err(Failure::TooLarge(limit));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

impl ChatModel for OpenAi {
    async fn complete(&self, request: ChatRequest<'_>) -> Result<Completion, ChatError> {
        let body = wire::request(&self.inner.fields, request).map_err(ChatError::other)?;
        let body = Bytes::from(body);
        let mut attempts: u32 = 1;
        loop {
            let failure = match self.attempt(body.clone()).await {
                Ok(answer) => return wire::response(&answer),
                Err(failure) => failure,
            };
            let Some(pause) = self.inner.retries.pause(attempts, &failure) else {
                return Err(failure.into_error(attempts));
            };
            tracing::debug!(attempts, ?pause, "the endpoint failed; trying again");
            tokio::time::sleep(pause).await;
            attempts += 1;
        }
    }
}

impl fmt::Debug for OpenAi {
    // Headers hold the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi")
            .field("url", &self.inner.url.as_str())
            .field("model", &self.inner.fields.get("model"))
            .finish_non_exhaustive()
    }
}
