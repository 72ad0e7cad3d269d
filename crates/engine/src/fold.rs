//! From a log to the state of its run.

use candor_model::{Position, Recorded, RunId};

use crate::RunState;

/// Why a log cannot be folded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// An event is missing or comes twice.
    #[error("the log of run {run_id} has a hole: expected the event at position {expected}, found {found}")]
    Hole {
        /// Run whose log was folded.
        run_id: RunId,
        /// The place where an event should be.
        expected: Position,
        /// The place of the event that came instead.
        found: Position,
    },
}

impl RunState {
    /// Folds a whole log, from its first event.
    pub fn fold<'a>(run_id: RunId, log: impl IntoIterator<Item = &'a Recorded>) -> Result<Self, FoldError> {
        let mut state = Self::new(run_id);
        state.catch_up(log)?;
        Ok(state)
    }

    /// Takes further events into account; an event that does not follow on leaves the state at the last that did.
    pub fn catch_up<'a>(&mut self, log: impl IntoIterator<Item = &'a Recorded>) -> Result<(), FoldError> {
        for Recorded { position, event } in log {
            let expected = self.position().plus(1);
            if *position != expected {
                return Err(FoldError::Hole { run_id: self.run_id().clone(), expected, found: *position });
            }
            self.apply(event);
        }
        Ok(())
    }
}
