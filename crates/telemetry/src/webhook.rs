//! Webhooks: one signed post for each event, to the place that the configuration names and to no other.
//!
//! Headers and signature are those of Standard Webhooks, so that receivers can use its libraries: `webhook-id` is the same
//! each time an event is sent, `webhook-timestamp` is when this attempt was made, and `webhook-signature` is `v1,` with
//! the base64 of the HMAC-SHA256 over `ID.TIMESTAMP.BODY`.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use ring::hmac;

use crate::base64;
use crate::send::innermost;

/// How long one post may take.
const WITHIN: Duration = Duration::from_secs(10);
/// What secrets begin with whose rest is base64.
const PREFIX: &str = "whsec_";
/// How much of a refusal is kept.
const TOLD: usize = 200;

/// One event that is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The same each time that the event is sent.
    pub id: String,
    /// What is sent, as JSON.
    pub body: String,
}

/// A place that takes events.
pub struct Receiver {
    url: Url,
    key: hmac::Key,
    client: Client,
}

impl Receiver {
    /// The place at this address, with the secret that it shares with us. A redirect is not followed.
    pub fn new(url: &str, secret: &str, plain_http: bool) -> Result<Self, String> {
        let url = place(url, plain_http)?;
        let secret = secret.trim();
        let bytes = match secret.strip_prefix(PREFIX) {
            Some(rest) => base64::decoded(rest).ok_or("the secret begins with whsec_ and is not base64")?,
            None => secret.as_bytes().to_vec(),
        };
        if bytes.is_empty() {
            return Err("the secret is empty".to_owned());
        }
        // Whoever installed a provider before is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(WITHIN).redirect(Policy::none()).build();
        let client = client.map_err(|error| innermost(&error))?;
        Ok(Self { url, key: hmac::Key::new(hmac::HMAC_SHA256, &bytes), client })
    }

    /// Sends an event. It is delivered when the receiver answers with a status from 200 to 299.
    pub async fn send(&self, delivery: &Delivery, unix_seconds: i64) -> Result<(), String> {
        let Delivery { id, body } = delivery;
        let post = self.client.post(self.url.clone()).header("content-type", "application/json");
        let post = post.header("webhook-id", id).header("webhook-timestamp", unix_seconds.to_string());
        let post = post.header("webhook-signature", self.signature(id, unix_seconds, body));
        let post = post.header("user-agent", concat!("candor/", env!("CARGO_PKG_VERSION")));
        let answer = post.body(body.clone()).send().await.map_err(|error| innermost(&error))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(());
        }
        let said = answer.text().await.unwrap_or_default();
        let said: String = said.chars().filter(|letter| !letter.is_control()).take(TOLD).collect();
        Err(format!("{status} {said}").trim_end().to_owned())
    }

    fn signature(&self, id: &str, unix_seconds: i64, body: &str) -> String {
        let mut context = hmac::Context::with_key(&self.key);
        context.update(format!("{id}.{unix_seconds}.").as_bytes());
        context.update(body.as_bytes());
        format!("v1,{}", base64::encoded(context.sign().as_ref()))
    }
}

/// The address, if events may go there: over TLS, or to this machine, or where somebody said that plain text will do.
pub fn place(url: &str, plain_http: bool) -> Result<Url, String> {
    let parsed = Url::parse(url).map_err(|error| format!("url: {error}"))?;
    let host = parsed.host_str().unwrap_or_default();
    let is_here = host == "localhost"
        || host.trim_matches(['[', ']']).parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
    match parsed.scheme() {
        "https" => Ok(parsed),
        "http" if is_here || plain_http => Ok(parsed),
        "http" => {
            Err("url: events go over https, or to this machine; `plain_http = true` allows http".to_owned())
        }
        other => Err(format!("url: {other}: is neither https nor http")),
    }
}

/// Where a receiver is, without what may be secret in its address.
#[must_use]
pub fn shown_place(url: &str) -> String {
    let Ok(url) = Url::parse(url) else { return String::new() };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = if url.path().len() > 1 { "/…" } else { "" };
    format!("{}://{}{port}{path}", url.scheme(), url.host_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_the_one_that_the_standard_gives_as_its_example() {
        // From the specification of Standard Webhooks.
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let receiver = Receiver::new("https://example.org/hook", secret, false).unwrap();
        let signed =
            receiver.signature("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn events_go_over_tls_or_to_this_machine() {
        for fine in ["https://example.org/x", "http://127.0.0.1:9/x", "http://localhost/x", "http://[::1]:8/"]
        {
            assert!(place(fine, false).is_ok(), "{fine}");
        }
        for wrong in ["http://example.org/x", "ftp://example.org", "example.org", ""] {
            assert!(place(wrong, false).is_err(), "{wrong}");
        }
        assert!(place("http://example.org/x", true).is_ok());
        assert_eq!(
            shown_place("https://me:pw@hooks.example.org:8443/T0/secret?x=1"),
            "https://hooks.example.org:8443/…"
        );
    }
}
