//! The forms in which providers are asked and answer: one module each, data in and data out.
//!
//! Nothing here touches a socket. A form says what is sent, and fills a [`Draft`] from what comes back, whole
//! or event by event.

mod anthropic;
mod gemini;
mod openai;

use candor_model::TokenUse;
use reqwest::header::{HeaderName, HeaderValue, InvalidHeaderValue};
use serde_json::Value;

use super::{ChatRequest, Provider, TierConfig};

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finish {
    /// The model had said all.
    Complete,
    /// It reached its limit of tokens.
    Length,
    /// The provider stopped it.
    Filtered,
}

/// An answer as far as it has come.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) tokens: TokenUse,
    pub(crate) finish: Option<Finish>,
}

/// What the provider says in place of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NoAnswer {
    /// An error in its own form, under the status of a success.
    Error(Value),
    /// Something in no known form.
    Unknown,
}

/// Requests and answers in the format of one provider.
pub(crate) trait Wire: Send + Sync {
    /// What follows the base address.
    fn path(&self, tier: &TierConfig, stream: bool) -> String;

    /// The header that carries the key.
    fn key(&self, key: &str) -> Result<(HeaderName, HeaderValue), InvalidHeaderValue>;

    /// A header that is always sent.
    fn extra(&self) -> Option<(HeaderName, HeaderValue)> {
        None
    }

    /// JSON body of the request.
    fn body(&self, tier: &TierConfig, request: &ChatRequest, stream: bool) -> Value;

    /// Reads a whole answer.
    fn read(&self, body: &Value, draft: &mut Draft) -> Result<(), NoAnswer>;

    /// Reads one event of a stream.
    fn read_event(&self, event: &Value, draft: &mut Draft) -> Result<(), NoAnswer>;
}

/// The form of a provider.
pub(crate) fn of(provider: Provider) -> &'static dyn Wire {
    match provider {
        Provider::Anthropic => &anthropic::Anthropic,
        Provider::OpenAi | Provider::OpenAiCompatible => &openai::OpenAi,
        Provider::Gemini => &gemini::Gemini,
    }
}

/// Who says what after the system's words, in turns. An earlier answer without words is left out: providers
/// refuse a turn that says nothing.
pub(super) fn turns(request: &ChatRequest) -> Vec<(Speaker, String)> {
    match &request.earlier {
        None => vec![(Speaker::User, request.question.clone())],
        Some((answer, follow_up)) if answer.trim().is_empty() => {
            vec![(Speaker::User, format!("{}\n\n{follow_up}", request.question))]
        }
        Some((answer, follow_up)) => vec![
            (Speaker::User, request.question.clone()),
            (Speaker::Model, answer.clone()),
            (Speaker::User, follow_up.clone()),
        ],
    }
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Model,
}

/// A count of tokens; what is missing counts as none.
pub(super) fn count(usage: &Value, path: &str) -> u64 {
    usage.pointer(path).and_then(Value::as_u64).unwrap_or(0)
}

/// An error in place of an answer, if the body has one.
pub(super) fn error_in(body: &Value) -> Option<NoAnswer> {
    body.get("error").filter(|error| !error.is_null()).map(|_| NoAnswer::Error(body.clone()))
}
