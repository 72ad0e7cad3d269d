//! The installation's own streams: what belongs to no single run and outlives all of them.

use std::collections::BTreeMap;

use candor_model::{AgentMeasure, AgentType, Breaker, PlanOutcome, RoutedExample};

use crate::{BoxFuture, EventLog, LogError, LogPages, Notifier};

/// What an installation keeps beside the logs of its runs.
pub trait Streams: Send + Sync {
    /// Keeps the state of a circuit breaker, in place of what was kept before.
    fn keep_breaker(&self, breaker: Breaker) -> BoxFuture<'_, Result<(), LogError>>;

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
    pub outcomes: Vec<PlanOutcome>,
    /// Who succeeded at what, the latest last; a few per agent.
    pub examples: Vec<RoutedExample>,
    /// The breakers of agents and models.
    pub breakers: Vec<Breaker>,
}
