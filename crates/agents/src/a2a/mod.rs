//! Remote agents that speak A2A (version 1.0, JSON-RPC over HTTP): declared by the address of their card.
//!
//! A task is sent once, with the order's idempotency key as the message's id; the peer is followed by its stream
//! of events, or by looking again and again; what it asks is put to a person; when time is up or somebody says
//! stop, it is told to cancel, and only then the attempt ends. Redirects are not followed, and access keys go to
//! nobody but the hosts that the declaration names.

mod attempt;
mod card;
mod notes;
mod outputs;
mod progress;
mod record;
mod rpc;
mod sse;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use candor_model::{AgentAnswer, Failure, FailureKind, Query, QueryAnswer, RunId, Seconds, WorkOrder};
use candor_ports::{Agent, AgentFailure, AttemptContext, BoxFuture};
use reqwest::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use serde_json::Value;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use self::attempt::Attempt;
use self::card::Card;
pub use self::card::Described;
use self::rpc::{BodyError, Peer, limited_body};
use crate::http::{address_of, connection_failure, innermost, status_failure};
use crate::keys::Keys;
use crate::text;
use crate::wait::{deadline_of, until_over};

/// How large a card may be.
const MAX_CARD_BYTES: usize = 256 * 1024;
/// How long it may take to connect.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// How sure an answer of a remote agent is taken to be: it does not say.
const QUERY_CONFIDENCE: u8 = 70;
/// What the answer to a question is called.
const RESPONSE: &str = "response";

/// Reads any bytes as a card, as a stream of events in pieces, and as outputs; for the fuzz target.
pub(crate) fn read_anything(data: &[u8]) {
    let Ok(at) = Url::parse("https://peer.example/") else { return };
    let _ = card::read(&at, data);
    let mut events = sse::Sse::default();
    let mut progress = progress::Progress::default();
    let piece = data.first().map_or(1, |first| usize::from(*first).max(1));
    for bytes in data.chunks(piece) {
        for event in events.feed(bytes).unwrap_or_default() {
            if let Ok(event) = serde_json::from_slice(&event) {
                let _ = progress.absorb(event, data.len());
            }
        }
    }
    let _ = (progress.is_over(), progress.said(), outputs::outputs(&progress, &[RESPONSE.to_owned()]));
}

/// How a remote agent is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct A2aConfig {
    /// Headers that every request carries, and the environment variables that hold their whole values, such as
    /// `Authorization` from a variable with `Bearer …` in it. Values are shown nowhere.
    pub headers_env: BTreeMap<String, String>,
    /// Hosts besides the card's own that may get these headers, if the card says that its agent is there.
    pub trusted_hosts: BTreeSet<String>,
    /// How long fetching the card may take.
    pub card_timeout: Duration,
}

impl Default for A2aConfig {
    fn default() -> Self {
        Self {
            headers_env: BTreeMap::new(),
            trusted_hosts: BTreeSet::new(),
            card_timeout: Duration::from_secs(10),
        }
    }
}

/// Why there is no remote agent.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum A2aError {
    /// The address is none.
    #[error(
        "a2a: `{url}` is not an address: {problem}; expected something like http://127.0.0.1:9999 or the address of an agent card"
    )]
    Url {
        /// Address as it is configured.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A header cannot be sent.
    #[error("header `{name}`: names hold letters, digits and `-`, values hold no line breaks")]
    Header {
        /// Its name. The value may be a secret and is not shown.
        name: String,
    },
    /// A variable that a header needs is not set.
    #[error(
        "header `{header}`: the environment variable `{variable}` is not set; set it, or take the header out of `headers_env`"
    )]
    Variable {
        /// Header that needs the variable.
        header: String,
        /// Environment variable that is not set.
        variable: String,
    },
    /// Nobody can be spoken to.
    #[error("cannot speak HTTP: {problem}")]
    Client {
        /// Cause, as the HTTP client tells it.
        problem: String,
    },
    /// The card cannot be had.
    #[error("cannot get the agent card from {address}: {problem}")]
    Unreachable {
        /// Where it should be.
        address: String,
        /// Cause, as the HTTP client tells it.
        problem: String,
        /// What that means for an attempt.
        failure: Box<Failure>,
    },
    /// Something else than a card is there.
    #[error("{address} is not an agent card: {problem}; it began with `{said}`")]
    NotACard {
        /// Where it should be.
        address: String,
        /// Field that is missing or malformed.
        problem: String,
        /// What is there instead.
        said: String,
    },
    /// The card is larger than it may be.
    #[error("the agent card at {address} is larger than {} KiB", MAX_CARD_BYTES / 1024)]
    TooLarge {
        /// Address of the card.
        address: String,
    },
    /// The agent speaks in other ways only.
    #[error(
        "the agent card at {address} offers {offered}; only JSON-RPC of A2A 1.0 (`JSONRPC`, `1.0` in `supportedInterfaces`) is spoken here"
    )]
    Interface {
        /// Where the card is.
        address: String,
        /// Interfaces that the card offers.
        offered: String,
    },
    /// The agent is somewhere else than its card, and access keys would go there.
    #[error(
        "the agent card at {address} sends everyone to {endpoint}, and the headers in `headers_env` would go there; add `{host}` to `trusted_hosts` if that is meant, and use https if the card does"
    )]
    Elsewhere {
        /// Where the card is.
        address: String,
        /// Where the agent is.
        endpoint: String,
        /// Host that the card points to.
        host: String,
    },
}

impl From<A2aError> for Failure {
    fn from(error: A2aError) -> Self {
        let kind = match error {
            A2aError::Unreachable { failure, .. } => return *failure,
            A2aError::Elsewhere { .. } | A2aError::Variable { .. } => FailureKind::Denied,
            _ => FailureKind::Unavailable,
        };
        // What was declared, and what a card says, stays as it is until somebody changes it.
        Self::new(kind, format!("agent unavailable: {error}")).permanent()
    }
}

/// An agent that speaks A2A.
#[derive(Debug)]
pub struct A2aAgent {
    card_url: Url,
    config: A2aConfig,
    headers: HeaderMap,
    /// Made when it is first needed, and again if that failed.
    peer: OnceCell<Peer>,
}

impl A2aAgent {
    /// An agent whose card is at this address, or at its usual place below it. The card is fetched when it is first
    /// needed; nothing is sent before. An error is about what was declared: the address, a header, a variable that is not set.
    pub fn lazy(card_url: &str, config: A2aConfig) -> Result<Self, A2aError> {
        let headers = headers(&config.headers_env)?;
        Ok(Self { card_url: card::card_address(card_url)?, config, headers, peer: OnceCell::new() })
    }

    /// What the agent says of itself; its card is fetched if it was not yet.
    pub async fn describe(&self) -> Result<Described, A2aError> {
        Ok(self.peer().await?.card.described.clone())
    }

    async fn peer(&self) -> Result<&Peer, A2aError> {
        self.peer.get_or_try_init(|| self.meet()).await
    }

    async fn meet(&self) -> Result<Peer, A2aError> {
        // Whoever was first has installed one already; all of them are the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().redirect(Policy::none()).connect_timeout(CONNECT_LIMIT).build();
        let client = client.map_err(|error| A2aError::Client { problem: innermost(&error) })?;
        let fetched = tokio::time::timeout(self.config.card_timeout, self.fetch(&client)).await;
        let body = fetched.unwrap_or_else(|_| {
            let problem = format!("no answer after {} s", self.config.card_timeout.as_secs_f64());
            Err(self.unreachable(problem, |message| Failure::new(FailureKind::Timeout, message)))
        })?;
        let card = card::read(&self.card_url, &body)?;
        self.check_keys(&card)?;
        Ok(Peer::new(card, self.headers.clone(), client))
    }

    /// What lies where the card should be.
    async fn fetch(&self, client: &Client) -> Result<Vec<u8>, A2aError> {
        let request = client.get(self.card_url.clone()).headers(self.headers.clone());
        let response = request.header(ACCEPT, "application/json").send().await;
        let response = response.map_err(|error| self.no_connection(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = limited_body(response, MAX_CARD_BYTES).await.map_err(|error| match error {
            BodyError::TooLarge => A2aError::TooLarge { address: address_of(&self.card_url) },
            BodyError::Lost(error) => self.no_connection(&error),
        })?;
        let body = Keys::of(&self.headers).taken_out(body);
        if status.is_success() {
            return Ok(body);
        }
        let said = text::head(&body);
        let problem = format!("status {status}{}{said}", if said.is_empty() { "" } else { ": " });
        Err(self.unreachable(problem, |message| status_failure(status, &headers, message)))
    }

    fn no_connection(&self, error: &reqwest::Error) -> A2aError {
        self.unreachable(innermost(error), |message| connection_failure(error, "").with_message(message))
    }

    fn unreachable(&self, problem: String, failure: impl FnOnce(String) -> Failure) -> A2aError {
        let address = address_of(&self.card_url);
        let message = format!("agent unavailable: cannot get the agent card from {address}: {problem}");
        A2aError::Unreachable { address, problem, failure: Box::new(failure(message)) }
    }

    /// A card does not decide who gets the access keys.
    fn check_keys(&self, card: &Card) -> Result<(), A2aError> {
        let (from, to) = (&self.card_url, &card.endpoint);
        let host = to.host_str().unwrap_or_default();
        let trusted =
            self.config.trusted_hosts.contains(host) && (from.scheme() == "http" || to.scheme() == "https");
        if self.headers.is_empty() || from.origin() == to.origin() || trusted {
            return Ok(());
        }
        Err(A2aError::Elsewhere {
            address: address_of(from),
            endpoint: address_of(to),
            host: host.to_owned(),
        })
    }

    async fn attempt(
        &self,
        order: &WorkOrder,
        cx: Option<&dyn AttemptContext>,
        stop: &CancellationToken,
    ) -> Result<AgentAnswer, AgentFailure> {
        let deadline = deadline_of(order);
        let peer = tokio::select! {
            biased;
            failure = until_over(order, deadline, stop) => return Err(failure),
            peer = self.peer() => peer,
        };
        let peer = peer.map_err(Failure::from)?;
        let mut attempt = Attempt::new(peer, order, cx);
        let result = tokio::select! {
            biased;
            failure = until_over(order, deadline, stop) => Err(failure),
            result = attempt.run() => result,
        };
        attempt.end(&result).await;
        result
    }
}

impl Agent for A2aAgent {
    fn perform<'a>(
        &'a self,
        order: &'a WorkOrder,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(async move { self.attempt(order, None, &stop).await })
    }

    fn perform_among<'a>(
        &'a self,
        order: &'a WorkOrder,
        cx: Arc<dyn AttemptContext>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(async move { self.attempt(order, Some(&*cx), &stop).await })
    }

    fn answer<'a>(
        &'a self,
        run: &'a RunId,
        query: &'a Query,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<QueryAnswer, String>> {
        Box::pin(async move {
            // A question is a small task that nobody keeps notes of.
            let order = WorkOrder {
                run_id: run.clone(),
                task_id: query.task_id.clone(),
                description: query.query.clone(),
                inputs: query.context.clone(),
                upstream: BTreeMap::new(),
                context: Vec::new(),
                expected_outputs: vec![RESPONSE.to_owned()],
                attempt: 1,
                idempotency_key: format!("{run}/{}", query.id),
                deadline_seconds: Seconds::from_millis(query.timeout),
                brief: Default::default(),
                allow: Vec::new(),
            };
            let answer = self.attempt(&order, None, &stop).await.map_err(|failure| failure.to_string())?;
            let response = answer.outputs.get(RESPONSE).cloned().unwrap_or(Value::Object(answer.outputs));
            Ok(QueryAnswer { response, confidence: QUERY_CONFIDENCE })
        })
    }
}

/// The headers with their values from the environment.
fn headers(variables: &BTreeMap<String, String>) -> Result<HeaderMap, A2aError> {
    let mut headers = HeaderMap::new();
    for (name, variable) in variables {
        let wrong = || A2aError::Header { name: text::head(name.as_bytes()) };
        let key = HeaderName::try_from(name.as_str()).map_err(|_| wrong())?;
        let unset = |_| A2aError::Variable { header: name.clone(), variable: variable.clone() };
        let mut value =
            HeaderValue::try_from(std::env::var(variable).map_err(unset)?).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}
