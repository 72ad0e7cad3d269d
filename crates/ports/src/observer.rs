//! Observers: those who are told what happens, while it happens.

use candor_model::{AskKey, Recorded, RunId};

/// Is told what was appended, right after it became durable and before anything acts on it.
///
/// It is called on the driver's own time: it must not wait for anything.
pub trait Observer: Send + Sync {
    /// Takes note of events of a run.
    fn on_events(&self, run: &RunId, events: &[Recorded]);

    /// Hears a model's words as they come. They are on no log: only the whole answer is.
    fn on_chunk(&self, _run: &RunId, _ask: &AskKey, _words: &str) {}
}
