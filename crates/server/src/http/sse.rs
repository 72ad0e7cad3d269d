//! Live events as server-sent events: `id` is the place on the log, so that a reader who comes back with
//! `Last-Event-ID` goes on without a gap and without a double.
//!
//! A reader who does not read is left alone until its buffers are full, and is then cut off: it can come back.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use candor_app::{AlertFollower, Batch, Follower};
use candor_model::Position;
use candor_ports::{LoggedEvent, Seq};
use candor_projections::kpi::AlertChange;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;

use super::extract::{Query, Run};
use super::problem::Problem;
use super::{Shared, limits};

/// How often a silent stream says that it is alive; proxies close those that do not.
const ALIVE: Duration = Duration::from_secs(15);
/// How long a reader may leave a full buffer unread.
const PATIENCE: Duration = Duration::from_secs(30);
/// How many chunks may wait for a slow reader.
const WAITING: usize = 16;
/// How large a chunk becomes when events come faster than they are read.
const CHUNK: usize = 64 * 1024;
/// What a stream begins with: how soon a browser should come back.
const HELLO: &str = "retry: 1000\n\n";

/// Where a stream begins.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StreamQuery {
    /// Begin after this place; `Last-Event-ID` comes before it.
    #[serde(default)]
    after: Option<u64>,
}

/// The events of a run.
pub(super) async fn run(
    State(server): State<Shared>,
    Run(run): Run,
    Query(query): Query<StreamQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let after = begin(&headers)?.or(query.after).unwrap_or(0);
    let permit = server.limits.stream()?;
    let follower = server.service.follow(run, Position(after)).await?;
    Ok(stream(server, follower, None, permit, |event| event.position.0))
}

/// The events of all runs.
pub(super) async fn all(
    State(server): State<Shared>,
    Query(query): Query<StreamQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let after = begin(&headers)?.or(query.after).map(Seq);
    let permit = server.limits.stream()?;
    let follower = server.service.follow_all(after).await?;
    let alerts = Some(server.service.follow_alerts().await?);
    Ok(stream(server, follower, alerts, permit, |event| event.seq.0))
}

/// Events of the log that have a name in the stream. There a run is a task, and a task's attempt is an agent at work.
const NAMED: [(&str, &str); 14] = [
    ("run_started", "task_started"),
    ("run_completed", "task_completed"),
    ("run_failed", "task_failed"),
    ("run_aborted", "task_failed"),
    ("run_cancelled", "task_cancelled"),
    ("phase_started", "phase_started"),
    ("phase_completed", "phase_completed"),
    ("phase_failed", "phase_failed"),
    ("task_dispatched", "agent_started"),
    ("task_succeeded", "agent_completed"),
    ("task_failed", "agent_failed"),
    ("fell_back", "agent_fallback"),
    ("breaker_opened", "circuit_opened"),
    ("model_breaker_opened", "circuit_opened"),
];

/// The place after which a reader who comes back goes on.
fn begin(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(last) = headers.get("last-event-id") else { return Ok(None) };
    let last = last.to_str().ok().and_then(|last| last.trim().parse().ok());
    last.map(Some).ok_or_else(|| Problem::bad_request("Last-Event-ID must be a number"))
}

fn stream(
    server: Shared,
    follower: Follower,
    alerts: Option<AlertFollower>,
    permit: limits::Permit,
    id: fn(&LoggedEvent) -> u64,
) -> Response {
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        tokio::select! {
            () = pump(follower, alerts, &sender, id) => {}
            () = sender.closed() => {}
            () = server.stop.cancelled() => {}
        }
        drop(permit);
    });
    let chunks = ReceiverStream::new(receiver).map(|chunk: Arc<[u8]>| Bytes::from_owner(chunk));
    let body = Body::from_stream(chunks.map(Ok::<_, std::convert::Infallible>));
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    (headers, body).into_response()
}

/// Sends events until the reader is gone or does not read.
async fn pump(
    mut follower: Follower,
    mut alerts: Option<AlertFollower>,
    sender: &mpsc::Sender<Arc<[u8]>>,
    id: fn(&LoggedEvent) -> u64,
) {
    let mut sent = send(sender, HELLO.as_bytes().into()).await;
    while sent {
        sent = tokio::select! {
            batch = follower.together() => match batch {
                Ok(batch) => send_batch(sender, &batch, id).await,
                // Whoever asks again is told what is wrong with the log.
                Err(_) => return,
            },
            changes = changed(alerts.as_mut()) => {
                let text: String = changes.iter().filter_map(alert).collect();
                send(sender, text.into_bytes().into()).await
            }
            // A comment.
            () = tokio::time::sleep(ALIVE) => send(sender, b": alive\n\n".as_slice().into()).await,
        };
    }
}

/// Sends events together: one write for many. All readers share what they are sent, but for large events, which must not wait
/// for slow readers by the hundred.
async fn send_batch(sender: &mpsc::Sender<Arc<[u8]>>, batch: &Batch, id: fn(&LoggedEvent) -> u64) -> bool {
    let size: usize = batch.events().iter().map(|event| event.json.len()).sum();
    if size <= CHUNK {
        let shown = batch.shown(|events| events.iter().map(|event| frame(event, id(event))).collect());
        return send(sender, shown).await;
    }
    let mut chunk = String::new();
    for event in batch.events() {
        chunk.push_str(&frame(event, id(event)));
        if chunk.len() >= CHUNK && !send(sender, mem::take(&mut chunk).into_bytes().into()).await {
            return false;
        }
    }
    chunk.is_empty() || send(sender, chunk.into_bytes().into()).await
}

/// Whether a chunk could be sent within the time that a reader has.
async fn send(sender: &mpsc::Sender<Arc<[u8]>>, chunk: Arc<[u8]>) -> bool {
    matches!(tokio::time::timeout(PATIENCE, sender.send(chunk)).await, Ok(Ok(())))
}

/// What happens to alerts next; nothing ever where they are not followed.
async fn changed(alerts: Option<&mut AlertFollower>) -> Vec<AlertChange> {
    match alerts {
        Some(alerts) => alerts.next().await,
        None => std::future::pending().await,
    }
}

/// A change of an alert. It has no place among the events of runs, and so no id: a reader that comes back finds what it
/// missed in the list of alerts.
fn alert(change: &AlertChange) -> Option<String> {
    let json = serde_json::to_string(change).ok()?;
    Some(format!("event: alert\ndata: {json}\n\n"))
}

fn frame(event: &LoggedEvent, id: u64) -> String {
    let name = name(event).map_or_else(String::new, |name| format!("event: {name}\n"));
    format!("id: {id}\n{name}data: {}\n\n", event_json(event))
}

/// The name of an event that a reader may wait for by itself; the others come without one, as messages.
fn name(event: &LoggedEvent) -> Option<&'static str> {
    let (_, body) = event.json.split_once("\"event\":{\"")?;
    let (kind, _) = body.split_once('"')?;
    let named = NAMED.iter().find(|(known, _)| *known == kind);
    named.map(|(_, name)| *name)
}

/// An event as it is on the log, with its run and places.
pub(super) fn event_json(event: &LoggedEvent) -> String {
    let LoggedEvent { seq, run, position, json } = event;
    let rest = json.strip_prefix('{').unwrap_or("}");
    // The name of a run has no character that JSON escapes.
    format!("{{\"run_id\":\"{run}\",\"position\":{},\"seq\":{},{rest}", position.0, seq.0)
}
