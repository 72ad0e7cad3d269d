//! Fetches a page from a host that is allowed.
//!
//! Every address is looked at before anything is sent, also those that a page sends us on to. Which machine a name
//! leads to is the affair of whoever allowed it.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::OnceLock;

use candor_model::{ToolErrorKind, ToolHints, ToolProblem, ToolResult, ToolSpec};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::patience::{Patience, stopped};
use super::{BuiltinError, problem, spec_of};

pub(super) const NAME: &str = "http_get";
/// How often a page may send us on.
const MAX_REDIRECTS: usize = 5;
/// Headers that belong to the connection and not to the request.
const NOT_OURS: &[&str] =
    &["connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding", "upgrade"];

/// What it is given.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The address, beginning with `https://` or `http://`.
    url: String,
    /// Headers to send, such as `Accept`.
    #[serde(default)]
    headers: Option<BTreeMap<String, String>>,
}

pub(super) fn spec(hosts: &[String]) -> ToolSpec {
    let description = format!("Fetches a page. Hosts that can be reached: {}.", hosts.join(", "));
    spec_of::<Args>(NAME, description, ToolHints { open_world_hint: true, ..ToolHints::READS })
}

/// A host that may be reached; without a port by the usual ones.
#[derive(Debug, PartialEq, Eq)]
struct Host {
    name: String,
    port: Option<u16>,
}

impl Host {
    /// Reads `example.org`, `example.org:8080`, `127.0.0.1:80` or `[::1]:80`, in the form that addresses have.
    fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(&format!("http://{text}/")).ok()?;
        let plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let port = text.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        let bare = url.username().is_empty() && url.password().is_none();
        Some(Self { name: url.host_str()?.to_owned(), port }).filter(|_| plain && bare && !text.contains('/'))
    }

    fn allows(&self, url: &Url) -> bool {
        let port = match self.port {
            Some(port) => url.port_or_known_default() == Some(port),
            None => url.port().is_none(),
        };
        port && url.host_str() == Some(&self.name)
    }
}

/// Fetches pages from the hosts that are allowed.
pub(super) struct Fetcher {
    hosts: Vec<Host>,
    most: usize,
    // Made when it is first needed: reading the system's certificates takes its time.
    client: OnceLock<Result<Client, String>>,
}

impl Fetcher {
    pub(super) fn new(hosts: &[String], most: usize) -> Result<Self, BuiltinError> {
        let parsed =
            |host: &String| Host::parse(host).ok_or_else(|| BuiltinError::Host { host: host.clone() });
        let hosts = hosts.iter().map(parsed).collect::<Result<_, _>>()?;
        Ok(Self { hosts, most, client: OnceLock::new() })
    }

    pub(super) async fn call(&self, args: Args, patience: &Patience) -> Result<ToolResult, ToolProblem> {
        tokio::select! {
            biased;
            () = patience.stop.cancelled() => Err(stopped()),
            done = self.fetch(args) => done,
            () = tokio::time::sleep(patience.left()) => Err(patience.timed_out()),
        }
    }

    async fn fetch(&self, args: Args) -> Result<ToolResult, ToolProblem> {
        let mut url = self.allowed(&args.url, None)?;
        let mut headers = headers(args.headers.unwrap_or_default())?;
        for _ in 0..=MAX_REDIRECTS {
            let request = self.client()?.get(url.clone()).headers(headers.clone());
            let response = request.send().await.map_err(|error| lost(&url, &error))?;
            let Some(next) = redirect(&response) else { return self.told(&url, response).await };
            let next = self.allowed(&next, Some(&url))?;
            // What was meant for one host is not for another; it may be a key.
            if next.origin() != url.origin() {
                headers.clear();
            }
            url = next;
        }
        Err(problem(ToolErrorKind::Failed, format!("sent on more than {MAX_REDIRECTS} times, last to {url}")))
    }

    /// An address that may be reached.
    fn allowed(&self, text: &str, from: Option<&Url>) -> Result<Url, ToolProblem> {
        let parsed = from.map_or_else(|| Url::parse(text), |from| from.join(text));
        let wrong = |kind, why: String| {
            let way = from.map(|from| format!(" (sent on by {from})")).unwrap_or_default();
            problem(kind, format!("{text}{way}: {why}"))
        };
        let url = parsed.map_err(|error| {
            wrong(
                ToolErrorKind::InvalidArguments,
                format!("not an address: {error}; expected https://HOST/…"),
            )
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong(ToolErrorKind::Denied, "only http and https can be used".to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong(
                ToolErrorKind::Denied,
                "addresses with a user or password are not used".to_owned(),
            ));
        }
        if !self.hosts.iter().any(|host| host.allows(&url)) {
            return Err(wrong(
                ToolErrorKind::Denied,
                "this host is not among those that are allowed".to_owned(),
            ));
        }
        Ok(url)
    }

    fn client(&self) -> Result<&Client, ToolProblem> {
        let client = self.client.get_or_init(|| {
            // Whoever was first has installed one already; all of them are the same.
            let _ = rustls::crypto::ring::default_provider().install_default();
            Client::builder().redirect(Policy::none()).build().map_err(|error| innermost(&error))
        });
        client.as_ref().map_err(|why| problem(ToolErrorKind::Failed, format!("cannot speak HTTP: {why}")))
    }

    async fn told(&self, url: &Url, mut response: Response) -> Result<ToolResult, ToolProblem> {
        let status = response.status();
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).map(str::to_owned);
        let (mut body, mut cut) = (Vec::new(), false);
        while let Some(chunk) = response.chunk().await.map_err(|error| lost(url, &error))? {
            body.extend_from_slice(&chunk);
            if body.len() > self.most {
                body.truncate(self.most);
                cut = true;
                break;
            }
        }
        let text = if body.contains(&0) {
            format!("({} bytes that are not text)", body.len())
        } else {
            String::from_utf8_lossy(&body).into_owned()
        };
        let data = json!({"url": url.as_str(), "status": status.as_u16(), "content_type": kind});
        let mut result = ToolResult::done(text, Some(data));
        if !status.is_success() {
            result.success = false;
            result.error =
                Some(problem(ToolErrorKind::Failed, format!("{url} answered with status {status}")));
        }
        if cut {
            result.content += &format!("\n[... cut after {} bytes ...]", self.most);
            result.cut = true;
        }
        Ok(result)
    }
}

fn headers(given: BTreeMap<String, String>) -> Result<HeaderMap, ToolProblem> {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let wrong = |why| problem(ToolErrorKind::InvalidArguments, format!("headers.{name}: {why}"));
        let key = HeaderName::try_from(&name).map_err(|_| wrong("not the name of a header"))?;
        if NOT_OURS.contains(&key.as_str()) {
            return Err(wrong("belongs to the connection and cannot be set"));
        }
        let value = HeaderValue::try_from(value).map_err(|_| wrong("holds line breaks or the like"))?;
        headers.insert(key, value);
    }
    Ok(headers)
}

/// Where a page sends us on to.
fn redirect(response: &Response) -> Option<String> {
    let on = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let to = response.headers().get(LOCATION).filter(|_| on)?;
    Some(to.to_str().ok()?.to_owned())
}

fn lost(url: &Url, error: &reqwest::Error) -> ToolProblem {
    let what = if error.is_connect() { "cannot connect to" } else { "lost the connection to" };
    problem(ToolErrorKind::Failed, format!("{what} {url}: {}", innermost(error)))
}

/// The last cause of an error: the others only say that a request failed.
fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
