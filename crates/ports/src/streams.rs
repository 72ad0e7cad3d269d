//! The installation's own streams: what belongs to no single run and outlives all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{AgentMeasure, AgentType, Breaker, PlanOutcome, RoutedExample, RunId, Timestamp};
use serde_json::Value;

use crate::{BoxFuture, EventLog, LogError, LogPages, Notifier};

/// What an installation keeps beside the logs of its runs.
pub trait Streams: Send + Sync {
    /// Keeps the state of a circuit breaker, in place of what was kept before.
    fn keep_breaker(&self, breaker: Breaker) -> BoxFuture<'_, Result<(), LogError>>;

    /// Appends a note to a stream of the installation.
    fn append_note(&self, note: StreamNote) -> BoxFuture<'_, Result<(), LogError>>;

    /// The notes of a stream from `since` on, in the order in which they were written. Removing runs leaves them alone.
    fn notes(&self, stream: Stream, since: Timestamp) -> BoxFuture<'_, Result<Vec<StreamNote>, LogError>>;

    /// What the runs that have ended teach, and the circuit breakers as they are.
    fn experience(&self) -> BoxFuture<'_, Result<Experience, LogError>>;
}

/// A log with the installation's streams beside it and news of other processes: what drives runs needs all of them.
pub trait Store: EventLog + LogPages + Streams + Notifier {}

impl<T: EventLog + LogPages + Streams + Notifier> Store for T {}

/// What the runs that have ended teach; it belongs to the installation and not to a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Experience {
    /// How each agent did.
    pub measured: BTreeMap<AgentType, AgentMeasure>,
    /// How plans ended, the latest last; at most the last thousand.
    pub outcomes: Vec<Arc<PlanOutcome>>,
    /// Who succeeded at what, the latest last; a few per agent.
    pub examples: Vec<RoutedExample>,
    /// The breakers of agents and models.
    pub breakers: Vec<Breaker>,
}

/// A stream of the installation: append-only, folded by pure code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stream {
    /// What each run took, written in the transaction that records its outcome.
    Figures,
    /// Alerts that were raised and cleared.
    Alerts,
    /// How far each run was exported.
    Telemetry,
    /// How far each receiver of webhooks was told.
    Webhooks,
    /// Which due times of schedules were handled, and which schedules are paused.
    Schedules,
    /// Who did what over the server's API and pages.
    Audit,
    /// What each run that has ended adds to the figures over all runs.
    RunMetrics,
    /// What people think of runs.
    Feedback,
}

impl Stream {
    /// Its name in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Figures => "figures",
            Self::Alerts => "alerts",
            Self::Telemetry => "telemetry",
            Self::Webhooks => "webhooks",
            Self::Schedules => "schedules",
            Self::Audit => "audit",
            Self::RunMetrics => "run_metrics",
            Self::Feedback => "feedback",
        }
    }
}

/// A note on a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamNote {
    /// The stream.
    pub stream: Stream,
    /// When it was written.
    pub at: Timestamp,
    /// The run that it comes from, if it comes from one.
    pub run: Option<RunId>,
    /// What it is about within the stream; of several notes with one key the latest holds.
    pub key: String,
    /// What it says.
    pub body: Value,
}
