//! What a server does beside answering: it judges alerts, tells receivers, begins what is due, and exports traces.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Service;
use super::alerting::Judge;
use super::exports::Exporter;
use super::schedules::Clockwork;
use super::webhooks::{self, Courier, WebhookView};
use crate::error::AppError;

impl Service {
    /// Says what keeps the workers from starting, if anything does.
    pub fn check_workers(&self) -> Result<(), AppError> {
        webhooks::receivers(&self.0.app.config.webhooks).map(|_| ())
    }

    /// Starts what goes on by itself until the server stops.
    pub fn start_workers(&self, stop: &CancellationToken) -> Result<(), AppError> {
        self.spawn(stop, Judge::new(Arc::clone(&self.0)).run());
        for (hook, receiver) in webhooks::receivers(&self.0.app.config.webhooks)? {
            self.spawn(stop, Courier::new(Arc::clone(&self.0), hook, receiver).run());
        }
        if !self.0.app.config.schedules.is_empty() {
            let changed = Arc::clone(&self.0.schedules_changed);
            self.spawn(stop, Clockwork::new(Arc::clone(&self.0), changed).run());
        }
        if let Some(exporter) = Exporter::of_environment(Arc::clone(&self.0)) {
            self.spawn(stop, exporter.run());
        }
        Ok(())
    }

    fn spawn(&self, stop: &CancellationToken, work: impl Future<Output = ()> + Send + 'static) {
        let stop = stop.clone();
        self.0.tasks.spawn(async move {
            // Nothing is lost by stopping in the middle: how far it came is on the log.
            stop.run_until_cancelled(work).await;
        });
    }

    /// Every receiver of webhooks, and how it does.
    pub async fn webhooks(&self) -> Result<Vec<WebhookView>, AppError> {
        webhooks::views(&self.0.app.config, Some(&self.0.log)).await
    }
}
