//! Settings of the client.

use std::env;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};
use serde_json::{Map, Value as Json};

use super::retry::Retries;
use super::{Inner, OpenAi};

const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// An endpoint, a model and how to ask it; see [`OpenAi::builder`].
#[derive(Clone)]
#[must_use = "call `build`"]
pub struct OpenAiBuilder {
    base_url: Option<String>,
    api_key: Option<String>,
    model: Option<String>,
    headers: Vec<(String, String)>,
    fields: Map<String, Json>,
    max_tokens: Option<u32>,
    timeout: Duration,
    connect_timeout: Duration,
    retries: Retries,
    max_response_bytes: usize,
    client: Option<Client>,
}

impl Default for OpenAiBuilder {
    fn default() -> Self {
        OpenAiBuilder {
            base_url: None,
            api_key: None,
            model: None,
            headers: Vec::new(),
            fields: Map::new(),
            max_tokens: Some(4096),
            timeout: Duration::from_secs(120),
            connect_timeout: Duration::from_secs(10),
            retries: Retries {
                max: 2,
                first_pause: Duration::from_millis(500),
                max_pause: Duration::from_secs(30),
            },
            max_response_bytes: 64 * 1024 * 1024,
            client: None,
        }
    }
}

impl OpenAiBuilder {
    /// Where `/chat/completions` is; otherwise `OPENAI_BASE_URL`, otherwise OpenAI.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The key; otherwise `OPENAI_API_KEY`, otherwise none is sent.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// The model; otherwise `MODEL`.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Asks for sampling that can be repeated.
    pub fn seed(self, seed: i64) -> Self {
        self.field("seed", seed)
    }

    /// How freely to sample; the endpoint's default where this is not called.
    pub fn temperature(self, temperature: f64) -> Self {
        self.field("temperature", temperature)
    }

    /// How many tokens a completion may have: 4096 by default. `None` leaves it to the endpoint.
    pub fn max_tokens(mut self, tokens: impl Into<Option<u32>>) -> Self {
        self.max_tokens = tokens.into();
        self
    }

    /// A field of the request body that has no method here, such as `max_completion_tokens`.
    pub fn field(mut self, key: impl Into<String>, value: impl Into<Json>) -> Self {
        self.fields.insert(key.into(), value.into());
        self
    }

    /// A header of each request.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// How long an attempt may take until its last byte: 120 seconds by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How long connecting may take: 10 seconds by default.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How often a failed attempt is repeated: twice by default.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.retries.max = retries;
        self
    }

    /// The pause before the first repetition, doubled for each further one, and the longest pause:
    /// half a second and 30 seconds by default. Where the endpoint asks for a longer pause than the
    /// longest, the attempt is not repeated.
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        self.retries.first_pause = first;
        self.retries.max_pause = longest;
        self
    }

    /// How long an answer may be: 64 MiB by default.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.max_response_bytes = bytes;
        self
    }

    /// The HTTP client to use, for proxies and certificates of your own. It brings its own connect
    /// timeout and redirects.
    pub fn client(mut self, client: Client) -> Self {
        self.client = Some(client);
        self
    }

    /// The model. What was not set comes from the environment.
    ///
    /// # Errors
    /// Where no model is named, the base URL or a header is not one, or the HTTP client cannot be
    /// made.
    pub fn build(self) -> Result<OpenAi, OpenAiError> {
        let setting = |given: Option<String>, name: &str| {
            given
                .or_else(|| env::var(name).ok())
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        let base_url = setting(self.base_url, "OPENAI_BASE_URL");
        let base_url = base_url.as_deref().unwrap_or(DEFAULT_BASE_URL);
        let url = chat_completions(base_url)?;
        let model = setting(self.model, "MODEL").ok_or(OpenAiError::NoModel)?;

        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = setting(self.api_key, "OPENAI_API_KEY") {
            let mut value = header_value(AUTHORIZATION.as_str(), &format!("Bearer {key}"))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        for (name, value) in &self.headers {
            let header = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| OpenAiError::Header { name: name.clone() })?;
            headers.insert(header, header_value(name, value)?);
        }

        let mut fields = self.fields;
        fields.insert("model".to_owned(), model.into());
        if let Some(tokens) = self.max_tokens
            && !fields.contains_key("max_completion_tokens")
        {
            fields
                .entry("max_tokens")
                .or_insert_with(|| Json::from(tokens));
        }
        let client = match self.client {
            Some(client) => client,
            // A redirected POST would arrive as something else, or without its key.
            None => Client::builder()
                .connect_timeout(self.connect_timeout)
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .map_err(|error| OpenAiError::Client(Arc::new(error)))?,
        };
        Ok(OpenAi {
            inner: Arc::new(Inner {
                client,
                url,
                headers,
                fields,
                timeout: self.timeout,
                retries: self.retries,
                max_response_bytes: self.max_response_bytes,
            }),
        })
    }
}

fn chat_completions(base: &str) -> Result<Url, OpenAiError> {
    let invalid = |why: String| OpenAiError::BaseUrl {
        url: base.to_owned(),
        why,
    };
    let mut url = Url::parse(base).map_err(|error| invalid(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("it is neither http nor https".to_owned()));
    }
    match url.path_segments_mut() {
        Ok(mut segments) => {
            segments.pop_if_empty().extend(["chat", "completions"]);
        }
        Err(()) => return Err(invalid("it has no path".to_owned())),
    }
    Ok(url)
}

fn header_value(name: &str, value: &str) -> Result<HeaderValue, OpenAiError> {
    HeaderValue::from_str(value).map_err(|_| OpenAiError::Header {
        name: name.to_owned(),
    })
}

impl fmt::Debug for OpenAiBuilder {
    // Headers and key are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiBuilder")
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Settings from which no [`OpenAi`] can be made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum OpenAiError {
    /// No model is named.
    NoModel,
    /// The base URL is not one.
    BaseUrl {
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
    /// The HTTP client cannot be made.
    Client(Arc<dyn std::error::Error + Send + Sync>),
}

impl fmt::Display for OpenAiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenAiError::NoModel => {
                f.write_str("no model is named: call `model` or set the environment variable MODEL")
            }
            OpenAiError::BaseUrl { url, why } => write!(f, "the base URL {url:?} is wrong: {why}"),
            OpenAiError::Header { name } => write!(
                f,
                "the header {name:?} cannot be sent: its name or value has characters that headers must not have"
            ),
            OpenAiError::Client(error) => write!(f, "the HTTP client cannot be made: {error}"),
        }
    }
}

impl std::error::Error for OpenAiError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenAiError::Client(error) => Some(&**error),
            _ => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_appended_to_any_base() {
        for (base, url) in [
            ("http://h/v1", "http://h/v1/chat/completions"),
            ("http://h/v1/", "http://h/v1/chat/completions"),
            ("http://h", "http://h/chat/completions"),
            (
                "http://h/v1?api-version=2",
                "http://h/v1/chat/completions?api-version=2",
            ),
        ] {
            assert_eq!(chat_completions(base).unwrap().as_str(), url);
        }
        for base in ["localhost:8000/v1", "/v1", "", "mailto:a@b"] {
            let error = chat_completions(base).unwrap_err().to_string();
            assert!(error.contains(base), "{error}");
        }
    }

    #[test]
    fn keys_stay_out_of_debug_output() {
        let builder = OpenAi::builder().model("m").api_key("sk-secret");
        assert!(!format!("{builder:?}").contains("secret"));
        assert!(!format!("{:?}", builder.build().unwrap()).contains("secret"));
    }

    #[test]
    fn a_key_with_a_line_break_in_it_is_refused() {
        let error = OpenAi::builder().model("m").api_key("a\nb").build();
        assert!(matches!(error, Err(OpenAiError::Header { name }) if name == "authorization"));
    }
}
