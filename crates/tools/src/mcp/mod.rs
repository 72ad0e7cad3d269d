//! Servers of the Model Context Protocol, each with someone who looks after it.
//!
//! A server is started when it is first needed. If it dies it is started again at the next call, not too often; if
//! it hangs it is ended, and started again at the next call; if it keeps failing its circuit opens.
//! Every call has a deadline and can be stopped, and leaves nothing behind here.

mod bounded;
mod call;
mod connection;
mod keeper;
mod listing;
mod open;
mod restarts;
mod result;
mod words;

pub(crate) use self::result::{read as read_result, refused as read_refusal, says_missing};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use candor_model::{
    Breaker, BreakerState, Seconds, Timestamp, ToolCall, ToolErrorKind, ToolResult, ToolSpec,
};
use candor_planning::breaker::{self, Admission};
use candor_ports::BoxFuture;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::connection::Connection;
use self::restarts::Restarts;
use crate::config::{ConfigError, ServerConfig};
use crate::source::{ServerHealth, ToolSource};

/// How long the next start is waited for, if it may not be made at once.
const SHORT_WAIT: Duration = Duration::from_secs(2);

/// A server, whether it runs or not. Dropping it ends what runs of it; [`ToolSource::shutdown`] also waits for it.
pub struct McpServer {
    inner: Arc<Inner>,
}

impl McpServer {
    /// A server of this name. Nothing is started yet.
    pub fn new(name: &str, config: ServerConfig) -> Result<Self, ConfigError> {
        config.check(name)?;
        let life = Life {
            breaker: breaker::fresh(name, &config.breaker),
            restarts: Restarts::default(),
            last_error: None,
            state: "not started",
        };
        let inner = Inner {
            name: name.to_owned(),
            config: Arc::new(config),
            since: Instant::now(),
            current: Mutex::new(None),
            starting: tokio::sync::Mutex::new(()),
            life: Mutex::new(life),
            closed: CancellationToken::new(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }
}

impl ToolSource for McpServer {
    fn name(&self) -> &str {
        &self.inner.name
    }

    fn tools(&self) -> BoxFuture<'_, Vec<Arc<ToolSpec>>> {
        Box::pin(async move {
            if self.inner.is_open() {
                return Vec::new();
            }
            // Why there are none is told by its health, and to whoever calls one.
            match self.inner.connection().await {
                Ok(connection) => connection.tools().await.tools.clone(),
                Err(_) => Vec::new(),
            }
        })
    }

    fn call<'a>(
        &'a self,
        call: &'a ToolCall,
        within: Duration,
        stop: CancellationToken,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let begun = Instant::now();
            let mut result = call::run(&self.inner, call, within, stop).await;
            result.duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            result
        })
    }

    fn health(&self, start: bool) -> BoxFuture<'_, Option<ServerHealth>> {
        Box::pin(async move {
            if start {
                // What comes of it is in what is told below.
                let _ = self.inner.connection().await;
            }
            Some(self.inner.health())
        })
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.inner.shutdown())
    }
}

/// What the server and the tasks that look after it share.
struct Inner {
    name: String,
    config: Arc<ServerConfig>,
    /// The breaker's time is counted from here: a clock that is set right does not open or close it.
    since: Instant,
    current: Mutex<Option<Arc<Connection>>>,
    /// One start at a time.
    starting: tokio::sync::Mutex<()>,
    life: Mutex<Life>,
    closed: CancellationToken,
}

/// How the server fared.
struct Life {
    breaker: Breaker,
    restarts: Restarts,
    last_error: Option<String>,
    state: &'static str,
}

/// Why there is no connection, and whether the breaker knows of it.
struct NoConnection {
    message: String,
    counted: bool,
}

impl Inner {
    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Timestamp {
        let millis = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        Timestamp::EPOCH.plus(Seconds::from_millis(millis))
    }

    fn is_open(&self) -> bool {
        breaker::is_open(&self.life().breaker, self.now())
    }

    /// Whether a call may be made: if so, whether it is the one that finds out if things work again.
    fn admit(&self) -> Result<bool, String> {
        let now = self.now();
        let mut life = self.life();
        match breaker::admit(&mut life.breaker, now) {
            Admission::Pass => Ok(false),
            Admission::Probe => Ok(true),
            Admission::Refused { until } => Err(breaker::refusal(&life.breaker, until, now)),
        }
    }

    /// Counts an answer, whatever it says: who answers works.
    fn works(&self) {
        let mut life = self.life();
        breaker::succeeded(&mut life.breaker);
        life.restarts.works();
    }

    /// Counts a failure of the server.
    fn fails(&self, reason: &str) {
        let now = self.now();
        let mut life = self.life();
        breaker::failed(&mut life.breaker, reason, now);
        life.last_error = Some(reason.to_owned());
    }

    /// The connection, started if there is none.
    ///
    /// The start goes on when the caller gives up: otherwise a server that takes longer to start than its callers
    /// have time would never run.
    async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, NoConnection> {
        if let Some(live) = self.live().await {
            return Ok(live);
        }
        let inner = Arc::clone(self);
        let started = tokio::spawn(async move { inner.start().await }).await;
        started.unwrap_or_else(|error| {
            Err(NoConnection { message: format!("its start was interrupted: {error}"), counted: false })
        })
    }

    async fn start(&self) -> Result<Arc<Connection>, NoConnection> {
        let _turn = self.starting.lock().await;
        if let Some(live) = self.live().await {
            return Ok(live);
        }
        if self.closed.is_cancelled() {
            return Err(NoConnection { message: "it was shut down".to_owned(), counted: false });
        }
        self.wait_a_little().await;
        self.may_start()?;
        let opened = Connection::open(&self.name, &self.config, &self.closed).await;
        let connection = opened.map_err(|problem| self.did_not_start(&problem))?;
        self.life().state = "running";
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&connection));
        Ok(connection)
    }

    /// A start that is nearly due is waited for: failing at once would only use up somebody's tries.
    async fn wait_a_little(&self) {
        let wait = self.life().restarts.wait(Instant::now());
        if let Some(wait) = wait.filter(|wait| *wait <= SHORT_WAIT) {
            tokio::time::sleep(wait).await;
        }
    }

    /// Notes a start, or says why there is none now.
    fn may_start(&self) -> Result<(), NoConnection> {
        let now = Instant::now();
        let mut life = self.life();
        let Some(wait) = life.restarts.wait(now) else {
            life.restarts.started(now);
            return Ok(());
        };
        let why = life.last_error.as_deref().unwrap_or("it was started too often");
        let message = format!(
            "it is started again in {:.1} s at the earliest; the last problem: {why}",
            wait.as_secs_f64()
        );
        Err(NoConnection { message, counted: false })
    }

    fn did_not_start(&self, problem: &str) -> NoConnection {
        let shut = self.closed.is_cancelled();
        if !shut {
            self.fails(problem);
            let mut life = self.life();
            life.restarts.failed(Instant::now());
            life.state = "failed to start";
        }
        NoConnection { message: format!("it could not be started: {problem}"), counted: !shut }
    }

    /// The connection, if there is one that can be used. One that has ended is taken note of.
    async fn live(&self) -> Option<Arc<Connection>> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        if current.is_live() {
            return Some(current);
        }
        // What is left of it is gone before a new one is started.
        let ending = current.ending().await;
        let mut slot = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.as_ref().is_some_and(|other| Arc::ptr_eq(other, &current)) {
            *slot = None;
            drop(slot);
            let mut life = self.life();
            life.restarts.failed(Instant::now());
            life.last_error = Some(ending);
            life.state = "ended";
        }
        None
    }

    fn health(&self) -> ServerHealth {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let listing = current.as_ref().filter(|one| one.is_live()).map(|one| one.known_tools());
        let now = self.now();
        let life = self.life();
        let ended = current.is_some() && listing.is_none();
        let state = match life.state {
            _ if self.closed.is_cancelled() => "shut down",
            _ if ended => "ended",
            state => state,
        };
        ServerHealth {
            name: self.name.clone(),
            state: state.to_owned(),
            tools: listing.as_ref().map_or(0, |listing| listing.tools.len()),
            restarts: life.restarts.again(),
            last_error: life.last_error.clone(),
            breaker: breaker_words(&life.breaker, now),
            warnings: listing.map_or_else(Vec::new, |listing| listing.warnings.clone()),
        }
    }

    async fn shutdown(&self) {
        self.closed.cancel();
        let _turn = self.starting.lock().await;
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(connection) = current {
            connection.close().await;
        }
    }

    /// The failure of a call that never reached the server.
    fn unavailable(&self, tool: &str, why: &str) -> ToolResult {
        let message = format!("{tool} was not called: the server `{}` is not available: {why}", self.name);
        ToolResult::failed(ToolErrorKind::Unavailable, message)
    }
}

fn breaker_words(breaker: &Breaker, now: Timestamp) -> String {
    match breaker.state {
        BreakerState::Closed => "closed".to_owned(),
        BreakerState::HalfOpen => "half open: the next call finds out whether it works again".to_owned(),
        BreakerState::Open => {
            format!("open: {}", breaker::refusal(breaker, breaker::opens_at(breaker), now))
        }
    }
}
