//! What one append holds: the events of every input that was waiting, and who waits for an answer.

use candor_engine::Input;
use candor_model::{Event, Position, Recorded};
use tokio::sync::oneshot;

use super::DriveError;

/// Whoever gave an input and waits until it is durable.
pub(super) type Reply = oneshot::Sender<Result<(), DriveError>>;

/// Inputs that were decided on together; their events become durable together.
#[derive(Default)]
pub(super) struct Batch {
    /// Where the log ended before.
    pub(super) from: Position,
    pub(super) events: Vec<Event>,
    /// The inputs again, should someone else have written in between.
    pub(super) taken: Vec<(Input, Option<Reply>)>,
}

impl Batch {
    pub(super) fn after(from: Position) -> Self {
        Self { from, ..Self::default() }
    }

    /// Tells everyone who waits that all is durable.
    pub(super) fn settle(self) {
        answer(self.taken, &Ok(()));
    }

    /// Tells everyone who waits that nothing was written.
    pub(super) fn fail(self, error: &DriveError) {
        answer(self.taken, &Err(error.clone()));
    }

    /// The events with their places.
    pub(super) fn recorded(&mut self) -> Vec<Recorded> {
        let from = self.from;
        let events = std::mem::take(&mut self.events);
        (1..).zip(events).map(|(n, event)| Recorded { position: from.plus(n), event }).collect()
    }
}

fn answer(taken: Vec<(Input, Option<Reply>)>, result: &Result<(), DriveError>) {
    for reply in taken.into_iter().filter_map(|(_, reply)| reply) {
        // Whoever asked may have gone; what was done stands.
        let _ = reply.send(result.clone());
    }
}
