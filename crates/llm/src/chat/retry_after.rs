//! When a provider wants to be asked again: in a header, as seconds or as a date, or inside its error.

use std::time::{SystemTime, UNIX_EPOCH};

use candor_model::{Seconds, Timestamp};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

/// The time to wait, if the provider says so.
pub(crate) fn retry_after(headers: &HeaderMap, body: &Value) -> Option<Seconds> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let millis = header("retry-after-ms").and_then(|text| text.trim().parse().ok()).map(Seconds::from_millis);
    millis
        .or_else(|| candor_model::retry_after(header(RETRY_AFTER.as_str())?, now()))
        .or_else(|| in_details(body))
}

/// Google's way: `"retryDelay": "7s"` among the error's details.
fn in_details(body: &Value) -> Option<Seconds> {
    let details = body.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Seconds::new(delay.strip_suffix('s')?.parse().ok()?).ok()
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_details_of_an_error_can_say_it_too() {
        let body = json!({ "error": { "details": [{ "@type": "x" }, { "retryDelay": "7.5s" }] } });
        assert_eq!(retry_after(&HeaderMap::new(), &body), Seconds::new(7.5).ok());
        let mut headers = HeaderMap::new();
        headers.insert("retry-after-ms", 250.into());
        assert_eq!(retry_after(&headers, &body), Some(Seconds::from_millis(250)));
    }
}
