//! The cx that an attempt is made at: what an agent at work has of the run.

use candor_model::{AgentNote, Money, Noted, Seconds};
use serde_json::Value;

use crate::{Ask, BoxFuture, PeerChannel};

/// What an agent has while it makes an attempt.
pub trait AttemptContext: PeerChannel {
    /// Everything that was noted for this task so far, in order, also in earlier attempts and by processes that
    /// are gone.
    fn notes(&self) -> Vec<Noted>;

    /// What was noted for this attempt by others than its agent, without the first `known`: a person wants another
    /// approach to a step.
    fn noted_by_others(&self, _known: usize) -> Vec<AgentNote> {
        Vec::new()
    }

    /// Notes something; returns when it is durable, or says why it was not taken. An agent whose notes are not
    /// taken any more stops.
    fn note(&self, note: AgentNote) -> BoxFuture<'_, Result<(), String>>;

    /// Notes something without waiting until it is durable: for what may be lost with the process. It is durable
    /// before anything that is noted later.
    fn note_buffered(&self, note: AgentNote) -> BoxFuture<'_, Result<(), String>> {
        self.note(note)
    }

    /// Asks a model, within so much money and time; every step is noted under `name`, and what was answered under
    /// that name before is not asked again. An error says why no model answered.
    fn consult(
        &self,
        name: String,
        ask: Ask,
        left: Money,
        within: Seconds,
    ) -> BoxFuture<'_, Result<Value, String>>;

    /// Whether there are models at all.
    fn has_models(&self) -> bool;
}
