//! A server that runs and is spoken to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ClientHandler;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{NotificationContext, Peer, RoleClient, RunningService, ServiceError, serve_client};
use rmcp::transport::Transport;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::keeper::{CLOSES_WITHIN, DIES_WITHIN, Fate, Shared, keep, last_words, ping};
use super::listing::Listing;
use super::open::{Program, greeting_problem, reach, start_program, transport_problem};
use super::words::Heard;
use crate::config::{ServerConfig, duration};

/// A server that was greeted. Whoever drops it ends it.
pub(super) struct Connection {
    peer: Peer<RoleClient>,
    server: String,
    config: Arc<ServerConfig>,
    listing: Mutex<Arc<Listing>>,
    /// One question for the list at a time.
    asking: tokio::sync::Mutex<()>,
    shared: Arc<Shared>,
    /// What the server says on stderr, if it is a program.
    heard: Heard,
    _end: DropGuard,
}

impl Connection {
    /// Starts or reaches the server, greets it, and asks for its tools.
    pub(super) async fn open(
        server: &str,
        config: &Arc<ServerConfig>,
        closed: &CancellationToken,
    ) -> Result<Arc<Self>, String> {
        let shared = Arc::new(Shared::new());
        let ears = Ears(Arc::clone(&shared));
        let (service, listing, program) = match (&config.command, &config.url) {
            (Some(words), _) => {
                let (program, pipes) = start_program(words, config)?;
                greet_program(program, greet(ears, pipes, server, config), config, closed).await?
            }
            (None, Some(url)) => {
                let greeting = greet(ears, reach(url, config)?, server, config);
                let (service, listing) = patiently(greeting, config, closed).await?;
                (service, listing, None)
            }
            (None, None) => return Err("it has neither a `command` nor a `url`".to_owned()),
        };
        let peer = service.peer().clone();
        let heard = program.as_ref().map(|program| program.words.heard()).unwrap_or_default();
        let every = (duration(config.ping_every), duration(config.ping_timeout));
        tokio::spawn(keep(service, program, Arc::clone(&shared), every));
        let end = shared.stop.clone().drop_guard();
        let listing = Mutex::new(Arc::new(listing));
        let asking = tokio::sync::Mutex::new(());
        let (server, config) = (server.to_owned(), Arc::clone(config));
        Ok(Arc::new(Self { peer, server, config, listing, asking, shared, heard, _end: end }))
    }

    /// The server, to be asked something.
    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        &self.peer
    }

    /// Whether it can be asked something.
    pub(super) fn is_live(&self) -> bool {
        !self.shared.stop.is_cancelled()
            && !self.shared.over.is_cancelled()
            && !self.peer.is_transport_closed()
    }

    /// The tools as they were last told.
    pub(super) fn known_tools(&self) -> Arc<Listing> {
        Arc::clone(&self.listing.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tools, asked for again if they have changed. If that fails they are asked for once more next time.
    pub(super) async fn tools(&self) -> Arc<Listing> {
        let _turn = self.asking.lock().await;
        if self.shared.stale.swap(false, Ordering::AcqRel) {
            // A caller that gives up in the middle leaves the list to be asked for by the next one.
            let unread = Unread(&self.shared.stale);
            let asked = Listing::ask(&self.peer, &self.server, &self.config);
            if let Ok(Ok(listing)) = timeout(duration(self.config.start_timeout), asked).await {
                std::mem::forget(unread);
                *self.listing.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(listing);
            }
        }
        self.known_tools()
    }

    /// Notes that a call is under way, until what is returned is dropped.
    pub(super) fn busy(&self) -> Busy<'_> {
        let alone = self.shared.busy.fetch_add(1, Ordering::AcqRel) == 0;
        let number = self.shared.calls.fetch_add(1, Ordering::AcqRel).wrapping_add(1);
        Busy { connection: self, alone, number, mark: self.heard.mark() }
    }

    /// Asks whether it is still there, unless someone asks already; ends it if not. Says whether it was ended.
    pub(super) async fn ask_for_life(&self) -> bool {
        if self.shared.asked.swap(true, Ordering::AcqRel) {
            return false;
        }
        let patience = duration(self.config.ping_timeout);
        let lives = ping(&self.peer, patience).await;
        self.shared.asked.store(false, Ordering::Release);
        if !lives {
            self.shared.end(Fate::Hung(patience));
        }
        !lives
    }

    /// Ends it because a message could not be sent.
    pub(super) fn lose(&self, problem: String) {
        self.shared.end(Fate::Lost(problem));
    }

    /// Ends it because it is not needed any more, and returns when nothing of it is left.
    pub(super) async fn close(&self) {
        self.shared.end(Fate::Stopped);
        self.shared.over.cancelled().await;
    }

    /// How it ended, in words; waits a little for that to be known.
    pub(super) async fn ending(&self) -> String {
        let patience = CLOSES_WITHIN + DIES_WITHIN;
        let _ = timeout(2 * patience, self.shared.over.cancelled()).await;
        self.shared.ending.get().cloned().unwrap_or_else(|| "it is about to end".to_owned())
    }
}

/// A call that is under way.
pub(super) struct Busy<'a> {
    connection: &'a Connection,
    /// No other call was under way when it began.
    alone: bool,
    number: usize,
    /// What the server had said on stderr by then.
    mark: usize,
}

impl Busy<'_> {
    /// The last line that fits of what the server said on stderr because of this call. Of several calls at once
    /// nobody knows which one it speaks of: then there is none.
    pub(super) async fn find_said(&self, fits: impl Fn(&str) -> bool) -> Option<String> {
        let is_program = self.connection.config.command.is_some();
        let calls = &self.connection.shared.calls;
        if !is_program || !self.alone || calls.load(Ordering::Acquire) != self.number {
            return None;
        }
        self.connection.heard.find_since(self.mark, fits).await
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let shared = &self.connection.shared;
        shared.hear();
        shared.busy.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A list that has to be asked for again.
struct Unread<'a>(&'a AtomicBool);

impl Drop for Unread<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// What Candor tells a server of itself, and what it listens to.
struct Ears(Arc<Shared>);

impl ClientHandler for Ears {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("candor", env!("CARGO_PKG_VERSION"));
        let mut config = ClientConfig::new(ClientCapabilities::default(), name);
        config.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        config
    }

    fn on_tool_list_changed(
        &self,
        _: NotificationContext<RoleClient>,
    ) -> impl Future<Output = ()> + Send + '_ {
        self.0.stale.store(true, Ordering::Release);
        std::future::ready(())
    }
}

type Greeted = (RunningService<RoleClient, Ears>, Listing);

async fn greet<T>(ears: Ears, transport: T, server: &str, config: &ServerConfig) -> Result<Greeted, String>
where
    T: Transport<RoleClient, Error: Sync> + 'static,
{
    let service = serve_client(ears, transport).await.map_err(|error| greeting_problem(&error))?;
    let has_tools = service.peer_info().is_none_or(|info| info.capabilities.tools.is_some());
    if !has_tools {
        return Ok((service, Listing::default()));
    }
    match Listing::ask(service.peer(), server, config).await {
        Ok(listing) => Ok((service, listing)),
        Err(error) => Err(format!("it did not say which tools it has: {}", service_problem(&error))),
    }
}

/// Greets a program. If that comes to nothing the program is ended and told about.
async fn greet_program(
    mut program: Program,
    greeting: impl Future<Output = Result<Greeted, String>>,
    config: &ServerConfig,
    closed: &CancellationToken,
) -> Result<(RunningService<RoleClient, Ears>, Listing, Option<Program>), String> {
    let outcome = tokio::select! {
        biased;
        outcome = patiently(greeting, config, closed) => outcome,
        () = program.group.ended() => Err("it ended before it was greeted".to_owned()),
    };
    match outcome {
        Ok((service, listing)) => Ok((service, listing, Some(program))),
        Err(problem) => {
            let late = timeout(DIES_WITHIN, program.group.ended()).await.is_err();
            Err(last_words(&mut program, &problem, !late).await)
        }
    }
}

async fn patiently(
    greeting: impl Future<Output = Result<Greeted, String>>,
    config: &ServerConfig,
    closed: &CancellationToken,
) -> Result<Greeted, String> {
    tokio::select! {
        outcome = timeout(duration(config.start_timeout), greeting) => outcome.unwrap_or_else(|_| {
            Err(format!("it was not ready within {} s (start_timeout)", config.start_timeout))
        }),
        () = closed.cancelled() => Err("it was shut down while it started".to_owned()),
    }
}

/// Why a request failed, in words.
pub(super) fn service_problem(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => format!("error {}: {}", error.code.0, error.message),
        ServiceError::TransportSend(error) => transport_problem(error.error.as_ref()),
        ServiceError::TransportClosed => "the connection was closed".to_owned(),
        ServiceError::UnexpectedResponse => "the answer is not one to this question".to_owned(),
        other => other.to_string(),
    }
}
