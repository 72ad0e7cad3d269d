//! Answers that take long: one that is given when a run has come to rest, or a stream of what happens until then.

use std::time::{Duration, Instant};

use a2a::{
    Artifact, JsonRpcId, JsonRpcResponse, SendMessageResponse, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskStatusUpdateEvent,
};
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use candor_app::{AppError, Follower};
use candor_model::{Position, RunId};
use serde::Serialize;
use tokio::sync::mpsc;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;

use super::super::Shared;
use super::Refusal;
use super::call;
use super::messages::Taken;
use super::task;

/// How long an answer is held back for a run; then it says where the run stands.
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// How often a silent stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(15);
/// How long a reader may leave a full buffer unread.
const PATIENCE: Duration = Duration::from_secs(30);
/// How many updates may wait for a slow reader.
const WAITING: usize = 16;
/// How long events are gathered before a run is looked at again, at least; a large run, which takes long to read, is
/// looked at more seldom.
const GATHER: Duration = Duration::from_millis(100);
const LOOK_SHARE: u32 = 5;

/// Answers when the run has ended or asks something. The head of the answer goes out at once, so that no limit on the
/// time of a request cuts it off; whoever hangs up ends the waiting, not the run.
pub(super) fn later(
    server: Shared,
    id: JsonRpcId,
    taken: Taken,
    history: Option<i32>,
) -> Result<Response, Refusal> {
    let permit = server.limits.stream()?;
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let _permit = permit;
        tokio::select! {
            _ = server.service.rest(&taken.run, taken.after) => {}
            () = tokio::time::sleep(LONGEST_WAIT) => {}
            () = server.stop.cancelled() => {}
            () = sender.closed() => return,
        }
        let shown = task::shown(&server, &taken.run).await;
        let shown = shown.map(|task| SendMessageResponse::Task(task::with_history(task, history)));
        // Whoever hung up misses nothing that GetTask would not tell.
        let _ = sender.send(call::written(id, shown)).await;
    });
    Ok(body("application/json", receiver))
}

/// Tells what happens to a run, beginning with where it stands, until it has ended or asks something new.
pub(super) async fn follow(server: Shared, id: JsonRpcId, taken: Taken) -> Result<Response, Refusal> {
    let permit = server.limits.stream()?;
    let begin = server.service.head(&taken.run).await?;
    let follower = server.service.follow(taken.run.clone(), begin).await?;
    let task = task::shown(&server, &taken.run).await?;
    let (sender, receiver) = mpsc::channel(WAITING);
    let stop = server.stop.clone();
    tokio::spawn(async move {
        let _permit = permit;
        let told = Told { server, id, sender: sender.clone(), run: taken.run, task };
        tokio::select! {
            _ = told.until_rest(follower, taken.after) => {}
            () = sender.closed() => {}
            () = stop.cancelled() => {}
        }
    });
    Ok(body("text/event-stream", receiver))
}

fn body(kind: &'static str, receiver: mpsc::Receiver<String>) -> Response {
    let body = Body::from_stream(ReceiverStream::new(receiver).map(Ok::<_, std::convert::Infallible>));
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], body).into_response()
}

/// What somebody who follows a run was told.
struct Told {
    server: Shared,
    id: JsonRpcId,
    sender: mpsc::Sender<String>,
    run: RunId,
    task: Task,
}

/// Nobody reads any more.
struct Gone;

impl Told {
    async fn until_rest(mut self, mut follower: Follower, after: Option<Position>) -> Result<(), Gone> {
        self.send(StreamResponse::Task(task::with_history(self.task.clone(), Some(0)))).await?;
        if after.is_none() && task::is_settled(&self.task.status.state) {
            return Ok(());
        }
        let server = Shared::clone(&self.server);
        let run = self.run.clone();
        let rest = server.service.rest(&run, after);
        tokio::pin!(rest);
        loop {
            tokio::select! {
                // A run that cannot be read is not followed on; whoever asks again is told why.
                _ = &mut rest => return self.update().await.map(|_| ()),
                heard = tokio::time::timeout(ALIVE, gathered(&mut follower)) => match heard {
                    Ok(Ok(())) => tokio::time::sleep(self.update().await? * LOOK_SHARE).await,
                    Ok(Err(_)) => return Ok(()),
                    Err(_) => self.write(": alive\n\n".to_owned()).await?,
                },
            }
        }
    }

    /// Tells what is new; how long looking took.
    async fn update(&mut self) -> Result<Duration, Gone> {
        let began = Instant::now();
        let Ok(task) = task::shown(&self.server, &self.run).await else { return Err(Gone) };
        let took = began.elapsed();
        let known: Vec<Artifact> = self.task.artifacts.take().unwrap_or_default();
        for artifact in task.artifacts.iter().flatten().filter(|artifact| !known.contains(artifact)) {
            self.send(StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
                task_id: task.id.clone(),
                context_id: task.context_id.clone(),
                artifact: artifact.clone(),
                append: None,
                last_chunk: Some(true),
                metadata: None,
            }))
            .await?;
        }
        if says_more(&self.task, &task) {
            self.send(StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
                task_id: task.id.clone(),
                context_id: task.context_id.clone(),
                status: task.status.clone(),
                metadata: task.metadata.clone(),
            }))
            .await?;
        }
        self.task = task;
        Ok(took)
    }

    async fn send(&self, event: StreamResponse) -> Result<(), Gone> {
        let response =
            serde_json::to_value(event).map(|event| JsonRpcResponse::success(self.id.clone(), event));
        self.write(format!("data: {}\n\n", json(&response.map_err(|_| Gone)?))).await
    }

    /// A reader who does not read is cut off: it can come back.
    async fn write(&self, text: String) -> Result<(), Gone> {
        match tokio::time::timeout(PATIENCE, self.sender.send(text)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Gone),
        }
    }
}

/// Whether a status says something that the one before did not; when it was looked at is not news.
fn says_more(before: &Task, now: &Task) -> bool {
    let words = |task: &Task| task.status.message.as_ref().map(|message| message.parts.clone());
    before.status.state != now.status.state || words(before) != words(now)
}

/// Returns when something has happened, with what follows within a moment.
async fn gathered(follower: &mut Follower) -> Result<(), AppError> {
    follower.next().await?;
    tokio::time::sleep(GATHER).await;
    while follower.at_hand().is_some() {}
    Ok(())
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
