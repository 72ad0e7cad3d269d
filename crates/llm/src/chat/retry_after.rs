//! When a provider wants to be asked again: in a header, as seconds or as a date, or inside its error.

use std::time::{SystemTime, UNIX_EPOCH};

use candor_model::Seconds;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

/// The time to wait, if the provider says so.
pub(crate) fn retry_after(headers: &HeaderMap, body: &Value) -> Option<Seconds> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let millis = header("retry-after-ms").and_then(|text| text.trim().parse().ok()).map(Seconds::from_millis);
    millis.or_else(|| in_words(header(RETRY_AFTER.as_str())?, now())).or_else(|| in_details(body))
}

/// Seconds, or an HTTP date.
fn in_words(text: &str, now: f64) -> Option<Seconds> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Seconds::new(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text).ok()?;
    Seconds::new((date.as_second() as f64 - now).max(0.0).ceil()).ok()
}

/// Google's way: `"retryDelay": "7s"` among the error's details.
fn in_details(body: &Value) -> Option<Seconds> {
    let details = body.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Seconds::new(delay.strip_suffix('s')?.parse().ok()?).ok()
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn seconds_and_dates_are_understood_and_nonsense_is_not() {
        let at = |text: &str| in_words(text, 784_111_777.0).map(Seconds::get);
        assert_eq!(at("7"), Some(7.0));
        assert_eq!(at(" 1.5 "), Some(1.5));
        assert_eq!(at("Sun, 06 Nov 1994 08:49:47 GMT"), Some(10.0));
        assert_eq!(at("Sun, 06 Nov 1994 08:49:07 GMT"), Some(0.0));
        for nonsense in ["", "soon", "-3", "NaN", "1e300"] {
            assert_eq!(at(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn the_details_of_an_error_can_say_it_too() {
        let body = json!({ "error": { "details": [{ "@type": "x" }, { "retryDelay": "7.5s" }] } });
        assert_eq!(retry_after(&HeaderMap::new(), &body), Seconds::new(7.5).ok());
        let mut headers = HeaderMap::new();
        headers.insert("retry-after-ms", 250.into());
        assert_eq!(retry_after(&headers, &body), Some(Seconds::from_millis(250)));
    }
}
