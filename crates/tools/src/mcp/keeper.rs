//! Who looks after a connection: a task that owns what has to be ended, the conversation and the processes.
//!
//! It notices when the server goes away, asks it now and then whether it is still there, and ends all of it when
//! told to, or when nobody holds the connection any more.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rmcp::model::{ClientRequest, PingRequest};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, RunningService, Service, ServiceError};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::bounded::MAX_MESSAGE_BYTES;
use super::open::Program;

/// How long the end of a conversation may take.
pub(super) const CLOSES_WITHIN: Duration = Duration::from_secs(1);
/// How long a program that closed its stdout may take to end, so that it can be said how it ended.
pub(super) const DIES_WITHIN: Duration = Duration::from_millis(500);

/// What the connection and its keeper both know.
pub(super) struct Shared {
    /// The server said that its tools have changed.
    pub(super) stale: AtomicBool,
    /// Calls that are under way.
    pub(super) busy: AtomicUsize,
    /// Calls that there were.
    pub(super) calls: AtomicUsize,
    /// Someone asks already whether it is still there.
    pub(super) asked: AtomicBool,
    /// When it was last heard of.
    heard: Mutex<Instant>,
    pub(super) stop: CancellationToken,
    /// Why it was told to end.
    fate: OnceLock<Fate>,
    /// Cancelled once process and connection are gone.
    pub(super) over: CancellationToken,
    /// How it ended, in words.
    pub(super) ending: OnceLock<String>,
}

/// Why a connection ends.
#[derive(Debug, Clone)]
pub(super) enum Fate {
    /// The server closed it.
    Closed,
    /// The server's process ended.
    Died,
    /// It is not needed any more.
    Stopped,
    /// It does not answer.
    Hung(Duration),
    /// It cannot be reached.
    Lost(String),
}

impl Shared {
    pub(super) fn new() -> Self {
        Self {
            stale: AtomicBool::new(false),
            busy: AtomicUsize::new(0),
            calls: AtomicUsize::new(0),
            asked: AtomicBool::new(false),
            heard: Mutex::new(Instant::now()),
            stop: CancellationToken::new(),
            fate: OnceLock::new(),
            over: CancellationToken::new(),
            ending: OnceLock::new(),
        }
    }

    pub(super) fn end(&self, fate: Fate) {
        // The first reason is the reason.
        let _ = self.fate.set(fate);
        self.stop.cancel();
    }

    pub(super) fn hear(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn silent_for(&self) -> Duration {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }
}

/// Owns a server from its greeting to its end.
pub(super) async fn keep<S: Service<RoleClient>>(
    service: RunningService<RoleClient, S>,
    mut program: Option<Program>,
    shared: Arc<Shared>,
    (every, patience): (Duration, Duration),
) {
    let peer = service.peer().clone();
    let quit = service.cancellation_token();
    let mut waiting = pin!(service.waiting());
    let (closed, fate) = tokio::select! {
        _ = &mut waiting => (true, Fate::Closed),
        () = program_ended(program.as_ref()) => (false, Fate::Died),
        () = silence(&peer, &shared, every, patience) => (false, Fate::Hung(patience)),
        () = shared.stop.cancelled() => (false, Fate::Stopped),
    };
    // Whoever told it to end said why; a connection that was merely dropped is not needed.
    let fate = shared.fate.get().cloned().unwrap_or(fate);
    shared.stop.cancel();
    quit.cancel();
    if !closed {
        let _ = timeout(CLOSES_WITHIN, waiting).await;
    }
    let ending = match &mut program {
        Some(program) => end_program(program, &fate).await,
        None => fate_words(&fate),
    };
    let _ = shared.ending.set(ending);
    shared.over.cancel();
}

async fn program_ended(program: Option<&Program>) {
    match program {
        Some(program) => program.group.ended().await,
        None => std::future::pending().await,
    }
}

/// Returns when a server without work does not answer any more.
async fn silence(peer: &Peer<RoleClient>, shared: &Shared, every: Duration, patience: Duration) {
    loop {
        sleep(every.saturating_sub(shared.silent_for()).max(Duration::from_millis(10))).await;
        if shared.silent_for() < every {
            continue;
        }
        if shared.busy.load(Ordering::Acquire) == 0 && !ping(peer, patience).await {
            return;
        }
        shared.hear();
    }
}

/// Whether a server answers, be it with an error.
pub(super) async fn ping(peer: &Peer<RoleClient>, patience: Duration) -> bool {
    let question = async {
        let request = ClientRequest::PingRequest(PingRequest::default());
        peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?.await_response().await
    };
    matches!(timeout(patience, question).await, Ok(Ok(_) | Err(ServiceError::McpError(_))))
}

async fn end_program(program: &mut Program, fate: &Fate) -> String {
    if program.flooded.is_set() {
        let problem = format!("it sent a message of more than {MAX_MESSAGE_BYTES} bytes, and was ended");
        return last_words(program, &problem, false).await;
    }
    match fate {
        Fate::Stopped => {
            let _ = program.group.end_gently().await;
            fate_words(fate)
        }
        Fate::Hung(_) | Fate::Lost(_) => last_words(program, &fate_words(fate), false).await,
        Fate::Closed | Fate::Died => {
            let late = timeout(DIES_WITHIN, program.group.ended()).await.is_err();
            let problem = if late { fate_words(&Fate::Closed) } else { fate_words(&Fate::Died) };
            last_words(program, &problem, !late).await
        }
    }
}

fn fate_words(fate: &Fate) -> String {
    match fate {
        Fate::Closed => "it closed the connection".to_owned(),
        Fate::Died => "its process ended".to_owned(),
        Fate::Stopped => "it was shut down".to_owned(),
        Fate::Hung(patience) => {
            format!("it did not answer a ping within {} s, and was ended", patience.as_secs_f64())
        }
        Fate::Lost(problem) => format!("it could not be reached: {problem}"),
    }
}

/// Ends what is left of a program, and tells what it said last, and how it ended if that was its own doing.
pub(super) async fn last_words(program: &mut Program, problem: &str, by_itself: bool) -> String {
    let ended = program.group.end().await;
    let how = ended.ok().filter(|_| by_itself).map_or_else(String::new, |status| format!(" ({status})"));
    let said = program.words.last().await;
    if said.is_empty() {
        format!("{problem}{how}")
    } else {
        format!("{problem}{how}; its stderr ends with: {said}")
    }
}
