//! Waiting for a run: until it rests, for so long, and not when nobody waits any more.

use std::time::Duration;

use candor_app::{ProgressOf, Service};
use candor_model::{Position, RunId};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::error::ApiError;

/// What is done in percent.
const ALL: f64 = 100.0;

/// Someone who waits for runs: the caller of a tool.
pub(crate) struct Waiter {
    /// Cancelled when the client takes the call back.
    taken_back: CancellationToken,
    /// Cancelled when the client is gone.
    gone: CancellationToken,
    /// Progress goes there, if it is wanted.
    told: Option<(ProgressToken, Peer<RoleServer>)>,
    progress: broadcast::Receiver<ProgressOf>,
    /// What was told last; progress that falls back after a new plan is not told.
    reached: f64,
}

impl Waiter {
    /// Begins to listen; what happens from here on is told.
    pub(crate) fn new(
        service: &Service,
        context: &RequestContext<RoleServer>,
        gone: CancellationToken,
    ) -> Self {
        let told = context.meta.get_progress_token().map(|token| (token, context.peer.clone()));
        let taken_back = context.ct.clone();
        Self { taken_back, gone, told, progress: service.progress(), reached: 0.0 }
    }

    /// Waits until a run rests, or the time is over, or nobody waits any more.
    pub(crate) async fn wait(
        &mut self,
        service: &Service,
        run: &RunId,
        after: Option<Position>,
        patience: Duration,
    ) -> Result<(), ApiError> {
        let rest = service.rest(run, after);
        let over = tokio::time::sleep(patience);
        tokio::pin!(rest, over);
        loop {
            tokio::select! {
                biased;
                rested = &mut rest => return Ok(rested?),
                () = &mut over => return Ok(()),
                () = self.taken_back.cancelled() => return Ok(()),
                () = self.gone.cancelled() => return Ok(()),
                heard = self.progress.recv(), if self.told.is_some() => match heard {
                    Ok((of, update)) if of == *run => {
                        let message = format!("{} {}", update.task_id, update.status);
                        self.tell(update.progress_percentage, message).await;
                    }
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => self.told = None,
                },
            }
        }
    }

    async fn tell(&mut self, percentage: f64, message: String) {
        let Some((token, peer)) = self.told.as_ref().filter(|_| percentage > self.reached) else { return };
        self.reached = percentage;
        let progress = ProgressNotificationParam::new(token.clone(), percentage).with_total(ALL);
        // A client that no longer listens misses nothing that it could not ask for.
        let _ = peer.notify_progress(progress.with_message(message)).await;
    }
}
