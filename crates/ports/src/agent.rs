//! Agents: whoever can be given a task.

use candor_model::{AgentAnswer, WorkOrder};
use tokio_util::sync::CancellationToken;

use crate::BoxFuture;

/// Someone who makes attempts at tasks.
pub trait Agent: Send + Sync {
    /// Makes one attempt.
    ///
    /// It ends by itself when [`WorkOrder::deadline_seconds`] have passed, and soon after `stop` fires. In
    /// every case it returns only when nothing that it started is still running.
    fn perform<'a>(
        &'a self,
        order: &'a WorkOrder,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>>;
}

/// Why an attempt brought no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentFailure {
    /// It was asked to stop, and did.
    #[error("the attempt was stopped")]
    Stopped,
    /// It failed; in plain words, with the end of the agent's own log where there is one.
    #[error("{reason}")]
    Failed {
        /// Why.
        reason: String,
    },
}

impl AgentFailure {
    /// A failure for this reason.
    #[must_use]
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into() }
    }
}
