//! Embedders: texts as vectors, near each other when they mean the same.

use std::sync::Arc;

use crate::BoxFuture;

/// A text's meaning, of length 1.
pub type Vector = Arc<[f32]>;

/// Why texts could not be embedded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{model} could not embed: {reason}")]
pub struct EmbedError {
    /// The embedding model.
    pub model: String,
    /// Why, and what to do about it.
    pub reason: String,
}

/// A model that turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Names the model; vectors of different models cannot be compared.
    fn name(&self) -> &str;

    /// The vector of a text, if it takes no time worth speaking of: computed in microseconds, or remembered.
    fn at_once(&self, text: &str) -> Option<Vector>;

    /// Whether a text that has no vector at once may still get one: from a server, or by some work.
    fn needs_time(&self) -> bool {
        true
    }

    /// The vectors of texts, in their order.
    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vector>, EmbedError>>;

    /// The same for texts that will be asked for again and again, such as those of agents: whoever remembers,
    /// remembers these for good.
    fn keep<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vector>, EmbedError>> {
        self.embed(texts)
    }
}
