//! The circuit breakers of an installation: shared by all runs of this process, kept in the store.

use std::sync::{Arc, Mutex, PoisonError};

use candor_model::{Breaker, BreakerSettings, BreakerState, Timestamp};
use candor_planning::breaker::Change;
use candor_ports::Streams;
use candor_session::{CircuitState, Circuits, MemoryCircuits};
use tokio::task::JoinHandle;

/// Circuit breakers whose changes the store keeps.
pub(crate) struct StoredCircuits {
    known: MemoryCircuits,
    streams: Arc<dyn Streams>,
    /// What the store is still keeping.
    keeping: Mutex<Vec<JoinHandle<()>>>,
}

impl StoredCircuits {
    pub(crate) fn new(settings: BreakerSettings, streams: Arc<dyn Streams>) -> Self {
        Self { known: MemoryCircuits::new(settings), streams, keeping: Mutex::default() }
    }

    /// Takes over what the store knows, except where this process knows more.
    pub(crate) fn learn(&self, kept: Vec<Breaker>) {
        self.known.learn(kept);
    }

    /// Waits until the store has everything.
    pub(crate) async fn flush(&self) {
        let keeping = std::mem::take(&mut *self.keeping.lock().unwrap_or_else(PoisonError::into_inner));
        for kept in keeping {
            // A task that could not keep it was aborted with the executor, and so are we.
            let _ = kept.await;
        }
    }

    /// Has the store keep a breaker. No run waits for it before its end.
    fn keep(&self, id: &str) {
        let Some(breaker) = self.known.get(id) else { return };
        let streams = Arc::clone(&self.streams);
        let kept = tokio::spawn(async move {
            // A store that cannot take it says so at the next append, which cannot be missed.
            let _ = streams.keep_breaker(breaker).await;
        });
        let mut keeping = self.keeping.lock().unwrap_or_else(PoisonError::into_inner);
        keeping.retain(|earlier| !earlier.is_finished());
        keeping.push(kept);
    }
}

impl Circuits for StoredCircuits {
    fn admit(&self, id: &str, now: Timestamp) -> Result<(), String> {
        self.known.admit(id, now)
    }

    fn state(&self, id: &str, now: Timestamp) -> CircuitState {
        self.known.state(id, now)
    }

    fn any_open(&self) -> bool {
        self.known.any_open()
    }

    fn ended(&self, id: &str, result: Result<(), &str>, now: Timestamp) -> Option<Change> {
        let failed_before =
            |breaker: Breaker| breaker.failure_count > 0 || breaker.state != BreakerState::Closed;
        let worth_keeping = result.is_err() || self.known.get(id).is_some_and(failed_before);
        let change = self.known.ended(id, result, now);
        if worth_keeping {
            self.keep(id);
        }
        change
    }

    fn allow_next(&self, id: &str) {
        self.known.allow_next(id);
        self.keep(id);
    }

    fn not_made(&self, id: &str) {
        self.known.not_made(id);
    }
}
