//! Speaking to a peer: JSON-RPC over HTTP, with answers as one body or as a stream of events.
//!
//! Everything that comes is bounded. What comes instead of an answer is told apart by what it means for the one
//! who sent: nothing was sent, nobody knows, or the peer said no.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};

use a2a::{JsonRpcError, JsonRpcRequest, StreamResponse};
use candor_model::{Failure, FailureKind, Transience};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::card::Card;
use super::sse::Sse;
use crate::http::{address_of, connection_failure, status_failure};
use crate::keys::Keys;
use crate::text;

/// How large an answer may be that is no stream.
pub(super) const MAX_BODY_BYTES: usize = 1024 * 1024;
/// How much may come in one stream in all.
const MAX_STREAM_BYTES: usize = 16 * 1024 * 1024;
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream, application/json");
/// How JSON-RPC says that the peer itself broke.
const INTERNAL_ERROR: i32 = -32603;
const VERSION_HEADER: HeaderName = HeaderName::from_static("a2a-version");
const VERSION: HeaderValue = HeaderValue::from_static(a2a::VERSION);

/// What came instead of an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum Trouble {
    /// Nobody is there: nothing was sent.
    #[error("{0}")]
    Unreachable(Box<Failure>),
    /// It was sent, and the connection broke: nobody knows what became of it.
    #[error("{0}")]
    Lost(String),
    /// The peer said no.
    #[error("{failure}")]
    Refused {
        /// The protocol's number for it; none if it was said in another way.
        code: Option<i32>,
        /// Failure of the attempt that follows from it.
        failure: Box<Failure>,
    },
    /// It said something that cannot be understood or is too much.
    #[error("{0}")]
    Unusable(String),
    /// Notes are not taken any more.
    #[error("it stopped, since its notes are not taken any more: {0}")]
    Unnoted(String),
}

impl Trouble {
    /// Whether it may be gone the next time.
    pub(super) const fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Lost(_))
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Unreachable(failure) | Trouble::Refused { failure, .. } => *failure,
            Trouble::Lost(text) => Self::new(FailureKind::Unavailable, text),
            Trouble::Unusable(text) => Self::new(FailureKind::BadOutput, text),
            Trouble::Unnoted(_) => Self::new(FailureKind::Cancelled, trouble.to_string()),
        }
    }
}

/// A peer whose card was read.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) card: Card,
    headers: HeaderMap,
    keys: Keys,
    client: Client,
    next_id: AtomicI64,
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    result: Option<Value>,
    #[serde(default)]
    error: Option<JsonRpcError>,
}

impl Peer {
    pub(super) fn new(card: Card, headers: HeaderMap, client: Client) -> Self {
        Self { card, keys: Keys::of(&headers), headers, client, next_id: AtomicI64::new(1) }
    }

    /// What it is called in messages.
    pub(super) fn name(&self) -> &str {
        &self.card.described.name
    }

    /// Where it is, without what may be a secret.
    pub(super) fn address(&self) -> String {
        address_of(&self.card.endpoint)
    }

    /// Calls a method that is answered at once.
    pub(super) async fn call(&self, method: &str, params: &impl Serialize) -> Result<Value, Trouble> {
        let response = self.post(method, params, JSON).await?;
        let body = self.body(response).await?;
        self.result(&body)
    }

    /// Calls a method that is answered event by event.
    pub(super) async fn stream(&self, method: &str, params: &impl Serialize) -> Result<Events<'_>, Trouble> {
        let response = self.post(method, params, EVENTS).await?;
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.to_ascii_lowercase().starts_with("text/event-stream") {
            return Ok(Events {
                peer: self,
                response: Some(response),
                sse: Sse::default(),
                ready: VecDeque::new(),
                taken: 0,
            });
        }
        // Some say no, or all there is to say, without a stream.
        let body = self.body(response).await?;
        Ok(Events {
            peer: self,
            response: None,
            sse: Sse::default(),
            ready: VecDeque::from([body]),
            taken: 0,
        })
    }

    async fn post(
        &self,
        method: &str,
        params: &impl Serialize,
        accept: HeaderValue,
    ) -> Result<Response, Trouble> {
        let unwritten = |error: serde_json::Error| {
            Trouble::Unusable(format!("the message cannot be written as JSON: {error}"))
        };
        let mut params = serde_json::to_value(params).map_err(unwritten)?;
        if let (Some(tenant), Some(params)) = (&self.card.tenant, params.as_object_mut()) {
            params.insert("tenant".to_owned(), Value::from(tenant.as_str()));
        }
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let body =
            serde_json::to_vec(&JsonRpcRequest::new(id.into(), method, Some(params))).map_err(unwritten)?;
        let request = self.client.post(self.card.endpoint.clone()).headers(self.headers.clone());
        let request =
            request.header(CONTENT_TYPE, JSON).header(ACCEPT, accept).header(VERSION_HEADER, VERSION);
        let response = request.body(body).send().await.map_err(|error| self.lost(&error))?;
        if response.status().is_success() { Ok(response) } else { Err(self.refused(response).await) }
    }

    fn lost(&self, error: &reqwest::Error) -> Trouble {
        let failure = connection_failure(error, &self.address());
        if error.is_connect() {
            Trouble::Unreachable(Box::new(failure))
        } else {
            Trouble::Lost(failure.message)
        }
    }

    /// A status other than success. Peers also wrap errors of the protocol into one.
    async fn refused(&self, response: Response) -> Trouble {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = match self.body(response).await {
            Ok(body) => body,
            Err(trouble) => return trouble,
        };
        if let Ok(Reply { error: Some(error), .. }) = serde_json::from_slice(&body) {
            return self.said_no(&error);
        }
        let hint = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "; check the agent's `headers_env`",
            status if status.is_redirection() => "; redirects are not followed",
            _ => "",
        };
        let unavailable = if matches!(status.as_u16(), 429 | 502..=504) { "agent unavailable: " } else { "" };
        let said = match text::head(&body).as_str() {
            "" => String::new(),
            said => format!(": {said}"),
        };
        let text = format!("{unavailable}{} answered with status {status}{hint}{said}", self.address());
        match status {
            // Somebody in between has no answer: the peer may have the message all the same.
            StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT => Trouble::Lost(text),
            _ => Trouble::Refused { code: None, failure: Box::new(status_failure(status, &headers, text)) },
        }
    }

    fn said_no(&self, error: &JsonRpcError) -> Trouble {
        let said = text::head(error.message.as_bytes());
        let text = format!("the remote agent `{}` refused: {said} (error {})", self.name(), error.code);
        let failure = match error.code {
            INTERNAL_ERROR => {
                Failure::new(FailureKind::Unavailable, text).with_transience(Transience::Unknown)
            }
            _ => Failure::new(FailureKind::TaskError, text),
        };
        Trouble::Refused { code: Some(error.code), failure: Box::new(failure) }
    }

    async fn body(&self, response: Response) -> Result<Vec<u8>, Trouble> {
        let body = limited_body(response, MAX_BODY_BYTES).await.map_err(|error| match error {
            BodyError::TooLarge => {
                Trouble::Unusable(format!("{} sent more than {} KiB", self.address(), MAX_BODY_BYTES / 1024))
            }
            BodyError::Lost(error) => self.lost(&error),
        });
        body.map(|body| self.keys.taken_out(body))
    }

    /// The result in a JSON-RPC answer.
    fn result(&self, bytes: &[u8]) -> Result<Value, Trouble> {
        let unusable = |problem: &str| {
            Trouble::Unusable(format!(
                "{} gave no usable answer: {problem}; it began with `{}`",
                self.address(),
                text::head(bytes)
            ))
        };
        let reply: Reply = serde_json::from_slice(bytes)
            .map_err(|error| unusable(&format!("expected JSON-RPC ({error})")))?;
        match reply {
            Reply { error: Some(error), .. } => Err(self.said_no(&error)),
            Reply { result: Some(result), .. } => Ok(result),
            Reply { .. } => Err(unusable("expected `result` or `error`, found neither")),
        }
    }

    /// Reads a value of the protocol.
    pub(super) fn read<T: serde::de::DeserializeOwned>(&self, value: Value) -> Result<T, Trouble> {
        let quoted = text::head(value.to_string().as_bytes());
        serde_json::from_value(value).map_err(|error| {
            Trouble::Unusable(format!(
                "{} gave no usable answer: {error}; it began with `{quoted}`",
                self.address()
            ))
        })
    }
}

/// The events of one answer.
pub(super) struct Events<'a> {
    peer: &'a Peer,
    response: Option<Response>,
    sse: Sse,
    ready: VecDeque<Vec<u8>>,
    taken: usize,
}

impl Events<'_> {
    /// The next event and its size; none when there are no more. Nothing is lost if the wait is given up.
    pub(super) async fn next(&mut self) -> Result<Option<(StreamResponse, usize)>, Trouble> {
        loop {
            if let Some(data) = self.ready.pop_front() {
                let event = self.peer.read(self.peer.result(&data)?)?;
                return Ok(Some((event, data.len())));
            }
            let Some(response) = &mut self.response else { return Ok(None) };
            match response.chunk().await.map_err(|error| self.peer.lost(&error))? {
                None => return Ok(None),
                Some(bytes) => self.take(&bytes)?,
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        self.taken = self.taken.saturating_add(bytes.len());
        let address = || self.peer.address();
        if self.taken > MAX_STREAM_BYTES {
            return Err(Trouble::Unusable(format!(
                "{} sent more than {} MiB in one stream",
                address(),
                MAX_STREAM_BYTES >> 20
            )));
        }
        let events = self.sse.feed(bytes).map_err(|_| {
            Trouble::Unusable(format!(
                "{} sent an event of more than {} KiB",
                address(),
                super::sse::MAX_EVENT_BYTES / 1024
            ))
        })?;
        self.ready.extend(events.into_iter().map(|event| self.peer.keys.taken_out(event)));
        Ok(())
    }
}

/// Why a body was not read to its end.
pub(super) enum BodyError {
    TooLarge,
    Lost(reqwest::Error),
}

/// A body of at most so many bytes.
pub(super) async fn limited_body(mut response: Response, most: usize) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(BodyError::Lost)? {
        if body.len() + chunk.len() > most {
            return Err(BodyError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
