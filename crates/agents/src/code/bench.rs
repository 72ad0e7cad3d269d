//! Where code is tried that nobody has to write: looked at, run, and judged.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use candor_model::{Failure, FailureKind, JsonMap, Money, WorkStep};
use candor_ports::{CodeResult, CodeRunner};
use candor_pycheck::ResultName;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::chain::{ChainOfWork, conclusion, link};
use super::code_validator::{CheckRequest, verdict};
use super::component::Component;
use super::outcome::{WorkflowError, without_metadata};
use super::output_validator::{OutputRequest, question};
use super::run::{SANDBOX, Sandbox};
use super::states::ExecutionState;
use super::thinker::Thinker;
use super::words::Words;

/// What code that nobody has to write is tried with.
#[derive(Clone)]
pub struct Bench {
    /// Checks code before it runs.
    pub code_validator: Arc<dyn Component<CheckRequest>>,
    /// Runs code that passed the check.
    pub runner: Arc<dyn CodeRunner>,
    /// Judges what it gave: proven code as code that was just written; for code that is given, its own checks.
    pub output_validator: Arc<dyn Component<OutputRequest>>,
    /// Knows what judging cost; absent if no model is asked.
    pub thinker: Option<Arc<dyn Thinker>>,
    /// Where everything is noted.
    pub chain: Arc<dyn ChainOfWork>,
    /// The keys that must be in the context at the end.
    pub expected: Vec<String>,
    /// Texts in the language of the request.
    pub words: Words,
    /// Cancelled when the attempt is.
    pub stop: CancellationToken,
}

/// Why code did not do it: the stage, and what happened there.
pub(super) struct Refused {
    pub(super) stage: &'static str,
    pub(super) failure: Box<Failure>,
}

impl Refused {
    /// Code, or what it gave, that is not what was asked for.
    fn unfit(stage: &'static str, what: String) -> Self {
        Self { stage, failure: Box::new(Failure::new(FailureKind::BadOutput, what)) }
    }
}

/// What came of trying code.
pub(super) type Tried = Result<JsonMap, Refused>;

impl Bench {
    /// Looks at code, runs it, and has its result judged.
    pub(super) async fn try_code(
        &self,
        state: &mut ExecutionState,
        code: &str,
        task: &str,
        context: &JsonMap,
        timeout: Duration,
    ) -> Result<Tried, WorkflowError> {
        if let Err(what) = self.validate(state, code, context).await? {
            return Ok(Err(Refused::unfit("code_validation", what)));
        }
        let sandbox =
            Sandbox { runner: Arc::clone(&self.runner), words: self.words, stop: self.stop.clone() };
        let ran = sandbox.run(code, context, CodeResult::Context, timeout).await;
        state.add_timing(SANDBOX, ran.duration_ms);
        state.execution_result = Some(ran.to_map());
        self.note(ran.link(state.attempts, timeout), ran.result.is_err()).await?;
        let after = match ran.result {
            Ok(after) => without_metadata(after),
            Err(failure) => return Ok(Err(Refused { stage: "execution", failure })),
        };
        let judged = self.judge(state, task, context, &after).await?;
        Ok(judged.map(|()| after).map_err(|what| Refused::unfit("output_validation", what)))
    }

    async fn validate(
        &self,
        state: &mut ExecutionState,
        code: &str,
        context: &JsonMap,
    ) -> Result<Result<(), String>, WorkflowError> {
        let keys: BTreeSet<String> = context.keys().cloned().collect();
        let request = CheckRequest { code: code.to_owned(), keys, result: ResultName::Context };
        let response = self.code_validator.execute(&request).await;
        let verdict = verdict(&response);
        state.add_timing(response.agent_name(), response.execution_time_ms());
        let summary = self.code_validator.summary(response.data());
        let step = link(self.words, state.attempts, &response, summary, Money::ZERO);
        self.note(step, verdict.is_err()).await?;
        state.code_validation = Some(response.into_data());
        Ok(verdict.map_err(|errors| errors.join("; ")))
    }

    async fn judge(
        &self,
        state: &mut ExecutionState,
        task: &str,
        before: &JsonMap,
        after: &JsonMap,
    ) -> Result<Result<(), String>, WorkflowError> {
        let validator = &self.output_validator;
        let request = OutputRequest {
            number: state.attempts,
            again: false,
            task: task.to_owned(),
            before: Arc::new(before.clone()),
            after: Arc::new(after.clone()),
            expected: self.expected.clone(),
        };
        let response = validator.execute(&request).await;
        state.add_timing(response.agent_name(), response.execution_time_ms());
        let summary = validator.summary(response.data());
        let cost = self
            .thinker
            .as_ref()
            .map_or(Money::ZERO, |thinker| thinker.spent(&question(request.number, false)));
        state.add_cost(response.agent_name(), cost);
        self.note(link(self.words, state.attempts, &response, summary, cost), true).await?;
        let error = response.error().map(str::to_owned);
        let data = response.into_data();
        let valid = data.get("valid").and_then(Value::as_bool) == Some(true);
        let reason = data.get("reason").and_then(Value::as_str).map(str::to_owned);
        let reason = reason.or(error).unwrap_or_default();
        state.output_validation = Some(data);
        Ok(if valid { Ok(()) } else { Err(reason) })
    }

    pub(super) async fn note(&self, step: WorkStep, matters: bool) -> Result<(), WorkflowError> {
        if self.stop.is_cancelled() {
            return Err(WorkflowError::Stopped);
        }
        self.chain.worked(step, matters).await.map_err(|reason| WorkflowError::NotTaken { reason })
    }

    /// The last link of the chain, with everything that was done; gives that.
    pub(super) async fn conclude(
        &self,
        state: &ExecutionState,
        success: bool,
        summary: &str,
    ) -> Result<JsonMap, WorkflowError> {
        let metadata = state.to_map();
        self.note(conclusion(state, success, summary), true).await?;
        Ok(metadata)
    }
}
