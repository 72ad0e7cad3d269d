//! Who may come in: tokens and browser sessions, Host and Origin.
//!
//! A token is compared as a hash, in constant time. A browser gets a token of its own in a cookie that scripts cannot
//! read and other sites cannot send; with it, a request that changes something must also come from our own pages.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use axum::http::{HeaderMap, Method, header};
use candor_app::tokens::{self, NamedToken, Scope, Tokens};
use candor_model::Timestamp;
use subtle::ConstantTimeEq as _;

use super::problem::Problem;

/// The cookie of a browser that logged in.
pub(super) const COOKIE: &str = "candor_session";
/// How often the file of tokens is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Who makes a request.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    /// The name of the token.
    pub(super) name: String,
    /// What it allows.
    pub(super) scope: Scope,
}

/// Knows the tokens and the names under which the server is reached.
pub(super) struct Doorkeeper {
    tokens: Tokens,
    known: Mutex<Known>,
    hosts: Vec<String>,
}

struct Known {
    tokens: Vec<NamedToken>,
    changed_at: Option<SystemTime>,
    looked_at: Option<Instant>,
}

impl Doorkeeper {
    pub(super) fn new(tokens: Tokens, hosts: Vec<String>) -> Self {
        let known = Known { tokens: Vec::new(), changed_at: None, looked_at: None };
        Self { tokens, known: Mutex::new(known), hosts }
    }

    /// Whoever has this secret.
    fn identify(&self, secret: &str) -> Option<Caller> {
        let given = tokens::hash(secret);
        let mut known = lock(&self.known);
        known.refresh(&self.tokens);
        // All of them are compared, however early one fits.
        let mut found = None;
        for token in &known.tokens {
            if equal(token.hash(), &given) {
                found = Some(token);
            }
        }
        let token = found.filter(|token| token.holds(now()))?;
        Some(Caller { name: token.name.clone(), scope: token.scope })
    }

    /// Who makes a request; nobody if no token that is known came with it.
    pub(super) fn caller(&self, method: &Method, headers: &HeaderMap) -> Result<Option<Caller>, Problem> {
        if let Some(given) = headers.get(header::AUTHORIZATION) {
            let bearer = given.to_str().ok().and_then(|it| it.split_once(' '));
            let secret = bearer
                .filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"))
                .map(|(_, secret)| secret.trim());
            return Ok(secret.and_then(|secret| self.identify(secret)));
        }
        let Some(caller) = cookie(headers).and_then(|secret| self.identify(secret)) else { return Ok(None) };
        if !method.is_safe() && headers.get(header::ORIGIN).is_none() {
            return Err(Problem::forbidden("a request with a cookie must come from this server's own pages"));
        }
        Ok(Some(caller))
    }

    /// Refuses a request that names another host, or comes from another site's page.
    pub(super) fn check_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let text = |name| headers.get(name).and_then(|value: &header::HeaderValue| value.to_str().ok());
        let host = text(header::HOST).unwrap_or_default();
        if headers.get_all(header::HOST).iter().count() != 1 || !self.is_ours(host) {
            return Err(Problem::new(
                axum::http::StatusCode::MISDIRECTED_REQUEST,
                "wrong-host",
                "this server is not reached under this name; add it with --host NAME",
            ));
        }
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
        let site = origin
            .to_str()
            .ok()
            .and_then(|it| it.strip_prefix("http://").or_else(|| it.strip_prefix("https://")));
        if site.is_some_and(|site| site.eq_ignore_ascii_case(host)) {
            return Ok(());
        }
        Err(Problem::forbidden("a page of another site may not use this server"))
    }

    fn is_ours(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        LOOPBACK.iter().any(|known| is(known)) || self.hosts.iter().any(|known| is(known))
    }
}

impl Known {
    /// Reads the tokens again if their file has changed.
    fn refresh(&mut self, tokens: &Tokens) {
        if self.looked_at.is_some_and(|at| at.elapsed() < LOOK) {
            return;
        }
        self.looked_at = Some(Instant::now());
        let changed_at = tokens.changed_at();
        if changed_at.is_some() && changed_at == self.changed_at && !self.tokens.is_empty() {
            return;
        }
        // A file that cannot be read lets nobody in.
        self.tokens = tokens.list().unwrap_or_default();
        self.changed_at = changed_at;
    }
}

fn equal(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

/// The secret in a browser's cookie.
fn cookie(headers: &HeaderMap) -> Option<&str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, secret)| secret)
}

/// The time on the wall.
pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
