//! The three requests that E2B is asked with: make a sandbox, run a program in it, end it.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, Url};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::config::{E2bConfig, E2bError};
use super::trouble::{Doing, Trouble, address, message};

/// The port on which a sandbox takes programs.
pub(super) const PORT: u16 = 49_999;
/// How long a connection may take to come about.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// How long the end of a sandbox may take, each of the two times that it is asked for.
const END_WITHIN: Duration = Duration::from_secs(10);
/// How long to wait if a service that is too busy does not say it, or before the end is asked for again.
const USUAL_WAIT: Duration = Duration::from_secs(1);
/// How large an answer about a sandbox may be.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// An E2B service, and who asks it.
pub(super) struct Service {
    pub(super) config: E2bConfig,
    key: HeaderValue,
    // Made when it is first needed: reading the system's certificates takes longer than a quick command may.
    http: OnceLock<Result<Client, String>>,
}

impl Service {
    pub(super) fn new(config: E2bConfig) -> Result<Self, E2bError> {
        let config = config.checked()?;
        Ok(Self { key: config.key.header()?, config, http: OnceLock::new() })
    }

    /// Makes a sandbox that ends by itself after this time, and gives what the service says about it.
    pub(super) async fn open(&self, lifetime: Duration, until: Instant) -> Result<(Url, Value), Trouble> {
        let url = self.url("sandboxes")?;
        let body = json!({
            "templateID": self.config.template,
            "timeout": lifetime.as_secs(),
            "autoPause": false,
            "secure": true,
            "allow_internet_access": self.config.internet,
        });
        let request = self.http()?.post(url.clone()).header("X-API-Key", &self.key).json(&body);
        let response = self.send(Doing::Open, &url, request, until).await?;
        let body = whole(&url, response).await?;
        let answer = serde_json::from_slice(&body)
            .map_err(|error| Trouble::malformed(&url, format!("it is not JSON: {error}")))?;
        Ok((url, answer))
    }

    /// Has a program run, and gives the answer, which is a line of JSON for everything that happens.
    pub(super) async fn run(
        &self,
        sandbox: &Url,
        headers: &HeaderMap,
        program: &str,
        until: Instant,
    ) -> Result<Response, Trouble> {
        let url = joined(sandbox.as_str(), "execute")?;
        let request =
            self.http()?.post(url.clone()).headers(headers.clone()).json(&json!({ "code": program }));
        self.send(Doing::Run, &url, request, until).await
    }

    /// Ends a sandbox. One that is gone already is well ended.
    pub(super) async fn end(&self, id: &str) -> Result<(), Trouble> {
        let Err(_) = self.end_once(id).await else { return Ok(()) };
        tokio::time::sleep(USUAL_WAIT).await;
        self.end_once(id).await
    }

    async fn end_once(&self, id: &str) -> Result<(), Trouble> {
        let url = self.url(&format!("sandboxes/{id}"))?;
        let request = self.http()?.delete(url.clone()).header("X-API-Key", &self.key);
        let sent = async {
            let response = request.send().await.map_err(|error| Trouble::lost(&url, &error))?;
            if response.status().is_success() || response.status() == 404 {
                return Ok(());
            }
            Err(self.refused(Doing::Close, response, None).await)
        };
        let silent = || Trouble::Silent { address: address(&url), waited: END_WITHIN };
        tokio::time::timeout(END_WITHIN, sent).await.unwrap_or_else(|_| Err(silent()))
    }

    /// Sends a request, and once more if the service is too busy and there is time for it.
    async fn send(
        &self,
        doing: Doing,
        url: &Url,
        request: RequestBuilder,
        until: Instant,
    ) -> Result<Response, Trouble> {
        let again = request.try_clone();
        let response = request.send().await.map_err(|error| Trouble::lost(url, &error))?;
        let (429, Some(again)) = (response.status().as_u16(), again) else {
            return self.taken(doing, response).await;
        };
        let asked = asked_wait(response.headers());
        let wait = asked.unwrap_or(USUAL_WAIT);
        if Instant::now().checked_add(wait).is_none_or(|then| then >= until) {
            return Err(self.refused(doing, response, Some(wait)).await);
        }
        drop(response);
        tokio::time::sleep(wait).await;
        let response = again.send().await.map_err(|error| Trouble::lost(url, &error))?;
        self.taken(doing, response).await
    }

    async fn taken(&self, doing: Doing, response: Response) -> Result<Response, Trouble> {
        if response.status().is_success() {
            return Ok(response);
        }
        let wait = asked_wait(response.headers());
        Err(self.refused(doing, response, wait).await)
    }

    async fn refused(&self, doing: Doing, mut response: Response, wait: Option<Duration>) -> Trouble {
        let status = response.status();
        let mut body = Vec::new();
        // What the status says is worth more than the end of a body that does not come.
        while let Ok(Ok(Some(chunk))) = tokio::time::timeout(USUAL_WAIT, response.chunk()).await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_ANSWER_BYTES {
                body.truncate(MAX_ANSWER_BYTES);
                break;
            }
        }
        let said = self.config.key.taken_out_of(&message(&body));
        Trouble::Refused { doing, status, said, wait, template: self.config.template.clone() }
    }

    fn url(&self, path: &str) -> Result<Url, Trouble> {
        joined(&self.config.api, path)
    }

    fn http(&self) -> Result<&Client, Trouble> {
        let http = self.http.get_or_init(|| {
            // Whoever was first has installed one already; all of them are the same.
            let _ = rustls::crypto::ring::default_provider().install_default();
            // A key goes to the address that was given and to nobody else. With a connection for each request, a
            // closed one tells the sandbox that nobody listens any more.
            let builder = Client::builder().redirect(Policy::none()).http1_only().tcp_nodelay(true);
            builder.connect_timeout(CONNECT_WITHIN).build().map_err(|error| error.to_string())
        });
        http.as_ref().map_err(|problem| Trouble::NoClient { problem: problem.clone() })
    }
}

fn joined(base: &str, path: &str) -> Result<Url, Trouble> {
    let text = format!("{}/{path}", base.trim_end_matches('/'));
    Url::parse(&text).map_err(|error| Trouble::Malformed { address: text, problem: error.to_string() })
}

async fn whole(url: &Url, mut response: Response) -> Result<Vec<u8>, Trouble> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| Trouble::lost(url, &error))? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ANSWER_BYTES {
            return Err(Trouble::TooLong { address: address(url), most: MAX_ANSWER_BYTES });
        }
    }
    Ok(body)
}

/// How long the service wants to be left alone, in whole seconds, as it always says it.
fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse::<u32>().ok()?;
    Some(Duration::from_secs(seconds.into()))
}
