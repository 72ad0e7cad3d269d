//! What a node gives, or why it gives nothing.

use candor_model::{Failure, JsonMap, Money};

use super::words::NO_MODEL;

/// The key of a node's metadata in its context. It never reaches the next node.
pub const AI_METADATA: &str = "_ai_metadata";

/// What a node gives.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeResult {
    /// The data as it is now, without metadata: what the next node gets.
    pub context: JsonMap,
    /// What was done, for the chain of work.
    pub metadata: JsonMap,
    /// The code that did it.
    pub code: String,
    /// What its models cost.
    pub cost: Money,
}

/// Why a node gives nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorkflowError {
    /// All attempts failed, or the code that was given did.
    #[error("{reason}")]
    Failed {
        /// What happened in each attempt, and what to do.
        reason: String,
        /// Everything that was done and went wrong.
        metadata: Box<JsonMap>,
        /// The data as it was given.
        context: Box<JsonMap>,
        /// Why the last attempt failed, with its kind and on one line.
        failure: Box<Failure>,
    },
    /// There is no model that could write code.
    #[error("{NO_MODEL}")]
    NoModel,
    /// It was asked to stop, or its time was up.
    #[error("the work was stopped")]
    Stopped,
    /// The chain of work is not kept any more.
    #[error("its notes are not taken: {reason}")]
    NotTaken {
        /// Cause in words.
        reason: String,
    },
}

/// The data without the metadata of an earlier node.
pub(super) fn without_metadata(mut context: JsonMap) -> JsonMap {
    context.remove(AI_METADATA);
    context
}
