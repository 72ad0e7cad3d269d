//! The orchestrator: analysis once, then attempts until one succeeds or there are no more.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use candor_model::{Failure, FailureKind, JsonMap, Money, WorkStep};
use candor_ports::{CodeResult, CodeRunner};
use candor_pycheck::ResultName;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::chain::{ChainOfWork, conclusion, link};
use super::code_generator::{self, CodeRequest};
use super::code_validator::{CheckRequest, verdict};
use super::component::Component;
use super::data_analyzer::{self, DataRequest};
use super::heuristic;
use super::input_analyzer::{self, InputRequest};
use super::outcome::{NodeResult, WorkflowError, without_metadata};
use super::output_validator::{self, OutputRequest};
use super::response::AgentResponse;
use super::run::{SANDBOX, Sandbox};
use super::states::{ContextState, ExecutionState};
use super::thinker::Thinker;
use super::words::Words;

/// What the orchestrator brings together.
#[derive(Clone)]
pub struct OrchestratorParts {
    /// Chooses how the request is answered.
    pub input_analyzer: Arc<dyn Component<InputRequest>>,
    /// Finds out what the data is.
    pub data_analyzer: Arc<dyn Component<DataRequest>>,
    /// Writes the Python.
    pub code_generator: Arc<dyn Component<CodeRequest>>,
    /// Checks it before it runs.
    pub code_validator: Arc<dyn Component<CheckRequest>>,
    /// Runs what passed the check.
    pub runner: Arc<dyn CodeRunner>,
    /// Judges what came of it.
    pub output_validator: Arc<dyn Component<OutputRequest>>,
    /// Knows what the others' questions cost.
    pub thinker: Arc<dyn Thinker>,
    /// Where everything is noted.
    pub chain: Arc<dyn ChainOfWork>,
    /// The keys that must be in the context at the end.
    pub expected: Vec<String>,
    /// What Python can import, in words.
    pub libraries: String,
    /// How many attempts are made at most.
    pub max_attempts: u32,
    /// Texts in the language of the request.
    pub words: Words,
    /// Cancelled when the attempt is.
    pub stop: CancellationToken,
}

/// Runs a node: from a task and data to the data with the task done.
pub struct MultiAgentOrchestrator {
    parts: OrchestratorParts,
}

impl MultiAgentOrchestrator {
    /// One that brings these together.
    #[must_use]
    pub const fn new(parts: OrchestratorParts) -> Self {
        Self { parts }
    }

    /// Does the task on a copy of the data. `timeout` is for each run in the sandbox.
    ///
    /// # Errors
    /// [`WorkflowError`] if no attempt succeeded, with everything that was done, or if it was stopped.
    pub async fn execute_workflow(
        &self,
        task: &str,
        context: &JsonMap,
        timeout: Duration,
    ) -> Result<NodeResult, WorkflowError> {
        let context = ContextState::new(without_metadata(context.clone()));
        let state = ExecutionState::new();
        let mut node = Node { parts: &self.parts, task, timeout, state, context };
        node.run().await
    }
}

/// One run of a node.
struct Node<'a> {
    parts: &'a OrchestratorParts,
    task: &'a str,
    timeout: Duration,
    state: ExecutionState,
    context: ContextState,
}

impl Node<'_> {
    async fn run(&mut self) -> Result<NodeResult, WorkflowError> {
        if self.analyse_input().await? {
            self.analyse_data().await?;
        }
        for number in 1..=self.parts.max_attempts.max(1) {
            self.state.attempts = number;
            self.context.reset();
            if let Some(code) = self.attempt(number).await? {
                return self.finish(code).await;
            }
        }
        self.give_up().await
    }

    /// Whether the data must be analysed. When no model says so, rules do.
    async fn analyse_input(&mut self) -> Result<bool, WorkflowError> {
        let analyzer = &self.parts.input_analyzer;
        let context = Arc::new(self.context.current.clone());
        let response = analyzer.execute(&InputRequest { task: self.task.to_owned(), context }).await;
        let summary = analyzer.summary(response.data());
        self.keep(0, &response, summary, &[input_analyzer::QUESTION.to_owned()], true).await?;
        let data = match response.error() {
            None => response.into_data(),
            Some(error) => {
                self.state.add_error("input_analysis", error);
                heuristic::judge(self.context.initial())
            }
        };
        let needs = data.get("needs_analysis").and_then(Value::as_bool).unwrap_or(false);
        self.state.input_analysis = Some(data);
        Ok(needs)
    }

    /// What the data is. Without it the work goes on.
    async fn analyse_data(&mut self) -> Result<(), WorkflowError> {
        let analyzer = &self.parts.data_analyzer;
        let request = DataRequest {
            context: Arc::new(self.context.current.clone()),
            libraries: self.parts.libraries.clone(),
            timeout: self.timeout,
        };
        let response = analyzer.execute(&request).await;
        let summary = analyzer.summary(response.data());
        let questions = data_analyzer::QUESTIONS.map(str::to_owned);
        self.keep(0, &response, summary, &questions, true).await?;
        match response.error() {
            Some(error) => self.state.add_error("data_analysis", error),
            None => {
                self.context.data_insights = Some(response.data().clone());
                self.state.data_analysis = Some(response.into_data());
            }
        }
        Ok(())
    }

    /// One attempt: the code if it succeeded.
    async fn attempt(&mut self, number: u32) -> Result<Option<String>, WorkflowError> {
        let Some(code) = self.generate(number).await? else { return Ok(None) };
        if !self.validate(number, &code).await? || !self.run_code(number, &code).await? {
            return Ok(None);
        }
        Ok(self.judge(number).await?.then_some(code))
    }

    async fn generate(&mut self, number: u32) -> Result<Option<String>, WorkflowError> {
        let generator = &self.parts.code_generator;
        let request = CodeRequest {
            number,
            task: self.task.to_owned(),
            context: Arc::new(self.context.current.clone()),
            insights: self.context.data_insights.clone(),
            errors: self.state.errors.clone(),
            previous: self.last_code(),
            expected: self.parts.expected.clone(),
            libraries: self.parts.libraries.clone(),
        };
        let response = generator.execute(&request).await;
        let summary = generator.summary(response.data());
        let question = code_generator::question(number);
        let questions = [format!("{question}_documented"), question];
        self.keep(number, &response, summary, &questions, true).await?;
        if let Some(error) = response.error() {
            self.state.add_error("code_generation", error);
            self.state.failure = Some(self.parts.thinker.failure(&code_generator::question(number)));
            return Ok(None);
        }
        let code = response.data().get("code").and_then(Value::as_str).map(str::to_owned);
        self.state.code_generation = Some(response.into_data());
        let code = code.filter(|code| !code.trim().is_empty());
        if code.is_none() {
            self.state.add_error("code_generation", self.parts.words.no_code());
            self.unfit();
        }
        Ok(code)
    }

    /// The code of the attempt before, if it wrote any.
    fn last_code(&self) -> Option<String> {
        self.state.code_generation.as_ref()?.get("code")?.as_str().map(str::to_owned)
    }

    async fn validate(&mut self, number: u32, code: &str) -> Result<bool, WorkflowError> {
        let validator = &self.parts.code_validator;
        let keys: BTreeSet<String> = self.context.current.keys().cloned().collect();
        let request = CheckRequest { code: code.to_owned(), keys, result: ResultName::Context };
        let response = validator.execute(&request).await;
        let (summary, verdict) = (validator.summary(response.data()), verdict(&response));
        self.keep(number, &response, summary, &[], verdict.is_err()).await?;
        self.state.code_validation = Some(response.into_data());
        match verdict {
            Ok(()) => Ok(true),
            Err(errors) => {
                let error = self.parts.words.invalid_code(errors.len());
                self.state.add_errors("code_validation", error, errors);
                self.unfit();
                Ok(false)
            }
        }
    }

    async fn run_code(&mut self, number: u32, code: &str) -> Result<bool, WorkflowError> {
        let (words, stop) = (self.parts.words, self.parts.stop.clone());
        let sandbox = Sandbox { runner: Arc::clone(&self.parts.runner), words, stop };
        let ran = sandbox.run(code, &self.context.current, CodeResult::Context, self.timeout).await;
        self.state.add_timing(SANDBOX, ran.duration_ms);
        self.state.execution_result = Some(ran.to_map());
        self.note(ran.link(number, self.timeout), ran.result.is_err()).await?;
        match ran.result {
            Ok(result) => {
                self.context.current = without_metadata(result);
                Ok(true)
            }
            Err(failure) => {
                self.state.add_error("execution", failure.message.as_str());
                // Other code was tried already: the same attempts would only be made, and paid for, once more.
                let is_there = !matches!(failure.kind, FailureKind::Unavailable | FailureKind::RateLimited);
                self.state.failure = Some(if is_there { failure.permanent() } else { *failure });
                Ok(false)
            }
        }
    }

    /// Judges the result; once more if nothing came of it. What nobody could judge is not taken.
    async fn judge(&mut self, number: u32) -> Result<bool, WorkflowError> {
        let mut request = OutputRequest {
            number,
            again: false,
            task: self.task.to_owned(),
            before: Arc::new(self.context.initial().clone()),
            after: Arc::new(self.context.current.clone()),
            expected: self.parts.expected.clone(),
        };
        let mut response = self.judge_once(&request).await?;
        if !response.success() {
            request.again = true;
            response = self.judge_once(&request).await?;
        }
        let words = self.parts.words;
        if let Some(error) = response.error() {
            self.state.add_error("output_validation", words.no_judgement(error));
            let question = output_validator::question(number, request.again);
            self.state.failure = Some(self.parts.thinker.failure(&question));
            return Ok(false);
        }
        let data = response.into_data();
        let valid = data.get("valid").and_then(Value::as_bool) == Some(true);
        if !valid {
            let reason = data.get("reason").and_then(Value::as_str).unwrap_or_default();
            self.state.add_refusal("output_validation", words.refused_output(), reason);
            self.unfit();
        }
        self.state.output_validation = Some(data);
        Ok(valid)
    }

    /// Notes that the attempt failed because code, or what it gave, is not what was asked for.
    fn unfit(&mut self) {
        self.state.failure = Some(Failure::new(FailureKind::BadOutput, "").permanent());
    }

    async fn judge_once(&mut self, request: &OutputRequest) -> Result<AgentResponse, WorkflowError> {
        let validator = &self.parts.output_validator;
        let response = validator.execute(request).await;
        let summary = validator.summary(response.data());
        let question = output_validator::question(request.number, request.again);
        self.keep(request.number, &response, summary, &[question], true).await?;
        Ok(response)
    }

    /// Keeps how long a component took and what it cost, and notes what it did.
    async fn keep(
        &mut self,
        number: u32,
        response: &AgentResponse,
        summary: String,
        questions: &[String],
        matters: bool,
    ) -> Result<(), WorkflowError> {
        let cost: Money = questions.iter().map(|name| self.parts.thinker.spent(name)).sum();
        self.state.add_timing(response.agent_name(), response.execution_time_ms());
        self.state.add_cost(response.agent_name(), cost);
        self.note(link(self.parts.words, number, response, summary, cost), matters).await
    }

    /// Notes a link of the chain; an end that was asked for is not taken for a failure of whoever was at work.
    async fn note(&self, step: WorkStep, matters: bool) -> Result<(), WorkflowError> {
        if self.parts.stop.is_cancelled() {
            return Err(WorkflowError::Stopped);
        }
        self.parts.chain.worked(step, matters).await.map_err(|reason| WorkflowError::NotTaken { reason })
    }

    async fn finish(&mut self, code: String) -> Result<NodeResult, WorkflowError> {
        let metadata = self.conclude(true).await?;
        let cost = self.state.costs.values().copied().sum();
        Ok(NodeResult { context: self.context.current.clone(), metadata, code, cost })
    }

    async fn give_up(&mut self) -> Result<NodeResult, WorkflowError> {
        let metadata = self.conclude(false).await?;
        let words = self.parts.words;
        let lines: Vec<String> = self.state.errors.iter().map(|error| error_line(words, error)).collect();
        let reason = words.gave_up(self.state.attempts, &lines.join("\n"));
        let context = Box::new(self.context.initial().clone());
        let failure = self.state.failure.take();
        let failure = failure.unwrap_or_else(|| Failure::new(FailureKind::TaskError, ""));
        let first = candor_model::told_line(&reason).unwrap_or_default().trim_end_matches('.');
        let last = lines.last().map_or("", String::as_str);
        let failure = failure.with_message(format!("{first}: {last}")).with_detail(reason.as_str());
        let (metadata, failure) = (Box::new(metadata), Box::new(failure));
        Err(WorkflowError::Failed { reason, metadata, context, failure })
    }

    /// The last link of the chain, with everything that was done.
    async fn conclude(&self, success: bool) -> Result<JsonMap, WorkflowError> {
        let attempts = self.state.attempts;
        let end = if success { "done" } else { "given up" };
        let tries = if attempts == 1 { "attempt" } else { "attempts" };
        let step = conclusion(&self.state, success, &format!("{end} after {attempts} {tries}"));
        let metadata = self.state.to_map();
        self.note(step, true).await?;
        Ok(metadata)
    }
}

/// What went wrong, on a line for a person.
fn error_line(words: Words, error: &super::states::StageError) -> String {
    let mut what = error.error.clone();
    if !error.errors.is_empty() {
        what = format!("{what}: {}", error.errors.join("; "));
    }
    if let Some(reason) = &error.reason {
        what = format!("{what}: {reason}");
    }
    words.attempt_line(error.attempt, &error.stage, &candor_react::shorten(&what, 600))
}
