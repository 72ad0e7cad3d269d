//! Who may come in: tokens and browser sessions, Host and Origin.
//!
//! A token is compared as a hash, in constant time. A browser gets a token of its own in a cookie that scripts cannot
//! read and other sites cannot send; with it, a request that changes something must also come from our own pages.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use axum::http::{HeaderMap, Method, header};
use candor_app::AppError;
use candor_app::tokens::{self, NamedToken, Scope, Tokens};
use candor_model::Timestamp;
use subtle::ConstantTimeEq as _;

use super::problem::Problem;

/// The cookie of a browser that logged in.
pub(super) const COOKIE: &str = "candor_session";
/// How long a browser stays logged in.
const SESSION: Duration = Duration::from_secs(12 * 60 * 60);
/// How often the file of tokens is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Who makes a request.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The name of the token.
    pub(crate) name: String,
    /// Most that the token may do.
    pub(crate) scope: Scope,
}

/// Knows the tokens and the names under which the server is reached.
pub(super) struct Doorkeeper {
    tokens: Tokens,
    known: Mutex<Known>,
    hosts: Vec<String>,
    secure: bool,
    /// The hash of the code of a login link that was not used yet.
    code: Mutex<Option<String>>,
}

struct Known {
    tokens: Vec<NamedToken>,
    changed_at: Option<SystemTime>,
    looked_at: Option<Instant>,
}

impl Doorkeeper {
    pub(super) fn new(tokens: Tokens, hosts: Vec<String>, secure: bool) -> Self {
        let known = Known { tokens: Vec::new(), changed_at: None, looked_at: None };
        Self { tokens, known: Mutex::new(known), hosts, secure, code: Mutex::new(None) }
    }

    /// Whether the server is reached over TLS, its own or that of a proxy.
    pub(super) const fn is_secure(&self) -> bool {
        self.secure
    }

    /// Makes the code of a login link, in place of an earlier one.
    pub(super) fn login_code(&self) -> Option<String> {
        let code = tokens::secret().ok()?;
        *lock(&self.code) = Some(tokens::hash(&code));
        Some(code)
    }

    /// Logs a browser in by the code of a link, which is used up by it.
    pub(super) fn log_in_by_code(&self, code: &str) -> Result<Option<String>, AppError> {
        let mut kept = lock(&self.code);
        let given = tokens::hash(code);
        if !kept.as_ref().is_some_and(|kept| equal(kept, &given)) {
            return Ok(None);
        }
        *kept = None;
        self.session(Scope::Admin).map(Some)
    }

    /// Logs a browser in by a token, with what that allows.
    pub(super) fn log_in_by_token(&self, token: &str) -> Result<Option<String>, AppError> {
        self.identify(token).map(|caller| self.session(caller.scope)).transpose()
    }

    /// A cookie that ends a session, and its token with it.
    pub(super) fn log_out(&self, headers: &HeaderMap) -> String {
        if let Some(caller) = cookie(headers).and_then(|secret| self.identify(secret)) {
            // Somebody may have removed it already.
            let _ = self.tokens.remove(&caller.name);
        }
        format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
    }

    fn session(&self, scope: Scope) -> Result<String, AppError> {
        let now = now();
        let id = tokens::hash(&tokens::secret()?);
        let name = format!("browser-{}", id.get(..8).unwrap_or_default());
        let seconds = i64::try_from(SESSION.as_secs()).unwrap_or_default();
        let end = Timestamp::from_millis(now.as_millis().saturating_add(seconds * 1000));
        let secret = self.tokens.add(&name, scope, now, Some(end))?;
        lock(&self.known).looked_at = None;
        let secure = if self.secure { "; Secure" } else { "" };
        Ok(format!("{COOKIE}={secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}"))
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
