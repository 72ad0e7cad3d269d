//! The line between agents at work: what one of them can say to the others, and hear from them.

use candor_model::{Asking, Broadcast, QueryAnswer, Telling};

use crate::BoxFuture;

/// The others who are at work in a phase, as one of them reaches them.
///
/// Everything that is said goes over the run's log: it is durable before anyone hears it. Who speaks is known
/// to the line and cannot be claimed.
pub trait PeerChannel: Send + Sync {
    /// Tells everyone something; returns when it is on the log, or says why it was not taken.
    fn tell(&self, telling: Telling) -> BoxFuture<'_, Result<(), String>>;

    /// Asks one agent something, and waits as long as the question says.
    ///
    /// The question is on the log before it is put, and what came of it before it is returned. An error (an
    /// agent that is not there or does not answer, too little time, a circle of waiting) is no reason to give
    /// up: whoever asks goes on, less sure.
    fn ask(&self, asking: Asking) -> BoxFuture<'_, Result<QueryAnswer, String>>;

    /// Everything that was told in the phase so far, in order.
    fn heard(&self) -> Vec<Broadcast>;

    /// What was told behind the first `known` messages; waits until there is something.
    fn listen(&self, known: usize) -> BoxFuture<'_, Vec<Broadcast>>;
}
