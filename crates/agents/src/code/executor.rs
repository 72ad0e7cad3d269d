//! Executors of nodes: whoever can do a task, and the one that runs code that is given.

use std::time::Duration;

use candor_model::{JsonMap, Money};
use candor_ports::BoxFuture;

use super::bench::{Bench, Refused};
use super::orchestrator::MultiAgentOrchestrator;
use super::outcome::{NodeResult, WorkflowError, without_metadata};
use super::states::ExecutionState;

/// Whoever can do the task of a node.
pub trait NodeExecutor: Send + Sync {
    /// Does the task on a copy of the data. `timeout` is for each run in the sandbox.
    fn execute<'a>(
        &'a self,
        task: &'a str,
        context: &'a JsonMap,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<NodeResult, WorkflowError>>;
}

impl NodeExecutor for MultiAgentOrchestrator {
    fn execute<'a>(
        &'a self,
        task: &'a str,
        context: &'a JsonMap,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<NodeResult, WorkflowError>> {
        Box::pin(self.execute_workflow(task, context, timeout))
    }
}

/// Runs code that was given: nothing is written, and no model is asked.
pub struct StaticExecutor {
    code: String,
    bench: Bench,
}

impl StaticExecutor {
    /// Executes this code in place of one that a model writes.
    #[must_use]
    pub const fn new(code: String, bench: Bench) -> Self {
        Self { code, bench }
    }

    async fn run(
        &self,
        task: &str,
        context: &JsonMap,
        timeout: Duration,
    ) -> Result<NodeResult, WorkflowError> {
        let context = without_metadata(context.clone());
        let mut state = ExecutionState { attempts: 1, ..ExecutionState::new() };
        let tried = self.bench.try_code(&mut state, &self.code, task, &context, timeout).await?;
        match tried {
            Ok(after) => {
                let metadata = self.bench.conclude(&state, true, "done with the given code").await?;
                let code = self.code.clone();
                Ok(NodeResult { context: after, metadata, code, cost: Money::ZERO })
            }
            Err(Refused { stage, failure }) => {
                state.add_error(stage, failure.message.clone());
                let reason = self.bench.words.static_failed(stage, &failure.message);
                let why = candor_model::told_line(&reason).unwrap_or_default();
                let failure = Box::new(failure.with_message(why).with_detail(reason.as_str()));
                let metadata = self.bench.conclude(&state, false, "the given code did not do it").await?;
                let metadata = Box::new(metadata);
                Err(WorkflowError::Failed { reason, metadata, context: Box::new(context), failure })
            }
        }
    }
}

impl NodeExecutor for StaticExecutor {
    fn execute<'a>(
        &'a self,
        task: &'a str,
        context: &'a JsonMap,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<NodeResult, WorkflowError>> {
        Box::pin(self.run(task, context, timeout))
    }
}
