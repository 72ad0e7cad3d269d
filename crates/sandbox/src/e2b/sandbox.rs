//! A sandbox that is there, and that ends whatever happens.
//!
//! Whoever holds a [`Sandbox`] can wait for its end with [`Sandbox::close`]. If it is dropped instead, because the
//! work on it was given up, a task of its own ends it. What even that cannot reach, such as a machine that loses
//! its power, the lifetime takes care of that the sandbox was made with.

use std::sync::Arc;
use std::time::Duration;

use candor_ports::CodeJob;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, Url};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::config::is_domain;
use super::service::{PORT, Service};
use super::trouble::{Trouble, address};

/// No program and no sandbox is waited for longer; the service ends its sandboxes sooner.
const MAX_TIME: Duration = Duration::from_secs(24 * 60 * 60);
/// How much longer than its program a sandbox lives if nobody ends it.
const MARGIN: Duration = Duration::from_secs(15);
/// How long making one goes on when nobody waits for it any more, so that it can be ended.
const LATE: Duration = Duration::from_secs(60);
/// How long its end is waited for; the end is seen to afterwards too.
const CLOSE_WITHIN: Duration = Duration::from_secs(5);

/// A sandbox.
pub(super) struct Sandbox {
    service: Arc<Service>,
    id: String,
    runtime: Handle,
    closed: bool,
}

impl Sandbox {
    /// Makes a sandbox for a job, and gives also how to reach it.
    ///
    /// A task of its own makes it: if nobody waits any more, the sandbox that comes out of it is dropped, and so
    /// ended.
    pub(super) async fn open(service: &Arc<Service>, job: &CodeJob) -> Result<(Self, Reach), Trouble> {
        let (within, lifetime) = (service.config.start_within.min(MAX_TIME), lifetime(time_of(job)));
        let until = Instant::now() + within;
        let making = make(Arc::clone(service), lifetime, until);
        let task = tokio::spawn(tokio::time::timeout_at(until + LATE, making));
        let silent = || Trouble::Silent { address: service.config.api.clone(), waited: within };
        match tokio::time::timeout_at(until, task).await {
            Ok(Ok(Ok(made))) => made,
            Ok(Err(_)) => Err(Trouble::Abandoned),
            Err(_) | Ok(Ok(Err(_))) => Err(silent()),
        }
    }

    /// Ends it, and waits for that for a short time.
    pub(super) async fn close(mut self) -> Result<(), Trouble> {
        self.closed = true;
        let ended = tokio::time::timeout(CLOSE_WITHIN, self.runtime.spawn(self.end())).await;
        let silent = || Trouble::Silent { address: self.service.config.api.clone(), waited: CLOSE_WITHIN };
        ended.map_err(|_| silent())?.map_err(|_| Trouble::Abandoned)?
    }

    fn end(&self) -> impl Future<Output = Result<(), Trouble>> + Send + 'static {
        let (service, id) = (Arc::clone(&self.service), self.id.clone());
        async move { service.end(&id).await }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if !self.closed {
            drop(self.runtime.spawn(self.end()));
        }
    }
}

/// How a sandbox takes programs.
pub(super) struct Reach {
    pub(super) url: Url,
    headers: HeaderMap,
}

impl Reach {
    /// Has a program run.
    pub(super) async fn run(
        &self,
        service: &Service,
        program: &str,
        until: Instant,
    ) -> Result<Response, Trouble> {
        service.run(&self.url, &self.headers, program, until).await
    }

    /// Where it is, for people.
    pub(super) fn address(&self) -> String {
        address(&self.url)
    }

    fn of(service: &Service, api: &Url, id: &str, answer: &Value) -> Result<Self, Trouble> {
        let domain = answer.get("domain").and_then(Value::as_str).filter(|domain| !domain.is_empty());
        if domain.is_some_and(|domain| !is_domain(domain)) {
            return Err(Trouble::malformed(api, "`domain` is not a domain"));
        }
        let address = service.config.sandbox_address(id, domain, PORT);
        let url = Url::parse(&address).map_err(|_| Trouble::malformed(api, "it leads to no address"))?;
        let mut headers = HeaderMap::new();
        headers.insert("e2b-sandbox-port", HeaderValue::from(PORT));
        put(&mut headers, api, "e2b-sandbox-id", "sandboxID", answer)?;
        put(&mut headers, api, "x-access-token", "envdAccessToken", answer)?;
        put(&mut headers, api, "e2b-traffic-access-token", "trafficAccessToken", answer)?;
        Ok(Self { url, headers })
    }
}

async fn make(
    service: Arc<Service>,
    lifetime: Duration,
    until: Instant,
) -> Result<(Sandbox, Reach), Trouble> {
    let (api, answer) = service.open(lifetime, until).await?;
    let id = answer.get("sandboxID").and_then(Value::as_str).filter(|id| is_id(id));
    let id = id.ok_or_else(|| Trouble::malformed(&api, "`sandboxID` is missing or no name"))?.to_owned();
    // From here on it is there: whatever else is wrong with the answer, it must end.
    let sandbox = Sandbox { service: Arc::clone(&service), id, runtime: Handle::current(), closed: false };
    let reach = Reach::of(&service, &api, &sandbox.id, &answer)?;
    Ok((sandbox, reach))
}

/// Takes a field of the answer into a header, if it is there. What it holds is not told: it may be a token.
fn put(
    headers: &mut HeaderMap,
    api: &Url,
    name: &'static str,
    field: &str,
    answer: &Value,
) -> Result<(), Trouble> {
    let Some(found) = answer.get(field).filter(|found| !found.is_null()) else { return Ok(()) };
    let value = found.as_str().and_then(|text| HeaderValue::try_from(text).ok());
    let mut value = value.ok_or_else(|| Trouble::malformed(api, format!("`{field}` is no token")))?;
    value.set_sensitive(true);
    headers.insert(HeaderName::from_static(name), value);
    Ok(())
}

/// Whether this can stand in a path and in front of a domain, and nothing else.
fn is_id(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=100).contains(&text.len()) && text.bytes().all(is_part)
}

/// How long the program of a job may take.
pub(super) fn time_of(job: &CodeJob) -> Duration {
    job.timeout.min(MAX_TIME)
}

/// In whole seconds, as the service counts them.
fn lifetime(timeout: Duration) -> Duration {
    let whole = timeout.as_secs().saturating_add(u64::from(timeout.subsec_nanos() > 0));
    Duration::from_secs(whole.saturating_add(MARGIN.as_secs()))
}
