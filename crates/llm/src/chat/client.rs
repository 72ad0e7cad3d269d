//! The client of one tier: live, recording, or replaying.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use candor_model::{ModelErrorKind, ModelFailure, Money, Seconds};
use candor_ports::Words;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Method, Request, Url};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::exchange::exchange;
use super::failure::Whom;
use super::wire::{self, Draft, Finish};
use super::{ChatAnswer, ChatRequest, TierConfig, TierProblem};
use crate::record::{Channel, Exchange, digest};
use crate::redact::Redactor;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// A deadline further away than this is this: clocks cannot count to the largest number of seconds.
const FAR_AWAY: Duration = Duration::from_secs(365 * 24 * 3600);

/// Reaches the model of one tier.
pub struct ChatClient {
    whom: Whom,
    base: Url,
    key: Option<String>,
    channel: Channel,
    places: Semaphore,
    // Made when it is first needed: reading the system's certificates takes longer than a quick command may.
    http: OnceLock<Result<reqwest::Client, String>>,
}

/// Whether a tier answers, how fast, and at what price.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Whether an answer came.
    pub answered: bool,
    /// How long it took.
    pub latency: Seconds,
    /// Price of the question that tried it.
    pub cost: Money,
    /// Set when no answer came.
    pub problem: Option<ModelFailure>,
}

impl ChatClient {
    /// A client for a tier, with its key from the environment.
    pub fn new(tier: TierConfig, channel: Channel) -> Result<Self, TierProblem> {
        Self::with_environment(tier, channel, &|name| std::env::var(name).ok())
    }

    /// A client for a tier, with its key from an environment that is given.
    pub fn with_environment(
        tier: TierConfig,
        channel: Channel,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, TierProblem> {
        tier.check()?;
        let base = tier.base_url()?;
        let variable = tier.key_variable().unwrap_or_default();
        let key = environment(variable).map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        let redactor = Redactor::of_environment(&[variable], environment);
        let places = Semaphore::new(usize::from(tier.max_concurrent));
        let whom = Whom { address: address(&base), tier, redactor };
        Ok(Self { whom, base, key, channel, places, http: OnceLock::new() })
    }

    /// Borrows the settings of the tier it asks.
    #[must_use]
    pub const fn tier(&self) -> &TierConfig {
        &self.whom.tier
    }

    /// Takes secrets out of text: the usual shapes, and the keys that this client knows.
    #[must_use]
    pub const fn redactor(&self) -> &Redactor {
        &self.whom.redactor
    }

    /// Why the recording of its exchanges is not complete, if there is one and it is not.
    #[must_use]
    pub fn recording_problem(&self) -> Option<&str> {
        match &self.channel {
            Channel::Recording(recorder) => recorder.problem(),
            Channel::Live | Channel::Replaying(_) => None,
        }
    }

    /// The digest of a request; recordings are kept under it.
    #[must_use]
    pub fn digest(&self, request: &ChatRequest) -> String {
        digest(&self.whom.tier, &request.redacted(&self.whom.redactor))
    }

    /// The most that a call can cost.
    #[must_use]
    pub fn at_most(&self, request: &ChatRequest) -> Money {
        super::at_most(request, &self.whom.tier)
    }

    /// Asks the model. It ends within `within` and within the tier's own limit, and soon after `stop` fires;
    /// `words` is told the answer as it comes, if it is given.
    pub async fn chat(
        &self,
        request: &ChatRequest,
        within: Seconds,
        words: Option<Words>,
        stop: CancellationToken,
    ) -> Result<ChatAnswer, ModelFailure> {
        match &self.channel {
            Channel::Live => self.ask(request, within, words.as_ref(), &stop).await,
            Channel::Recording(recorder) => {
                let started = Instant::now();
                let outcome = self.ask(request, within, words.as_ref(), &stop).await;
                let exchange =
                    Exchange::new(&self.whom.tier, request, outcome, since(started), &self.whom.redactor);
                recorder.keep(&exchange);
                exchange.into_outcome()
            }
            Channel::Replaying(replayer) => {
                let request = request.redacted(&self.whom.redactor);
                let exchange =
                    replayer.next(&self.whom.tier, &request).map_err(|problem| self.failed(problem))?;
                let outcome = exchange.into_outcome();
                if let (Some(words), Ok(answer)) = (&words, &outcome) {
                    words(&answer.text);
                }
                outcome
            }
        }
    }

    /// Asks for one word, to see whether the model answers.
    pub async fn probe(&self) -> Probe {
        let request = ChatRequest::new("", "Answer with the word ready.", 8);
        let started = Instant::now();
        let outcome = self.chat(&request, self.whom.tier.timeout, None, CancellationToken::new()).await;
        let latency = since(started);
        match outcome {
            Ok(answer) => {
                let cost = self.whom.tier.token_price().cost(&answer.tokens);
                Probe { answered: true, latency, cost, problem: None }
            }
            Err(problem) => Probe { answered: false, latency, cost: Money::ZERO, problem: Some(problem) },
        }
    }

    async fn ask(
        &self,
        request: &ChatRequest,
        within: Seconds,
        words: Option<&Words>,
        stop: &CancellationToken,
    ) -> Result<ChatAnswer, ModelFailure> {
        let limit = if within.get() < self.whom.tier.timeout.get() { within } else { self.whom.tier.timeout };
        tokio::select! {
            biased;
            () = stop.cancelled() => Err(self.whom.stopped()),
            () = tokio::time::sleep(Duration::from_millis(limit.as_millis()).min(FAR_AWAY)) => {
                Err(self.whom.timed_out(limit))
            }
            answer = self.exchange(request, words) => answer,
        }
    }

    async fn exchange(
        &self,
        request: &ChatRequest,
        words: Option<&Words>,
    ) -> Result<ChatAnswer, ModelFailure> {
        let outgoing = self.outgoing(request, words.is_some())?;
        let http = self.http()?;
        let _place = self.places.acquire().await.map_err(|_| self.whom.stopped())?;
        let wire = wire::of(self.whom.tier.provider);
        let Draft { text, tokens, finish } = exchange(http, outgoing, wire, &self.whom, words).await?;
        if finish == Some(Finish::Filtered) {
            return Err(self.whom.filtered());
        }
        Ok(ChatAnswer { text, tokens, truncated: finish == Some(Finish::Length) })
    }

    fn outgoing(&self, request: &ChatRequest, stream: bool) -> Result<Request, ModelFailure> {
        let tier = &self.whom.tier;
        let wire = wire::of(tier.provider);
        let path = wire.path(tier, stream);
        let url = Url::parse(&format!("{}{path}", self.base))
            .map_err(|error| self.failed(format!("`model` makes no address: {error}")))?;
        let mut outgoing = Request::new(Method::POST, url);
        *outgoing.headers_mut() = self.headers(wire)?;
        let body = serde_json::to_vec(&wire.body(tier, request, stream))
            .map_err(|error| self.failed(format!("the question cannot be written as JSON: {error}")))?;
        *outgoing.body_mut() = Some(body.into());
        Ok(outgoing)
    }

    fn headers(&self, wire: &dyn wire::Wire) -> Result<HeaderMap, ModelFailure> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, JSON);
        headers.extend(wire.extra());
        if let Some(variable) = self.whom.tier.key_variable() {
            let key = self.key.as_deref().ok_or_else(|| self.whom.no_key(variable))?;
            let (name, mut value) = wire.key(key).map_err(|_| self.whom.odd_key(variable))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }

    fn http(&self) -> Result<&reqwest::Client, ModelFailure> {
        let http = self.http.get_or_init(|| {
            // Whoever was first has installed one already; all of them are the same.
            let _ = rustls::crypto::ring::default_provider().install_default();
            // A key goes to the address that was given and to nobody else.
            let builder = reqwest::Client::builder().redirect(Policy::none()).tcp_nodelay(true);
            builder.build().map_err(|error| error.to_string())
        });
        http.as_ref().map_err(|problem| self.failed(format!("cannot speak HTTP: {problem}")))
    }

    fn failed(&self, message: impl Into<String>) -> ModelFailure {
        self.whom.failure(ModelErrorKind::Protocol, message)
    }
}

impl std::fmt::Debug for ChatClient {
    // The key stays out.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ChatClient").field("model", &self.whom.tier.name()).finish_non_exhaustive()
    }
}

/// An address without what may be a secret: user, password and query.
fn address(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path())
}

fn since(started: Instant) -> Seconds {
    Seconds::from_millis(u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX))
}
