//! The breakers of an installation: shared by all runs, kept in the store.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_model::{Breaker, BreakerSettings, BreakerState, Timestamp};
use candor_planning::breaker::{self, Admission, Change};
use candor_ports::EventLog;
use tokio::task::JoinHandle;

/// Who keeps failing, and is left in peace for a while. A clone is another handle to the same.
#[derive(Clone, Default)]
pub(crate) struct Breakers {
    settings: BreakerSettings,
    known: Arc<Mutex<BTreeMap<String, Breaker>>>,
    /// What the store is still keeping.
    keeping: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

/// The name under which a model's breaker is kept.
pub(crate) fn model_id(model: &str) -> String {
    format!("model:{model}")
}

/// Where someone stands.
pub(crate) enum Rest {
    /// They get every call.
    Closed,
    /// One call finds out whether they work again.
    Tried,
    /// They are left in peace.
    Open {
        /// Why.
        reason: String,
        /// For how long.
        until: Timestamp,
    },
}

impl Breakers {
    pub(crate) fn new(settings: BreakerSettings) -> Self {
        Self { settings, known: Arc::default(), keeping: Arc::default() }
    }

    /// Takes over what the store knows, except where this process knows more.
    pub(crate) fn learn(&self, kept: Vec<Breaker>) {
        let mut known = self.lock();
        for breaker in kept {
            known.entry(breaker.agent_id.clone()).or_insert(breaker);
        }
    }

    /// Whether a call may be made; the error says for how long not, and why.
    pub(crate) fn admit(&self, id: &str, now: Timestamp) -> Result<(), String> {
        let mut known = self.lock();
        let Some(breaker) = known.get_mut(id) else { return Ok(()) };
        match breaker::admit(breaker, now) {
            Admission::Pass | Admission::Probe => Ok(()),
            Admission::Refused { until } => Err(breaker::refusal(breaker, until, now)),
        }
    }

    /// Where someone stands.
    pub(crate) fn snapshot(&self, id: &str, now: Timestamp) -> Rest {
        let known = self.lock();
        match known.get(id) {
            None => Rest::Closed,
            Some(breaker) if breaker.state == BreakerState::Closed => Rest::Closed,
            Some(breaker) if breaker::is_open(breaker, now) => {
                let until = breaker::opens_at(breaker);
                Rest::Open { reason: breaker::refusal(breaker, until, now), until }
            }
            // Given a chance by a person, or its time has passed.
            Some(breaker) if breaker.state == BreakerState::HalfOpen && breaker.probing_since.is_none() => {
                Rest::Closed
            }
            Some(_) => Rest::Tried,
        }
    }

    /// Whether any breaker is not closed; most of the time none is, and nothing needs to be looked at.
    pub(crate) fn any_open(&self) -> bool {
        self.lock().values().any(|breaker| breaker.state != BreakerState::Closed)
    }

    /// Counts the end of a call. What changed the breaker is returned, and kept if it must outlive us.
    pub(crate) fn ended(
        &self,
        id: &str,
        result: Result<(), &str>,
        now: Timestamp,
        log: &Arc<dyn EventLog>,
    ) -> Option<Change> {
        let mut known = self.lock();
        let (change, breaker) = match result {
            Ok(()) => {
                // Whoever never failed needs no breaker.
                let breaker = known.get_mut(id)?;
                let spotless = breaker.failure_count == 0 && breaker.state == BreakerState::Closed;
                let change = breaker::succeeded(breaker);
                (change, (!spotless).then(|| breaker.clone()))
            }
            Err(reason) => {
                let breaker =
                    known.entry(id.to_owned()).or_insert_with(|| breaker::fresh(id, &self.settings));
                (breaker::failed(breaker, reason, now), Some(breaker.clone()))
            }
        };
        drop(known);
        if let Some(breaker) = breaker {
            self.keep(log, breaker);
        }
        change
    }

    /// Lets the next call of someone through, because a person took the matter in hand.
    pub(crate) fn give_a_chance(&self, id: &str, log: &Arc<dyn EventLog>) {
        let mut known = self.lock();
        let Some(breaker) = known.get_mut(id) else { return };
        breaker::give_a_chance(breaker);
        let breaker = breaker.clone();
        drop(known);
        self.keep(log, breaker);
    }

    /// Gives back the place of a probe that was not made.
    pub(crate) fn not_probed(&self, id: &str) {
        if let Some(breaker) = self.lock().get_mut(id) {
            breaker.probing_since = None;
        }
    }

    /// Waits until the store has everything.
    pub(crate) async fn settled(&self) {
        let keeping = std::mem::take(&mut *self.keeping.lock().unwrap_or_else(PoisonError::into_inner));
        for kept in keeping {
            // Whoever could not keep it was cut off with the executor, and so are we.
            let _ = kept.await;
        }
    }

    /// Has the store keep a breaker. No run waits for it before its end.
    fn keep(&self, log: &Arc<dyn EventLog>, breaker: Breaker) {
        let log = Arc::clone(log);
        let kept = tokio::spawn(async move {
            // A log that cannot take it says so at the next append, which cannot be missed.
            let _ = log.keep_breaker(breaker).await;
        });
        let mut keeping = self.keeping.lock().unwrap_or_else(PoisonError::into_inner);
        keeping.retain(|earlier| !earlier.is_finished());
        keeping.push(kept);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Breaker>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
