//! Agents: whoever can be given a task.

use std::sync::Arc;

use candor_model::{
    AgentAnswer, ChoiceRequest, Failure, FailureKind, LedgerEntry, Query, QueryAnswer, RunId, WorkOrder,
};
use tokio_util::sync::CancellationToken;

use crate::{AttemptContext, BoxFuture};

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

    /// Makes one attempt at a cx: with a line to the others who are at work, models, and a notebook that
    /// outlives the process. Whoever has no use for it leaves it.
    fn perform_among<'a>(
        &'a self,
        order: &'a WorkOrder,
        cx: Arc<dyn AttemptContext>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        drop(cx);
        self.perform(order, stop)
    }

    /// Answers a question of another agent of the run, or says in plain words why there is no answer.
    ///
    /// It ends by itself when [`Query::timeout`] has passed and soon after `stop` fires; when what is returned
    /// is dropped, all that was started for it ends.
    fn answer<'a>(
        &'a self,
        run: &'a RunId,
        query: &'a Query,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<QueryAnswer, String>> {
        let _ = (run, query, stop);
        Box::pin(std::future::ready(Err("it does not answer questions".to_owned())))
    }

    /// Undoes a change of the world that it made; says what was done, or why it could not be.
    fn undo<'a>(
        &'a self,
        run: &'a RunId,
        entry: &'a LedgerEntry,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<String, String>> {
        let _ = (run, entry, stop);
        Box::pin(std::future::ready(Err("it cannot undo what it did".to_owned())))
    }
}

/// Why an attempt brought no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AgentFailure {
    /// It was asked to stop, and did.
    #[error("the attempt was stopped")]
    Stopped,
    /// It needs a person's word, and rests until it has it: then the same attempt is made again, and finds the
    /// answer among its notes.
    #[error("it waits for a person: {}", question.text)]
    Waiting {
        /// What is asked.
        question: Box<ChoiceRequest>,
    },
    /// This machine had no descriptors, processes, memory or disk left to begin with it. The agent has no part in it:
    /// the same attempt is made later, with fewer at once.
    #[error("Candor lacks resources: {reason}")]
    NoResources {
        /// What could not be done, and what was missing.
        reason: String,
    },
    /// It failed. Whoever saw it fail says of which kind that is.
    #[error("{0}")]
    Failed(Box<Failure>),
}

impl AgentFailure {
    /// A failure of this kind, with the transience that is usual for it.
    #[must_use]
    pub fn failed(kind: FailureKind, message: impl Into<String>) -> Self {
        Failure::new(kind, message).into()
    }
}

impl From<Failure> for AgentFailure {
    fn from(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}
