//! What can go wrong between us and E2B, in plain words.

use std::error::Error;
use std::io;
use std::time::Duration;

use candor_model::{Failure, FailureKind, Seconds, Transience};
use candor_ports::CodeFault;
use reqwest::{StatusCode, Url};

/// How much of what a service says about a refusal is told.
const QUOTED_CHARS: usize = 300;

/// What we were doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    /// Making a sandbox.
    Open,
    /// Running a program in it.
    Run,
    /// Ending it.
    Close,
}

/// Why there is no answer, or none that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Trouble {
    #[error(
        "E2B: cannot connect to {address}: {problem}; check that the address is right and can be reached from here"
    )]
    Unreachable { address: String, problem: String },
    #[error(
        "E2B: no secure connection to {address}: {problem}; check that the address is right and that nobody \
         stands between with a certificate of their own"
    )]
    NotSecure { address: String, problem: String },
    #[error("E2B: the connection to {address} broke before the answer was complete: {problem}; try again")]
    Lost { address: String, problem: String },
    #[error("E2B: {address} did not answer within {} s; try again later", .waited.as_secs_f64())]
    Silent { address: String, waited: Duration },
    #[error("E2B: {}", in_words(*.doing, *.status, .said, *.wait, .template))]
    Refused { doing: Doing, status: StatusCode, said: String, wait: Option<Duration>, template: String },
    #[error("E2B: {address} sent more than {most} bytes where a few hundred were expected")]
    TooLong { address: String, most: usize },
    #[error("E2B: the answer of {address} cannot be used: {problem}; expected that of E2B's interface")]
    Malformed { address: String, problem: String },
    #[error("E2B: the answer of {address} stopped before its end; what came of the program is not known")]
    CutOff { address: String },
    #[error("E2B: the sandbox lost its connection to Python ({said}); what came of the program is not known")]
    Inside { said: String },
    #[error("E2B: cannot speak HTTP: {problem}")]
    NoClient { problem: String },
    #[error("E2B: what makes the sandbox was stopped before it was done")]
    Abandoned,
}

impl Trouble {
    /// Why there was no answer at all, or why it broke off.
    pub(super) fn lost(url: &Url, error: &reqwest::Error) -> Self {
        let (address, problem) = (address(url), innermost(error));
        if is_about_tls(error) {
            Self::NotSecure { address, problem }
        } else if error.is_connect() {
            Self::Unreachable { address, problem }
        } else {
            Self::Lost { address, problem }
        }
    }

    pub(super) fn malformed(url: &Url, problem: impl Into<String>) -> Self {
        Self::Malformed { address: address(url), problem: problem.into() }
    }
}

impl From<Trouble> for CodeFault {
    fn from(trouble: Trouble) -> Self {
        let message = trouble.to_string();
        let failed = |kind| Failure::new(kind, message);
        Self(match trouble {
            Trouble::Unreachable { .. } => failed(FailureKind::Unavailable),
            Trouble::NotSecure { .. } | Trouble::NoClient { .. } => {
                failed(FailureKind::Unavailable).permanent()
            }
            // The program may have been run.
            Trouble::Lost { .. } | Trouble::CutOff { .. } | Trouble::Inside { .. } => {
                failed(FailureKind::Unavailable).with_transience(Transience::Unknown)
            }
            Trouble::Silent { .. } => failed(FailureKind::Timeout),
            Trouble::Refused { status, wait, .. } => {
                let wait = wait.and_then(|wait| Seconds::new(wait.as_secs_f64()).ok());
                refusal(status, failed).with_retry_after(wait)
            }
            Trouble::TooLong { .. } | Trouble::Malformed { .. } => failed(FailureKind::BadOutput),
            Trouble::Abandoned => failed(FailureKind::Cancelled),
        })
    }
}

fn refusal(status: StatusCode, failed: impl FnOnce(FailureKind) -> Failure) -> Failure {
    match status.as_u16() {
        401 | 403 => failed(FailureKind::Denied),
        429 => failed(FailureKind::RateLimited),
        500..=599 => failed(FailureKind::Unavailable),
        _ => failed(FailureKind::Unavailable).permanent(),
    }
}

/// An address without what may be a secret: user, password and query.
pub(super) fn address(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path())
}

/// What a service says about a refusal: the message in its JSON, or the beginning of whatever it sent.
pub(super) fn message(body: &[u8]) -> String {
    let json: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let message = json.as_ref().and_then(|json| json.get("message")?.as_str());
    let text = message.map_or_else(|| String::from_utf8_lossy(body).into_owned(), str::to_owned);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|letter| !letter.is_control()).take(QUOTED_CHARS).collect()
}

fn in_words(doing: Doing, status: StatusCode, said: &str, wait: Option<Duration>, template: &str) -> String {
    let what = match (doing, status.as_u16()) {
        (Doing::Open | Doing::Close, 401 | 403) => {
            "the access key was refused; check E2B_API_KEY, and that the account may do this".to_owned()
        }
        (Doing::Run, 401 | 403) => {
            "the sandbox did not take its own access token; the service or the template may be too old"
                .to_owned()
        }
        (Doing::Open, 404) => {
            format!("there is no template `{template}`, or the account may not use it; check its name")
        }
        (Doing::Run, 404) => "the sandbox is gone, or has nothing that runs Python".to_owned(),
        (_, 429) => match wait {
            Some(wait) => format!(
                "too many requests or sandboxes at a time; it wants to be asked again in {} s, which is more than \
                 the time left or the second time",
                wait.as_secs()
            ),
            None => "too many requests or sandboxes at a time, also when asked a second time".to_owned(),
        },
        (Doing::Run, 502) => format!(
            "nothing in the sandbox answers: it has ended, or its template `{template}` does not run Python"
        ),
        (_, 500..=599) => "the service has a problem of its own; try again later".to_owned(),
        (_, 300..=399) => {
            "the service points elsewhere, and a key is not sent on; check the address".to_owned()
        }
        (Doing::Open, _) => "no sandbox was made".to_owned(),
        (Doing::Run, _) => "the program was not run".to_owned(),
        (Doing::Close, _) => "the sandbox was not ended".to_owned(),
    };
    let said = if said.is_empty() { String::new() } else { format!(": {said}") };
    format!("{what} (status {status}{said})")
}

/// Whether an error, or anything that caused it, is about TLS.
fn is_about_tls(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| cause.is::<rustls::Error>())
}

/// The last cause of an error: the others only say that a request failed.
fn innermost(error: &reqwest::Error) -> String {
    causes(error).last().map_or_else(|| error.to_string(), ToString::to_string)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_service_says_is_told_in_one_short_line() {
        assert_eq!(message(br#"{"code":401,"message":"no\nsuch  key"}"#), "no such key");
        assert_eq!(message(b" <h1>\x07Bad</h1> \r\n"), "<h1>Bad</h1>");
        assert_eq!(message("é".repeat(9_000).as_bytes()).chars().count(), QUOTED_CHARS);
        assert_eq!(message(&[0xff, 0xfe]), "\u{fffd}\u{fffd}");
    }

    #[test]
    fn addresses_are_told_without_secrets() {
        let url = Url::parse("https://me:hunter2@h.example:8443/sandboxes?token=t").unwrap();
        assert_eq!(address(&url), "https://h.example:8443/sandboxes");
    }
}
