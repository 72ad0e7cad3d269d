//! Embedders: texts as vectors, near each other when they mean the same.

use candor_model::{Texts, Vector, Vectors};

use crate::BoxFuture;

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
pub trait Embedder: Vectors {
    /// The vectors of texts, in their order.
    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vector>, EmbedError>>;

    /// The same for texts that will be asked for again and again, such as those of agents: whoever remembers,
    /// remembers these for good.
    fn keep<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vector>, EmbedError>> {
        self.embed(texts)
    }

    /// Has texts embedded so that they are at hand afterwards; the error says why they are not.
    fn fetch<'a>(&'a self, texts: &'a Texts) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let said = |error: EmbedError| error.to_string();
            if !texts.lasting.is_empty() {
                self.keep(&texts.lasting).await.map_err(said)?;
            }
            if !texts.passing.is_empty() {
                self.embed(&texts.passing).await.map_err(said)?;
            }
            let mut all = texts.lasting.iter().chain(&texts.passing);
            if all.all(|text| self.at_once(text).is_some()) {
                Ok(())
            } else {
                Err(format!("{} does not remember its vectors", self.name()))
            }
        })
    }
}
