//! Embeddings from any server that speaks OpenAI's wire format.
//!
//! It asks for sixty-four texts at a time, believes no answer before it has looked at its size, its order and
//! its dimensions, and counts what was paid. The key comes from the environment and is never told.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use candor_model::{Money, TokenPrice, TokenUse};
use candor_ports::{BoxFuture, EmbedError, Embedder, Vector, Vectors};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url};
use serde::{Deserialize, Serialize};

use super::unit;

/// The most texts in one request: what common servers take.
const BATCH: usize = 64;
/// The longest answer: sixty-four vectors of 8192 numbers, written at length.
const LONGEST_ANSWER: usize = 32 << 20;
/// What is told of a server's complaint.
const LONGEST_COMPLAINT: usize = 300;

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointOptions {
    /// Its base address, such as `https://api.openai.com/v1`.
    pub endpoint: String,
    /// The model that is asked for.
    pub name: String,
    /// The environment variable that holds the key, if it wants one.
    pub api_key_env: Option<String>,
    /// The price of a million tokens.
    pub price_per_million: Money,
    /// How long a request may take.
    pub within: Duration,
}

/// Why a server cannot even be asked.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The address is none.
    #[error("`{endpoint}` is no address ({reason}); write something like http://localhost:11434/v1")]
    Address {
        /// What was configured.
        endpoint: String,
        /// Why it is none.
        reason: String,
    },
    /// The key is missing or cannot be sent.
    #[error("the embeddings endpoint wants a key: set the environment variable {variable} to it")]
    Key {
        /// The variable.
        variable: String,
    },
    /// The client could not be made.
    #[error("no connection can be made from here: {0}")]
    Client(#[from] reqwest::Error),
}

/// What embeddings have cost so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EmbedCost {
    /// Requests that were answered.
    pub calls: u64,
    /// Tokens that were embedded, by the server's count where it gives one.
    pub tokens: u64,
    /// Their price.
    pub cost: Money,
}

/// A server that embeds.
#[derive(Debug)]
pub struct EndpointEmbedder {
    client: Client,
    url: Url,
    name: String,
    key: Option<HeaderValue>,
    price: TokenPrice,
    within: Duration,
    /// How many numbers its vectors have, known from the first answer on.
    width: OnceLock<usize>,
    calls: AtomicU64,
    tokens: AtomicU64,
}

impl EndpointEmbedder {
    /// Prepares to ask a server; nothing is sent yet.
    pub fn new(options: EndpointOptions) -> Result<Self, EndpointError> {
        // Whoever comes first decides; a second provider is refused, and that is well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = address(&options.endpoint)?;
        let key = options.api_key_env.map(key).transpose()?;
        Ok(Self {
            client: Client::builder().connect_timeout(options.within).build()?,
            url,
            name: options.name,
            key,
            price: TokenPrice::new(options.price_per_million, Money::ZERO),
            within: options.within,
            width: OnceLock::new(),
            calls: AtomicU64::new(0),
            tokens: AtomicU64::new(0),
        })
    }

    /// What was paid so far.
    #[must_use]
    pub fn cost(&self) -> EmbedCost {
        let tokens = self.tokens.load(Ordering::Relaxed);
        let cost = self.price.cost(&TokenUse { input: tokens, ..TokenUse::default() });
        EmbedCost { calls: self.calls.load(Ordering::Relaxed), tokens, cost }
    }

    async fn ask(&self, texts: &[String]) -> Result<Vec<Vector>, String> {
        let asked = Asked { model: &self.name, input: texts, encoding_format: "float" };
        let body = serde_json::to_vec(&asked).map_err(|error| error.to_string())?;
        let mut request = self.client.post(self.url.clone()).header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key.clone());
        }
        let sent = request.timeout(self.within).body(body).send().await;
        let mut response = sent.map_err(|error| self.unreachable(&error))?;
        let body = self.body(&mut response).await?;
        if !response.status().is_success() {
            return Err(self.complaint(response.status(), &body));
        }
        let answer: Answer = serde_json::from_slice(&body)
            .map_err(|error| format!("{} answered something else than embeddings: {error}", self.url))?;
        self.count(texts, answer.usage.as_ref());
        self.vectors(answer, texts.len())
    }

    async fn body(&self, response: &mut Response) -> Result<Vec<u8>, String> {
        let mut body = Vec::new();
        while let Some(bytes) = response.chunk().await.map_err(|error| self.unreachable(&error))? {
            body.extend_from_slice(&bytes);
            if body.len() > LONGEST_ANSWER {
                return Err(format!("{} answered with more than {LONGEST_ANSWER} bytes", self.url));
            }
        }
        Ok(body)
    }

    /// Puts vectors into the order of the texts and makes sure that they can be compared.
    fn vectors(&self, mut answer: Answer, count: usize) -> Result<Vec<Vector>, String> {
        answer.data.sort_by_key(|embedded| embedded.index);
        let places = answer.data.iter().map(|embedded| embedded.index);
        if answer.data.len() != count || !places.eq(0..count) {
            return Err(format!("{count} texts were sent and {} vectors came back", answer.data.len()));
        }
        answer.data.iter().map(|embedded| self.vector(&embedded.embedding)).collect()
    }

    fn vector(&self, numbers: &[f32]) -> Result<Vector, String> {
        let width = *self.width.get_or_init(|| numbers.len());
        if numbers.len() != width {
            return Err(format!(
                "its vectors have unequal dimensions, {width} and {}: is it always the same model?",
                numbers.len()
            ));
        }
        unit(numbers).ok_or_else(|| "it answered a zero vector, which is near nothing".into())
    }

    fn count(&self, texts: &[String], usage: Option<&Usage>) {
        // Servers that do not count are taken to have a token for every four bytes.
        let estimate = || texts.iter().map(|text| text.len().div_ceil(4) as u64).sum();
        let tokens = usage.map_or_else(estimate, |usage| usage.prompt_tokens);
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.tokens.fetch_add(tokens, Ordering::Relaxed);
    }

    fn unreachable(&self, error: &reqwest::Error) -> String {
        if error.is_timeout() {
            return format!("{} did not answer within {} s", self.url, self.within.as_secs_f64());
        }
        let mut cause: &dyn std::error::Error = error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        format!("{} cannot be reached ({cause}); is the server running, and the address right?", self.url)
    }

    fn complaint(&self, status: StatusCode, body: &[u8]) -> String {
        let advice = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "; look at the key",
            StatusCode::NOT_FOUND => "; look at the address and the model's name",
            StatusCode::TOO_MANY_REQUESTS => "; try again later",
            _ => "",
        };
        let said: String = String::from_utf8_lossy(body).chars().take(LONGEST_COMPLAINT).collect();
        format!("{} answered {status}{advice}: {}", self.url, said.trim())
    }
}

impl Vectors for EndpointEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn at_once(&self, _: &str) -> Option<Vector> {
        None
    }
}

impl Embedder for EndpointEmbedder {
    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vector>, EmbedError>> {
        Box::pin(async move {
            let mut vectors = Vec::with_capacity(texts.len());
            for batch in texts.chunks(BATCH) {
                let answered = self.ask(batch).await;
                vectors.extend(answered.map_err(|reason| EmbedError { model: self.name.clone(), reason })?);
            }
            Ok(vectors)
        })
    }
}

fn address(endpoint: &str) -> Result<Url, EndpointError> {
    let wrong = |reason: String| EndpointError::Address { endpoint: endpoint.into(), reason };
    let base = endpoint.trim().trim_end_matches('/');
    // By itself first: behind `http://` the path would be taken for the host.
    let url = Url::parse(base).and_then(|_| Url::parse(&format!("{base}/embeddings")));
    let url = url.map_err(|error| wrong(error.to_string()))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        _ => Err(wrong("it must begin with http:// or https://".into())),
    }
}

fn key(variable: String) -> Result<HeaderValue, EndpointError> {
    let key = std::env::var(&variable).ok().filter(|key| !key.trim().is_empty());
    let header = key.and_then(|key| HeaderValue::from_str(&format!("Bearer {}", key.trim())).ok());
    let mut header = header.ok_or(EndpointError::Key { variable })?;
    header.set_sensitive(true);
    Ok(header)
}

#[derive(Serialize)]
struct Asked<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Embedded>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Embedded {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: u64,
}
