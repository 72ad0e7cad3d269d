//! What the errors of assistants mean: by the words and codes that they document, and by the HTTP status of the
//! model's service where they pass nothing on but its message.

use std::time::{SystemTime, UNIX_EPOCH};

use candor_model::{Failure, FailureKind, Seconds, Transience};

use super::Preset;
use crate::text;

/// The words that stand before a status in a message.
const BEFORE_STATUS: [&str; 5] = ["status", "error", "code", "http", "api"];

/// The `error` of a message of Claude Code.
pub(super) fn of_claude(word: &str) -> Option<Failure> {
    let failed = |kind| Some(Failure::new(kind, word));
    match word {
        "" => None,
        "rate_limit" => failed(FailureKind::RateLimited),
        "authentication_failed" | "billing_error" | "oauth_org_not_allowed" => failed(FailureKind::Denied),
        "server_error" | "overloaded" => failed(FailureKind::Unavailable),
        "max_output_tokens" => failed(FailureKind::OverBudget),
        "model_not_found" => Some(Failure::new(FailureKind::Unavailable, word).permanent()),
        "invalid_request" => failed(FailureKind::TaskError),
        _ => Some(Failure::new(FailureKind::TaskError, word).with_transience(Transience::Unknown)),
    }
}

/// The `subtype` of a result of Claude Code that names a limit.
pub(super) fn of_subtype(subtype: &str) -> Option<Failure> {
    let failed = |kind, message: &str| Some(Failure::new(kind, message));
    match subtype {
        "error_max_turns" => {
            failed(FailureKind::OverBudget, "it used all of its turns; raise --max-turns in `args`")
        }
        "error_max_budget_usd" => {
            failed(FailureKind::OverBudget, "it used all of its money; raise --max-budget-usd in `args`")
        }
        "error_max_structured_output_retries" => {
            failed(FailureKind::BadOutput, "its answer did not fit the form that was asked for")
        }
        _ => None,
    }
}

/// An exit code that the assistant documents.
pub(super) fn of_exit(preset: Preset, code: i32) -> Option<(FailureKind, Transience)> {
    let kind = match (preset, code) {
        (Preset::Gemini, 41) => FailureKind::Denied,
        (Preset::Gemini, 42 | 54) => FailureKind::TaskError,
        // Its sandbox, its configuration.
        (Preset::Gemini, 44 | 52) => return Some((FailureKind::Unavailable, Transience::Permanent)),
        (Preset::Gemini, 53) => FailureKind::OverBudget,
        (Preset::Gemini, 130) => FailureKind::Cancelled,
        _ => return None,
    };
    Some((kind, kind.usual_transience()))
}

/// A failure of which there is nothing but a message.
pub(super) fn of_message(message: &str) -> Failure {
    let told = match text::head(message.as_bytes()) {
        empty if empty.is_empty() => "it failed and does not say why".to_owned(),
        told => told,
    };
    let failed = |kind| Failure::new(kind, told.clone());
    match status_in(message) {
        Some(401..=403 | 407) => failed(FailureKind::Denied),
        Some(408) => failed(FailureKind::Timeout),
        Some(429) => failed(FailureKind::RateLimited),
        Some(500..) => failed(FailureKind::Unavailable),
        Some(_) => failed(FailureKind::TaskError),
        None => failed(FailureKind::TaskError).with_transience(Transience::Unknown),
    }
}

/// The HTTP status that a message names, such as `API Error: 429` or `unexpected status 401 Unauthorized`.
fn status_in(message: &str) -> Option<u16> {
    let lower = message.to_ascii_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.windows(2).find_map(|pair| match pair {
        [before, status] if BEFORE_STATUS.contains(before) => {
            status.parse().ok().filter(|status| (400..600).contains(status))
        }
        _ => None,
    })
}

/// How long it is until this moment, in seconds since 1970.
pub(super) fn retry_at(at: i64) -> Option<Seconds> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    let wait = u64::try_from(at).ok()?.saturating_sub(now);
    u32::try_from(wait).ok().map(Seconds::whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_found_where_it_is_one() {
        let cases = [
            ("API Error: 429 {\"type\":\"error\"}", Some(429)),
            ("exceeded retry limit, last status: 429 Too Many Requests", Some(429)),
            ("unexpected status 401 Unauthorized: Missing bearer", Some(401)),
            ("got {\"error\":{\"code\":503}}", Some(503)),
            ("there are 429 files in the folder", None),
            ("error 7 in line 500", None),
        ];
        for (message, status) in cases {
            assert_eq!(status_in(message), status, "{message}");
        }
    }

    #[test]
    fn messages_and_codes_have_kinds() {
        assert_eq!(of_message("API Error: 529 overloaded").kind, FailureKind::Unavailable);
        assert_eq!(of_message("unexpected status 403 Forbidden").kind, FailureKind::Denied);
        assert_eq!(of_message("no idea").transience, Transience::Unknown);
        assert_eq!(of_exit(Preset::Gemini, 53).unwrap().0, FailureKind::OverBudget);
        assert_eq!(of_exit(Preset::Codex, 53), None);
        assert_eq!(of_claude("billing_error").unwrap().kind, FailureKind::Denied);
        assert_eq!(of_claude(""), None);
    }
}
