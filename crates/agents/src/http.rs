//! Agents behind a URL: the order as a JSON POST, the answer as its JSON response, or as the last of JSON lines; see
//! [`worker`](crate::worker) for what these lines can say.
//!
//! The order carries its idempotency key in the header `Idempotency-Key`, so that a service can tell a
//! repetition from a new attempt. Redirects are not followed: an order goes to the address that was given and
//! to nobody else. When time is up the connection is closed; what the service does then is its own affair.

use std::error::Error;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use candor_model::{
    AgentAnswer, Failure, FailureKind, Query, QueryAnswer, ReportedError, RunId, Timestamp, Transience,
    WorkOrder,
};
use candor_ports::{Agent, AgentFailure, AttemptContext, BoxFuture};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use tokio_util::sync::CancellationToken;

use crate::answer::{read_query_answer, reported_error, write_query};
use crate::keys::Keys;
use crate::text;
use crate::wait::{deadline_of, until_over};
use crate::worker::{Conversation, Ending, MAX_ROUNDS};

/// How large a response may be.
const MAX_BODY_BYTES: usize = 10_000_000;
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const JSON_OR_LINES: HeaderValue = HeaderValue::from_static("application/json, application/x-ndjson");
/// The types of a response whose lines are objects of their own.
const LINES: [&str; 4] =
    ["application/x-ndjson", "application/ndjson", "application/jsonl", "text/event-stream"];
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What is wrong with the description of an HTTP agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpAgentError {
    /// The address is none.
    #[error(
        "http: `{url}` is not an address: {problem}; expected something like http://127.0.0.1:8080/agent"
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

    async fn ask(
        &self,
        order: &WorkOrder,
        cx: Option<Arc<dyn AttemptContext>>,
    ) -> Result<AgentAnswer, AgentFailure> {
        let unusable =
            |problem: String| AgentFailure::failed(FailureKind::BadOutput, self.unusable(&problem));
        let mut conversation = Conversation::new(order, cx);
        for _ in 0..MAX_ROUNDS {
            let request = conversation.order()?;
            let response = self.send(request, &order.idempotency_key, JSON_OR_LINES).await?;
            let last = if is_lines(&response) {
                self.last_line(response, &conversation).await?
            } else {
                self.body(response).await?
            };
            match conversation.end(&last).await {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => {}
                Err(Ending::Over(failure)) => return Err(failure),
                Err(Ending::Unusable(problem)) => return Err(unusable(problem)),
            }
        }
        Err(unusable(format!("it asked something {MAX_ROUNDS} times and never answered")))
    }

    /// Reads a response line by line: what is told is passed on as it comes, the first other line is its end.
    async fn last_line(
        &self,
        mut response: Response,
        conversation: &Conversation<'_>,
    ) -> Result<Vec<u8>, AgentFailure> {
        let unusable = |problem: &str| AgentFailure::failed(FailureKind::BadOutput, self.unusable(problem));
        let keys = Keys::of(&self.headers);
        let mut pending = Vec::new();
        loop {
            let chunk = response.chunk().await.map_err(|error| self.lost(&error))?;
            let ended = chunk.is_none();
            pending.extend_from_slice(chunk.as_deref().unwrap_or(b"\n"));
            while let Some(at) = pending.iter().position(|byte| *byte == b'\n') {
                let rest = pending.split_off(at + 1);
                let line = keys.taken_out(std::mem::replace(&mut pending, rest));
                let Some(line) = content(&line) else { continue };
                let told = conversation.tell(line).await.map_err(|problem| unusable(&problem))?;
                if !told {
                    return Ok(line.to_vec());
                }
            }
            if pending.len() > MAX_BODY_BYTES {
                return Err(unusable(&format!("a line is longer than {} MB", MAX_BODY_BYTES / 1_000_000)));
            }
            if ended {
                return Err(unusable("it ended without an answer"));
            }
        }
    }

    async fn attempt(
        &self,
        order: &WorkOrder,
        cx: Option<Arc<dyn AttemptContext>>,
        stop: CancellationToken,
    ) -> Result<AgentAnswer, AgentFailure> {
        let deadline = deadline_of(order);
        tokio::select! {
            biased;
            failure = until_over(order, deadline, &stop) => Err(failure),
            result = self.ask(order, cx) => result,
        }
    }

    async fn ask_query(&self, run: &RunId, query: &Query) -> Result<QueryAnswer, String> {
        let body = write_query(query)?;
        let key = format!("{run}/{}", query.id);
        let response = self.send(body, &key, JSON).await.map_err(|failure| failure.to_string())?;
        let body = self.body(response).await.map_err(|failure| failure.to_string())?;
        read_query_answer(&body).map_err(|problem| self.unusable(&problem))
    }

    fn unusable(&self, problem: &str) -> String {
        format!("{} gave no usable answer: {problem}", self.address())
    }

    /// Sends a body, and gives the response if it is a success.
    async fn send(&self, body: Vec<u8>, key: &str, accept: HeaderValue) -> Result<Response, AgentFailure> {
        let key = HeaderValue::try_from(key).map_err(|_| {
            AgentFailure::failed(FailureKind::TaskError, "the idempotency key does not fit into a header")
        })?;
        let request = self
            .client()?
            .post(self.url.clone())
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, JSON)
            .header(ACCEPT, accept)
            .header(IDEMPOTENCY_KEY, key)
            .body(body);
        let response = request.send().await.map_err(|error| self.lost(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        if status.is_success() {
            return Ok(response);
        }
        let body = self.body(response).await?;
        Err(self.refused(status, &headers, &body))
    }

    fn client(&self) -> Result<&Client, AgentFailure> {
        let client = self.client.get_or_init(|| {
            // Whoever was first has installed one already; all of them are the same.
            let _ = rustls::crypto::ring::default_provider().install_default();
            Client::builder().redirect(Policy::none()).build().map_err(|error| innermost(&error))
        });
        client.as_ref().map_err(|problem| {
            Failure::new(FailureKind::Unavailable, format!("cannot speak HTTP: {problem}")).permanent().into()
        })
    }

    /// The response's body, as long as it may be.
    async fn body(&self, mut response: Response) -> Result<Vec<u8>, AgentFailure> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.lost(&error))? {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_BODY_BYTES {
                let limit = MAX_BODY_BYTES / 1_000_000;
                let message = format!("{} sent more than {limit} MB", self.address());
                return Err(AgentFailure::failed(FailureKind::BadOutput, message));
            }
        }
        // An access key that the service says back must not get on the log.
        Ok(Keys::of(&self.headers).taken_out(body))
    }

    /// A service that cannot be reached is an agent that is not there, and is called so: others may be.
    fn lost(&self, error: &reqwest::Error) -> AgentFailure {
        let shortage = |cause: &(dyn Error + 'static)| {
            cause.downcast_ref::<io::Error>().is_some_and(candor_process::is_shortage)
        };
        if error.is_connect() && causes(error).any(shortage) {
            let reason = format!("cannot connect to {}: {}", self.address(), innermost(error));
            return AgentFailure::NoResources { reason };
        }
        connection_failure(error, &self.address()).into()
    }

    fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> AgentFailure {
        let busy = [
            StatusCode::TOO_MANY_REQUESTS,
            StatusCode::BAD_GATEWAY,
            StatusCode::SERVICE_UNAVAILABLE,
            StatusCode::GATEWAY_TIMEOUT,
        ];
        let mut reason =
            if busy.contains(&status) { "agent unavailable: ".to_owned() } else { String::new() };
        reason += &format!("{} answered with status {status}", self.address());
        if let Some(location) = headers.get(LOCATION) {
            reason +=
                &format!(" and points to {}; redirects are not followed", text::head(location.as_bytes()));
        }
        let said = reported_error(body).unwrap_or_default();
        match text::head(said.message.as_deref().map_or(body, str::as_bytes)).as_str() {
            "" => {}
            quoted => reason += &format!(": {quoted}"),
        }
        status_failure(status, headers, reason).as_reported(&ReportedError { message: None, ..said }).into()
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
        Box::pin(self.attempt(order, None, stop))
    }

    fn perform_among<'a>(
        &'a self,
        order: &'a WorkOrder,
        cx: Arc<dyn AttemptContext>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(self.attempt(order, Some(cx), stop))
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

fn is_lines(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    LINES.iter().any(|lines| kind.eq_ignore_ascii_case(lines))
}

/// What a line holds, also as an event of a stream; nothing for one that is empty, a comment or another field.
fn content(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    match line.strip_prefix(b"data:") {
        Some(data) => Some(data.trim_ascii()),
        None => Some(line).filter(|line| line.starts_with(b"{")),
    }
}

/// An address without what may be a secret: user, password and query.
pub(crate) fn address_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path())
}

/// A connection to this address that could not be made, or broke.
pub(crate) fn connection_failure(error: &reqwest::Error, address: &str) -> Failure {
    let problem = innermost(error);
    if error.is_connect() {
        let message = format!("agent unavailable: cannot connect to {address}: {problem}");
        let failure = Failure::new(FailureKind::Unavailable, message);
        // Neither a certificate nor a peer that speaks no TLS changes by itself.
        return if is_tls(error) { failure.permanent() } else { failure };
    }
    let kind = if error.is_timeout() { FailureKind::Timeout } else { FailureKind::Unavailable };
    Failure::new(kind, format!("the connection to {address} was lost: {problem}"))
}

/// What a status other than success stands for.
pub(crate) fn status_failure(status: StatusCode, headers: &HeaderMap, message: String) -> Failure {
    let failed = |kind| Failure::new(kind, message);
    let failure = match status.as_u16() {
        401 | 403 | 407 => failed(FailureKind::Denied),
        408 | 504 => failed(FailureKind::Timeout),
        429 => failed(FailureKind::RateLimited),
        502 | 503 => failed(FailureKind::Unavailable),
        300..=399 | 404 | 410 | 501 | 505 => failed(FailureKind::Unavailable).permanent(),
        500..=599 => failed(FailureKind::Unavailable).with_transience(Transience::Unknown),
        _ => failed(FailureKind::TaskError),
    };
    let wait = headers.get(RETRY_AFTER).and_then(|wait| wait.to_str().ok());
    failure.with_retry_after(wait.and_then(|wait| candor_model::retry_after(wait, now())))
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// The last cause of an error: the others only say that a request failed.
pub(crate) fn innermost(error: &reqwest::Error) -> String {
    causes(error).last().map_or_else(|| error.to_string(), ToString::to_string)
}

fn is_tls(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| cause.is::<rustls::Error>())
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |cause| cause_of(*cause))
}

/// The cause of an error. An I/O error passes over what it holds when it is asked for it.
fn cause_of<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(held) => Some(held),
        None => error.source(),
    }
}
