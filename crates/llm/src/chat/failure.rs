//! Failures of calls: what kind each is, and what to tell a person about it.
//!
//! Providers word the same failure in many ways. Where their code is known it decides; where it is not, their
//! words do. No message holds a key: whatever a provider says is cleaned before it is quoted.

use std::error::Error;
use std::io;

use candor_model::{ModelErrorKind, ModelFailure, Seconds};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::retry_after::retry_after;
use super::{Provider, TierConfig};
use crate::redact::Redactor;

/// How much of a provider's own words is quoted.
const MAX_QUOTE: usize = 300;

/// Who is called, for messages: nothing in it is secret.
#[derive(Debug, Clone)]
pub(crate) struct Whom {
    pub(crate) tier: TierConfig,
    /// The base address without user, password and query.
    pub(crate) address: String,
    pub(crate) redactor: Redactor,
}

impl Whom {
    /// A failure in our own words.
    pub(crate) fn failure(&self, kind: ModelErrorKind, message: impl Into<String>) -> ModelFailure {
        ModelFailure { kind, message: message.into(), retry_after: None }
    }

    /// No key where one is needed.
    pub(crate) fn no_key(&self, variable: &str) -> ModelFailure {
        let model = self.tier.name();
        let message = format!(
            "no key for {model}: set the environment variable {variable}, or name another one with `api_key_env`"
        );
        self.failure(ModelErrorKind::Auth, message)
    }

    /// A key that no header can carry.
    pub(crate) fn odd_key(&self, variable: &str) -> ModelFailure {
        let message = format!("the key in {variable} has a line break or a control character: set it again");
        self.failure(ModelErrorKind::Auth, message)
    }

    /// More than anything that was asked for.
    pub(crate) fn too_large(&self, limit: usize) -> ModelFailure {
        let message = format!(
            "{} sent more than {} MB and was cut off: no answer needs that; lower `max_output_tokens`, or use \
             another model",
            self.tier.name(),
            limit / 1_000_000
        );
        self.failure(ModelErrorKind::TooLarge, message)
    }

    /// No answer in time.
    pub(crate) fn timed_out(&self, limit: Seconds) -> ModelFailure {
        let message = format!(
            "{} did not answer within {limit} s; raise `timeout` if it is known to be slow",
            self.tier.name()
        );
        self.failure(ModelErrorKind::Timeout, message)
    }

    /// Somebody ended the call.
    pub(crate) fn stopped(&self) -> ModelFailure {
        self.failure(ModelErrorKind::Transient, format!("the call to {} was stopped", self.tier.name()))
    }

    /// An answer that the provider's filter stopped.
    pub(crate) fn filtered(&self) -> ModelFailure {
        let message = format!(
            "{} would not answer: its content filter stopped it; word the goal differently, or use another model",
            self.tier.name()
        );
        self.failure(ModelErrorKind::ContentFilter, message)
    }

    /// An answer in no known form.
    pub(crate) fn malformed(&self, problem: &str, body: &[u8]) -> ModelFailure {
        let quote = self.quote(&String::from_utf8_lossy(body));
        let message = format!(
            "{} at {} gave an answer in no known form: {problem}{quote}; check that `endpoint` speaks the form \
             of `provider`",
            self.tier.name(),
            self.address
        );
        self.failure(ModelErrorKind::Protocol, message)
    }

    /// A stream that ended before the answer did.
    pub(crate) fn cut_off(&self) -> ModelFailure {
        let message = format!("{} broke off in the middle of its answer", self.tier.name());
        self.failure(ModelErrorKind::Transient, message)
    }

    /// A connection that failed.
    pub(crate) fn lost(&self, error: &reqwest::Error) -> ModelFailure {
        let (address, problem) = (&self.address, self.redactor.redact(&innermost(error)).into_owned());
        if is_tls(error) {
            let message = format!(
                "no trusted TLS connection to {address}: {problem}; if the server speaks plain HTTP, begin \
                 `endpoint` with http://, otherwise check its certificate"
            );
            return self.failure(ModelErrorKind::Tls, message);
        }
        let message = if error.is_connect() {
            format!("cannot connect to {address}: {problem}; is the server running, and is `endpoint` right?")
        } else if error.is_timeout() {
            return self.failure(ModelErrorKind::Timeout, format!("{address} did not answer: {problem}"));
        } else {
            format!("the connection to {address} was lost: {problem}")
        };
        self.failure(ModelErrorKind::Transient, message)
    }

    /// A refusal under an HTTP status of its own.
    pub(crate) fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> ModelFailure {
        let text = String::from_utf8_lossy(body);
        let parsed: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let (kind, advice) = self.judged(status.as_u16(), &Said::new(&parsed, &text));
        let retry_after = retry_after(headers, &parsed);
        let quote = self.quote(said_words(&parsed).unwrap_or(&text));
        let model = self.tier.name();
        let status = status.as_u16();
        ModelFailure {
            retry_after,
            ..self.failure(kind, format!("{model} answered {status}{quote}; {advice}"))
        }
    }

    /// A refusal under the status of a success, or in the middle of a stream.
    pub(crate) fn refused_inside(&self, body: &Value) -> ModelFailure {
        let text = body.to_string();
        let said = Said::new(body, &text);
        let (kind, advice) = self.judged(said.status(), &said);
        let quote = self.quote(said_words(body).unwrap_or(&text));
        let retry_after = retry_after(&HeaderMap::new(), body);
        let message = format!("{} answered with an error{quote}; {advice}", self.tier.name());
        ModelFailure { retry_after, ..self.failure(kind, message) }
    }

    fn judged(&self, status: u16, said: &Said) -> (ModelErrorKind, String) {
        use ModelErrorKind as Kind;
        let variable = self.tier.key_variable().unwrap_or("the key's variable, named by `api_key_env`");
        if said.any(&["insufficient_quota", "credit balance", "billing_hard_limit", "billing_error"])
            || status == 402
        {
            return (Kind::Auth, "the account has no credit left: top it up, or use another key".to_owned());
        }
        if status == 401
            || said.any(&["invalid_api_key", "api key not valid", "api_key_invalid", "authentication_error"])
        {
            return (Kind::Auth, format!("the key in {variable} is wrong: set a valid one"));
        }
        if status == 429 || said.any(&["rate_limit_error", "rate_limit_exceeded", "resource_exhausted"]) {
            return (Kind::RateLimit, "too many calls: it is tried again after a while".to_owned());
        }
        if said.is_too_long() || status == 413 {
            let advice =
                "the prompt is too long for this model: shorten the goal, or use a model that reads more";
            return (Kind::ContextTooLong, advice.to_owned());
        }
        if said.is_filtered() {
            let advice =
                "its content filter refused the prompt: word the goal differently, or use another model";
            return (Kind::ContentFilter, advice.to_owned());
        }
        if said.is_unknown_model(status) {
            return (Kind::UnknownModel, self.unknown_model());
        }
        match status {
            403 => (
                Kind::Auth,
                format!("the key in {variable} may not do this: check its rights and its region"),
            ),
            404 => (Kind::Protocol, format!("there is nothing at {}: check `endpoint`", self.address)),
            300..=399 => {
                (Kind::Protocol, "it points elsewhere, which is not followed: check `endpoint`".to_owned())
            }
            408 | 409 | 425 | 500.. => {
                (Kind::Transient, "the provider has a problem: try again later".to_owned())
            }
            _ => (Kind::Protocol, "the provider refused the request: check the tier's settings".to_owned()),
        }
    }

    fn unknown_model(&self) -> String {
        let model = &self.tier.model;
        let list = match self.tier.provider {
            Provider::Anthropic | Provider::Gemini | Provider::OpenAi => "see the provider's list of models",
            Provider::OpenAiCompatible => "ask it with `GET {endpoint}models` which ones it has",
        };
        let list = list.replace("{endpoint}", &self.address);
        format!("there is no model `{model}`, or the key may not use it: correct `model`; {list}")
    }

    /// A provider's own words, cleaned and cut, in quotes.
    fn quote(&self, words: &str) -> String {
        let clean = self.redactor.redact(words);
        let one_line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
        let visible: String =
            one_line.chars().filter(|letter| !letter.is_control()).take(MAX_QUOTE).collect();
        if visible.is_empty() { String::new() } else { format!(" (“{visible}”)") }
    }
}

/// What a refusal says, in small letters.
struct Said {
    text: String,
    code: Option<u16>,
}

impl Said {
    fn new(parsed: &Value, text: &str) -> Self {
        let code = parsed.pointer("/error/code").and_then(Value::as_u64);
        let kept: String = text.chars().take(4_096).collect();
        Self { text: kept.to_lowercase(), code: code.and_then(|code| u16::try_from(code).ok()) }
    }

    fn any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.text.contains(phrase))
    }

    /// The status that an error without one stands for.
    fn status(&self) -> u16 {
        match self.code {
            Some(code) => code,
            None if self.any(&["overloaded_error", "api_error", "server_error", "timeout_error"]) => 500,
            None => 400,
        }
    }

    fn is_too_long(&self) -> bool {
        self.any(&[
            "context_length_exceeded",
            "maximum context length",
            "context length",
            "context window",
            "context size",
            "prompt is too long",
            "too many tokens",
            "exceeds the maximum number of tokens",
            "request_too_large",
        ])
    }

    fn is_filtered(&self) -> bool {
        self.any(&[
            "content_filter",
            "content_policy",
            "content policy",
            "content management policy",
            "content filtering policy",
            "safety system",
            "prohibited_content",
        ])
    }

    fn is_unknown_model(&self, status: u16) -> bool {
        let absent = [
            "not_found",
            "not found",
            "does not exist",
            "unknown model",
            "no such model",
            "not a valid model",
        ];
        self.any(&["model_not_found"])
            || ((status == 404 || status == 400) && self.any(&["model"]) && self.any(&absent))
    }
}

fn said_words(parsed: &Value) -> Option<&str> {
    let places = ["/error/message", "/message", "/error", "/detail"];
    places.iter().find_map(|place| parsed.pointer(place)?.as_str())
}

/// The last cause of an error: the others only say that a request failed.
fn innermost(error: &(dyn Error + 'static)) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| {
        let error: &'a (dyn Error + 'static) = *error;
        // An I/O error hides what it was made from behind its own words.
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        }
    })
}

fn is_tls(error: &reqwest::Error) -> bool {
    // A server that hangs up at the first word of TLS gives no error of TLS itself, only the end of a handshake.
    causes(error).any(|cause| {
        cause.downcast_ref::<rustls::Error>().is_some() || cause.to_string().contains("tls handshake")
    })
}
