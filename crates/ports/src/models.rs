//! Models: whoever answers a question with data of a given shape.
//!
//! An ask climbs a fallback policy: call, repair, ask again, a lower tier, and at its end the heuristic twin. Models
//! take one step of it at a time and keep nothing in between: what came before is handed in, so that a step
//! that is on the log is never paid for twice.

use std::sync::Arc;

use candor_model::{Ask, AskPolicy, CallLimits, Consulted};
use tokio_util::sync::CancellationToken;

use crate::BoxFuture;

/// Is told a model's words as they come. They are for eyes only: nothing is decided on them.
pub type Words = Arc<dyn Fn(&str) + Send + Sync>;

/// The models of an installation.
pub trait Models: AskPolicy {
    /// Makes the call that is next, and judges what comes back. It keeps to `limits`, and ends soon after
    /// `stop` fires.
    fn call<'a>(
        &'a self,
        ask: &'a Ask,
        past: &'a [Consulted],
        limits: CallLimits,
        words: Option<Words>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Consulted>;
}
