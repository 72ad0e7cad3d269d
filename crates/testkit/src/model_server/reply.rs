//! What the scripted server is told to answer, kindly or not. A reply is data, so that a script can be a file.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One answer of the server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reply {
    /// The model's words.
    pub text: String,
    /// The model's words as data: written as JSON in place of `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// Why the model stopped.
    pub finish: Finish,
    /// The tokens that are charged.
    pub usage: Usage,
    /// A refusal in the provider's own form, in place of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// The HTTP status, where it is not the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The header `Retry-After`: seconds or an HTTP date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<String>,
    /// The header `Location`: where the answer is said to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The header `Content-Type`, where it is not the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<String>,
    /// The body as it is, in place of one in the provider's form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Pads the words to this many bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Never comes to an end of its words.
    pub endless: bool,
    /// Where the connection is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// Waits this long before the first byte, in milliseconds.
    pub delay_ms: u64,
    /// Waits this long before each part of a stream, in milliseconds.
    pub part_delay_ms: u64,
}

/// Why a model stopped writing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It had said all.
    #[default]
    Stop,
    /// It reached its limit of tokens.
    Length,
    /// A filter stopped it.
    ContentFilter,
}

/// Tokens as Candor counts them; each wire format has its own way to say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Read anew.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Read from the cache.
    pub cached_read: u64,
    /// Written to the cache.
    pub cached_write: u64,
}

impl Default for Usage {
    fn default() -> Self {
        Self { input: 12, output: 5, cached_read: 0, cached_write: 0 }
    }
}

/// Why a provider refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The key is wrong: 401.
    WrongKey,
    /// The key may not do this: 403.
    Forbidden,
    /// There is no such model: 404.
    UnknownModel,
    /// The prompt does not fit: 400.
    ContextTooLong,
    /// The prompt is not allowed: 400.
    ContentFilter,
    /// The request is wrong in another way: 400.
    BadRequest,
    /// Too many calls: 429.
    RateLimit,
    /// Something broke: 500.
    Server,
    /// Too much to do: 529.
    Overloaded,
}

impl Fault {
    /// The HTTP status that goes with it.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::WrongKey => 401,
            Self::Forbidden => 403,
            Self::UnknownModel => 404,
            Self::ContextTooLong | Self::ContentFilter | Self::BadRequest => 400,
            Self::RateLimit => 429,
            Self::Server => 500,
            Self::Overloaded => 529,
        }
    }
}

/// Where a connection is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// Before a byte of the answer is sent.
    BeforeHeaders,
    /// In the middle of the body, whose announced length is never reached.
    MidBody,
    /// Nowhere: a stream ends as it should, but without a word on the end of the answer.
    BeforeEnd,
}

impl Reply {
    /// An answer with these words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// An answer with this data, as JSON.
    #[must_use]
    pub fn json(value: Value) -> Self {
        Self { json: Some(value), ..Self::default() }
    }

    /// A refusal in the provider's form.
    #[must_use]
    pub fn fault(fault: Fault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// Too many calls; come again after this many seconds, or at this HTTP date.
    pub fn rate_limit(retry_after: impl Into<String>) -> Self {
        Self { retry_after: Some(retry_after.into()), ..Self::fault(Fault::RateLimit) }
    }

    /// A word that the answer is elsewhere.
    pub fn redirect(location: impl Into<String>) -> Self {
        Self { location: Some(location.into()), status: Some(307), ..Self::body("") }
    }

    /// A body that is no answer at all.
    pub fn body(body: impl Into<String>) -> Self {
        Self { body: Some(body.into()), ..Self::default() }
    }

    /// An answer of this many bytes.
    #[must_use]
    pub fn huge(bytes: u64) -> Self {
        Self { bytes: Some(bytes), ..Self::default() }
    }

    /// An answer that never ends.
    #[must_use]
    pub fn endless() -> Self {
        Self { endless: true, ..Self::default() }
    }

    /// The same with these tokens.
    #[must_use]
    pub fn with_usage(self, usage: Usage) -> Self {
        Self { usage, ..self }
    }

    /// The same, ended for this reason.
    #[must_use]
    pub fn with_finish(self, finish: Finish) -> Self {
        Self { finish, ..self }
    }

    /// The same under another HTTP status.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// The same under another `Content-Type`.
    #[must_use]
    pub fn with_media(self, media: &str) -> Self {
        Self { media: Some(media.to_owned()), ..self }
    }

    /// The same, with the connection dropped.
    #[must_use]
    pub fn with_cut(self, cut: Cut) -> Self {
        Self { cut: Some(cut), ..self }
    }

    /// The same after a while.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        Self { delay_ms: millis(delay), ..self }
    }

    /// The same with a pause before each part of a stream.
    #[must_use]
    pub fn part_every(self, delay: Duration) -> Self {
        Self { part_delay_ms: millis(delay), ..self }
    }

    /// The words that are said.
    pub(crate) fn words(&self) -> String {
        let mut words = match &self.json {
            Some(value) => value.to_string(),
            None => self.text.clone(),
        };
        let wanted = self.bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0);
        if let Some(missing) = wanted.checked_sub(words.len()) {
            words.push_str(&"x".repeat(missing));
        }
        words
    }
}

fn millis(delay: Duration) -> u64 {
    u64::try_from(delay.as_millis()).unwrap_or(u64::MAX)
}
