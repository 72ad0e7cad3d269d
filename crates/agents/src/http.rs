//! Agents behind a URL: the order as a JSON POST, the answer as its JSON response.
//!
//! The order carries its idempotency key in the header `Idempotency-Key`, so that a service can tell a
//! repetition from a new attempt. Redirects are not followed: an order goes to the address that was given and
//! to nobody else. When time is up the connection is closed; what the service does then is its own affair.

use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

use candor_model::{AgentAnswer, Query, QueryAnswer, RunId, WorkOrder};
use candor_ports::{Agent, AgentFailure, BoxFuture};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use tokio_util::sync::CancellationToken;

use crate::answer::{read_answer, read_query_answer, write_query};
use crate::text;
use crate::wait::{deadline_of, until_over};

/// How large a response may be.
const MAX_BODY_BYTES: usize = 10_000_000;
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What is wrong with the description of an HTTP agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpAgentError {
    /// The address is none.
    #[error(
        "http: `{url}` is not an address: {problem}; expected something like http://127.0.0.1:8080/agent"
    )]
    Url {
        /// What was written.
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
}

/// An agent behind a URL.
#[derive(Debug)]
pub struct HttpAgent {
    url: Url,
    headers: HeaderMap,
    // Made when it is first needed: reading the system's certificates takes longer than a quick command may.
    client: OnceLock<Result<Client, String>>,
}

impl HttpAgent {
    /// An agent at this address, which begins with `http://` or `https://`.
    pub fn new(url: &str) -> Result<Self, HttpAgentError> {
        let wrong = |problem: String| HttpAgentError::Url { url: url.to_owned(), problem };
        let parsed = Url::parse(url).map_err(|error| wrong(error.to_string()))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(wrong(format!("`{}` is neither http nor https", parsed.scheme())));
        }
        Ok(Self { url: parsed, headers: HeaderMap::new(), client: OnceLock::new() })
    }

    /// The same with a header that every order carries, such as an access key.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, HttpAgentError> {
        let wrong = || HttpAgentError::Header { name: name.to_owned() };
        let key = HeaderName::try_from(name).map_err(|_| wrong())?;
        let mut value = HeaderValue::try_from(value).map_err(|_| wrong())?;
        value.set_sensitive(true);
        self.headers.insert(key, value);
        Ok(self)
    }

    async fn ask(&self, order: &WorkOrder) -> Result<AgentAnswer, AgentFailure> {
        let body = serde_json::to_vec(order)
            .map_err(|error| AgentFailure::failed(format!("the order cannot be written as JSON: {error}")))?;
        let body = self.post(body, &order.idempotency_key).await?;
        read_answer(&body).map_err(|problem| AgentFailure::failed(self.unusable(&problem)))
    }

    async fn ask_query(&self, run: &RunId, query: &Query) -> Result<QueryAnswer, String> {
        let body = write_query(query)?;
        let key = format!("{run}/{}", query.id);
        let body = self.post(body, &key).await.map_err(|failure| failure.to_string())?;
        read_query_answer(&body).map_err(|problem| self.unusable(&problem))
    }

    fn unusable(&self, problem: &str) -> String {
        format!("{} gave no usable answer: {problem}", self.address())
    }

    /// Sends a body and takes the body of a successful response.
    async fn post(&self, body: Vec<u8>, key: &str) -> Result<Vec<u8>, AgentFailure> {
        let key = HeaderValue::try_from(key)
            .map_err(|_| AgentFailure::failed("the idempotency key does not fit into a header"))?;
        let request = self
            .client()?
            .post(self.url.clone())
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, JSON)
            .header(ACCEPT, JSON)
            .header(IDEMPOTENCY_KEY, key)
            .body(body);
        let response = request.send().await.map_err(|error| self.lost(&error))?;
        let status = response.status();
        let location = response.headers().get(LOCATION).and_then(|to| to.to_str().ok()).map(str::to_owned);
        let body = self.body(response).await?;
        if status.is_success() { Ok(body) } else { Err(self.refused(status, location.as_deref(), &body)) }
    }

    fn client(&self) -> Result<&Client, AgentFailure> {
        let client = self.client.get_or_init(|| {
            // Whoever was first has installed one already; all of them are the same.
            let _ = rustls::crypto::ring::default_provider().install_default();
            Client::builder().redirect(Policy::none()).build().map_err(|error| innermost(&error))
        });
        client.as_ref().map_err(|problem| AgentFailure::failed(format!("cannot speak HTTP: {problem}")))
    }

    /// The response's body, as long as it may be.
    async fn body(&self, mut response: Response) -> Result<Vec<u8>, AgentFailure> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.lost(&error))? {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_BODY_BYTES {
                let limit = MAX_BODY_BYTES / 1_000_000;
                return Err(AgentFailure::failed(format!("{} sent more than {limit} MB", self.address())));
            }
        }
        Ok(body)
    }

    /// A service that cannot be reached is an agent that is not there, and is called so: others may be.
    fn lost(&self, error: &reqwest::Error) -> AgentFailure {
        let (address, problem) = (self.address(), innermost(error));
        AgentFailure::failed(if error.is_connect() {
            format!("agent unavailable: cannot connect to {address}: {problem}")
        } else {
            format!("the connection to {address} was lost: {problem}")
        })
    }

    fn refused(&self, status: StatusCode, location: Option<&str>, body: &[u8]) -> AgentFailure {
        let busy = [
            StatusCode::TOO_MANY_REQUESTS,
            StatusCode::BAD_GATEWAY,
            StatusCode::SERVICE_UNAVAILABLE,
            StatusCode::GATEWAY_TIMEOUT,
        ];
        let mut reason =
            if busy.contains(&status) { "agent unavailable: ".to_owned() } else { String::new() };
        reason += &format!("{} answered with status {status}", self.address());
        if let Some(location) = location {
            reason +=
                &format!(" and points to {}; redirects are not followed", text::head(location.as_bytes()));
        }
        match text::head(body).as_str() {
            "" => {}
            quoted => reason += &format!(": {quoted}"),
        }
        AgentFailure::failed(reason)
    }

    /// The address without what may be a secret: user, password and query.
    fn address(&self) -> String {
        address_of(&self.url)
    }
}

impl Agent for HttpAgent {
    fn perform<'a>(
        &'a self,
        order: &'a WorkOrder,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        let deadline = deadline_of(order);
        Box::pin(async move {
            tokio::select! {
                biased;
                failure = until_over(order, deadline, &stop) => Err(failure),
                result = self.ask(order) => result,
            }
        })
    }

    fn answer<'a>(
        &'a self,
        run: &'a RunId,
        query: &'a Query,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<QueryAnswer, String>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = stop.cancelled() => Err("it was stopped".to_owned()),
                result = self.ask_query(run, query) => result,
                () = tokio::time::sleep(Duration::from_millis(query.timeout)) => {
                    Err(format!("it had no answer after {} ms", query.timeout))
                }
            }
        })
    }
}

/// An address without what may be a secret: user, password and query.
pub(crate) fn address_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path())
}

/// The last cause of an error: the others only say that a request failed.
pub(crate) fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
