//! Chat models: how they are reached, what they may be asked, and what their answers are worth.
//!
//! [`Tiers`] are the models of an installation. Below it, [`prompt`] words the questions, [`chat`] reaches the
//! providers, [`json`] makes sense of what comes back, [`fallback policy`] decides what follows from it, and [`record`]
//! keeps exchanges for another day. None of it decides what happens in a run.

pub mod chat;
pub mod fallback_policy;
pub mod json;
pub mod prompt;
pub mod record;
pub mod redact;
mod tiers;

pub use tiers::{ModelsConfig, ModelsError, Tiers};
