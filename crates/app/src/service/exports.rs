//! Traces out: runs that have ended are sent where the environment says, at least once.
//!
//! How far each run was sent is on the stream `telemetry`; ids come from the log, so that a trace that arrives twice is
//! there once. A place that is down is told of once, and tried again: no run waits for it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_runtime::wall;
use candor_telemetry::Targets;

use super::{Shared, webhook_events};
use crate::error::AppError;
use crate::traces;

/// How soon a run is sent after it has ended: several that end together are looked for once.
const SOON: Duration = Duration::from_secs(1);
/// Looking for what was not sent may take one part in so many of a core.
const SHARE: u32 = 20;
/// The longest pause before a place that failed is tried again; the first is two seconds, and each is twice the last.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Sends traces of runs to the configured backends.
pub(super) struct Exporter {
    shared: Arc<Shared>,
    targets: Targets,
    failures: u32,
}

impl Exporter {
    /// What sends traces where the environment says; nothing if it names no place.
    pub(super) fn of_environment(shared: Arc<Shared>) -> Option<Self> {
        let targets = traces::targets();
        (!targets.endpoints.is_empty()).then_some(Self { shared, targets, failures: 0 })
    }

    /// Sends what has ended for as long as the server runs.
    pub(super) async fn run(mut self) {
        loop {
            // What cannot be read now is read again, from the end: what was missed is found by what was not sent.
            let _ = self.follow().await;
            tokio::time::sleep(SOON).await;
        }
    }

    async fn follow(&mut self) -> Result<(), AppError> {
        let end = self.shared.log.end().await?;
        let mut follower = self.shared.feed.follow(None, end.0).await?;
        // Runs may have ended while no server ran.
        let mut due = Some(Instant::now());
        loop {
            let at = tokio::time::Instant::from_std(due.unwrap_or_else(Instant::now));
            tokio::select! {
                event = follower.next() => {
                    let event = event?;
                    if webhook_events::of(&event).is_some_and(|event| event.is_end()) && self.failures == 0 {
                        due.get_or_insert(Instant::now() + SOON);
                    }
                }
                () = tokio::time::sleep_until(at), if due.is_some() => due = self.send().await,
            }
        }
    }

    /// Sends what was not sent; says when to try again, if there is more or something failed.
    async fn send(&mut self) -> Option<Instant> {
        let begun = Instant::now();
        match traces::export_pending(&self.shared.log, &self.targets, wall()).await {
            Ok(sent) => {
                if std::mem::take(&mut self.failures) > 0 {
                    tell!("traces are sent again", "las trazas se envían de nuevo");
                }
                // Only so many are sent at a time.
                (sent > 0).then(|| Instant::now() + begun.elapsed() * SHARE)
            }
            Err(error) => {
                if self.failures == 0 {
                    let error = self.shared.app.redactor().text(&error.to_string()).into_owned();
                    tell!(
                        "warning: {error}; runs go on, and it is tried again",
                        "aviso: {error}; las ejecuciones siguen, y se vuelve a intentar"
                    );
                }
                self.failures = self.failures.saturating_add(1);
                let pause = Duration::from_secs(1 << self.failures.min(8)).min(LONGEST_PAUSE);
                Some(Instant::now() + pause)
            }
        }
    }
}
