//! Alerts of a server: judged after runs have ended, whether or not anybody looks or is told.

use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_ports::Seq;
use candor_projections::kpi::AlertChange;
use candor_runtime::wall;
use tokio::sync::watch;

use super::{Service, Shared};
use crate::data::Log;
use crate::error::AppError;
use crate::observe;

/// How soon alerts are judged after a run has ended: several that end together are judged once.
const SOON: Duration = Duration::from_secs(1);
/// How often runs of other processes are looked for. Following the log instead would keep an idle server busy.
const LOOK: Duration = Duration::from_secs(60);
/// How often alerts are judged although nothing happened: what is older than the window no longer counts.
const WINDOW_MOVES: Duration = Duration::from_secs(3_600);
/// Judging reads the runs of a day; it may take one part in so many of a core.
const SHARE: u32 = 20;

/// Judges the alert rules when runs have ended.
pub(super) struct Judge {
    shared: Arc<Shared>,
    /// Where the log ended when alerts were judged.
    judged: Option<Seq>,
    judged_at: Instant,
}

/// Somebody who follows what happens to alerts.
pub struct AlertFollower {
    log: Log,
    judged: watch::Receiver<()>,
    /// How many changes are known.
    known: usize,
    /// Whether alerts were judged since they were read.
    due: bool,
}

impl Service {
    /// Follows alerts from now on.
    pub async fn follow_alerts(&self) -> Result<AlertFollower, AppError> {
        let (log, judged) = (Arc::clone(&self.0.log), self.0.alerts_judged.subscribe());
        let known = observe::alerts(&log).await?.history.len();
        Ok(AlertFollower { log, judged, known, due: false })
    }
}

impl AlertFollower {
    /// What happens next, the oldest first. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Vec<AlertChange> {
        loop {
            if !self.due && self.judged.changed().await.is_err() {
                return std::future::pending().await;
            }
            self.due = true;
            let book = observe::alerts(&self.log).await;
            self.due = false;
            // What cannot be read now is read when alerts are judged next.
            let Ok(book) = book else { continue };
            let new: Vec<AlertChange> = book.history.into_iter().rev().skip(self.known).collect();
            if !new.is_empty() {
                self.known += new.len();
                return new;
            }
        }
    }
}

impl Judge {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, judged: None, judged_at: Instant::now() }
    }

    /// Judges for as long as the server runs.
    pub(super) async fn run(mut self) {
        let mut told = false;
        loop {
            let begun = Instant::now();
            let judged = self.judge_if_needed().await;
            if let Err(error) = judged
                && !std::mem::replace(&mut told, true)
            {
                tell!(
                    "alerts could not be judged: {error}; it is tried again",
                    "no se pudieron evaluar las alertas: {error}; se vuelve a intentar"
                );
            }
            let rest = begun.elapsed() * SHARE;
            // A run that ends meanwhile is remembered: then the wait is over at once.
            let _ = tokio::time::timeout(LOOK, self.shared.run_ended.notified()).await;
            tokio::time::sleep(SOON.max(rest)).await;
        }
    }

    async fn judge_if_needed(&mut self) -> Result<(), AppError> {
        let (log, config) = (&self.shared.log, &self.shared.app.config.kpi);
        let end = log.end().await?;
        if self.judged == Some(end) && self.judged_at.elapsed() < WINDOW_MOVES {
            return Ok(());
        }
        let report = observe::kpis(log, config, observe::window(None, config, wall())).await?;
        observe::judge(log, config, &report).await?;
        (self.judged, self.judged_at) = (Some(end), Instant::now());
        self.shared.alerts_judged.send_replace(());
        Ok(())
    }
}
