//! Live events as server-sent events: `id` is the place on the log, so that a reader who comes back with
//! `Last-Event-ID` goes on without a gap and without a double.
//!
//! A reader who does not read is left alone until its buffers are full, and is then cut off: it can come back.

use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use candor_app::Follower;
use candor_model::Position;
use candor_ports::{LoggedEvent, Seq};
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
    Ok(stream(server, follower, permit, |event| event.position.0))
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
    Ok(stream(server, follower, permit, |event| event.seq.0))
}

/// The place after which a reader who comes back goes on.
fn begin(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(last) = headers.get("last-event-id") else { return Ok(None) };
    let last = last.to_str().ok().and_then(|last| last.trim().parse().ok());
    last.map(Some).ok_or_else(|| Problem::bad_request("Last-Event-ID must be a number"))
}

fn stream(
    server: Shared,
    follower: Follower,
    permit: limits::Permit,
    id: fn(&LoggedEvent) -> u64,
) -> Response {
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        tokio::select! {
            () = pump(follower, &sender, id) => {}
            () = sender.closed() => {}
            () = server.stop.cancelled() => {}
        }
        drop(permit);
    });
    let body = Body::from_stream(ReceiverStream::new(receiver).map(Ok::<_, std::convert::Infallible>));
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    (headers, body).into_response()
}

/// Sends events until the reader is gone or does not read.
async fn pump(mut follower: Follower, sender: &mpsc::Sender<String>, id: fn(&LoggedEvent) -> u64) {
    let mut chunk = HELLO.to_owned();
    loop {
        if tokio::time::timeout(PATIENCE, sender.send(std::mem::take(&mut chunk))).await.is_err() {
            return;
        }
        match tokio::time::timeout(ALIVE, follower.next()).await {
            Ok(Ok(event)) => frame(&event, id(&event), &mut chunk),
            // A comment. Whoever asks again is told what is wrong with the log.
            Ok(Err(_)) => return,
            Err(_) => chunk.push_str(": alive\n\n"),
        }
        // What is there already goes with it: one write for many events.
        while chunk.len() < CHUNK
            && let Some(Ok(event)) = tokio::time::timeout(Duration::ZERO, follower.next()).await.ok()
        {
            frame(&event, id(&event), &mut chunk);
        }
    }
}

fn frame(event: &LoggedEvent, id: u64, chunk: &mut String) {
    chunk.push_str(&format!("id: {id}\ndata: {}\n\n", event_json(event)));
}

/// An event as it is on the log, with its run and places.
pub(super) fn event_json(event: &LoggedEvent) -> String {
    let LoggedEvent { seq, run, position, json } = event;
    let rest = json.strip_prefix('{').unwrap_or("}");
    // The name of a run has no character that JSON escapes.
    format!("{{\"run_id\":\"{run}\",\"position\":{},\"seq\":{},{rest}", position.0, seq.0)
}
