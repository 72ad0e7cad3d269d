//! The code agent as an agent of a run: an order in, the data with the task done out.

use std::sync::Arc;
use std::time::Duration;

use candor_model::{AgentAnswer, Failure, FailureKind, JsonMap, WorkOrder};
use candor_ports::{Agent, AgentFailure, AttemptContext, BoxFuture};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::bench::Bench;
use super::cached::CachedExecutor;
use super::chain::{ChainOfWork, DeskChain};
use super::code_generator::CodeGenerator;
use super::code_validator::{CheckRequest, CodeValidator};
use super::component::Component;
use super::config::CodeAgentConfig;
use super::data_analyzer::{DataAnalyzer, DataAnalyzerParts};
use super::executor::{NodeExecutor, StaticExecutor};
use super::input_analyzer::InputAnalyzer;
use super::library::InstalledLibrary;
use super::orchestrator::{MultiAgentOrchestrator, OrchestratorParts};
use super::outcome::{AI_METADATA, WorkflowError, without_metadata};
use super::output_validator::OutputValidator;
use super::thinker::{DeskThinker, Thinker};
use super::words::Words;
use crate::tool::Notebook;
use crate::wait::{deadline_of, until_over};

/// The input that holds data to be spread over the context.
const CONTEXT: &str = "context";
/// The input that holds code which is run as it is.
const CODE: &str = "python";
/// How long a run that was told to stop is waited for.
const GRACE: Duration = Duration::from_secs(2);

/// An agent that does its tasks with code.
pub struct CodeAgent {
    config: CodeAgentConfig,
    library: Arc<InstalledLibrary>,
}

impl CodeAgent {
    /// An agent that is made so.
    #[must_use]
    pub fn new(config: CodeAgentConfig) -> Self {
        let library = InstalledLibrary::new(Arc::clone(&config.runner), config.library_file.clone());
        Self { config, library: Arc::new(library) }
    }

    /// Makes one attempt, which ends soon after `stop` fires.
    async fn attempt(
        &self,
        order: &WorkOrder,
        cx: Arc<dyn AttemptContext>,
        deadline: Instant,
        stop: CancellationToken,
    ) -> Result<AgentAnswer, AgentFailure> {
        let most = self.config.max_cost;
        let thinker = DeskThinker::new(Arc::clone(&cx), order.attempt, most, deadline, stop.clone());
        let thinker = Arc::new(thinker.in_role(&self.config.role));
        let (context, code) = given(order);
        self.library.look_around(&stop).await;
        let seat = Seat { agent: self, order, cx, thinker: Arc::clone(&thinker), stop };
        let executor = seat.executor(code);
        let done = executor.execute(&order.description, &context, self.config.timeout).await;
        let result = done.map_err(|error| self.failure(error))?;
        let cost = Some(thinker.spent_in_all());
        Ok(AgentAnswer { cost, ..AgentAnswer::success(without_metadata(result.context)) })
    }

    fn failure(&self, error: WorkflowError) -> AgentFailure {
        match error {
            WorkflowError::Stopped => AgentFailure::Stopped,
            WorkflowError::NotTaken { .. } => {
                AgentFailure::failed(FailureKind::Cancelled, format!("{} stopped: {error}", self.config.name))
            }
            WorkflowError::NoModel => {
                Failure::new(FailureKind::Unavailable, error.to_string()).permanent().into()
            }
            WorkflowError::Failed { failure, .. } => (*failure).into(),
        }
    }
}

impl Agent for CodeAgent {
    fn perform<'a>(
        &'a self,
        order: &'a WorkOrder,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        self.perform_among(order, Arc::new(Notebook::new(order.attempt)), stop)
    }

    fn perform_among<'a>(
        &'a self,
        order: &'a WorkOrder,
        cx: Arc<dyn AttemptContext>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(async move {
            let (deadline, inner) = (deadline_of(order), stop.child_token());
            let mut attempt = std::pin::pin!(self.attempt(order, cx, deadline, inner.clone()));
            tokio::select! {
                biased;
                done = &mut attempt => done,
                over = until_over(order, deadline, &stop) => {
                    // Whatever runs in the sandbox ends before the attempt does.
                    inner.cancel();
                    let _ = tokio::time::timeout(GRACE, &mut attempt).await;
                    Err(over)
                }
            }
        })
    }
}

/// One attempt's place of work: the agent's parts, put together for it.
struct Seat<'a> {
    agent: &'a CodeAgent,
    order: &'a WorkOrder,
    cx: Arc<dyn AttemptContext>,
    thinker: Arc<DeskThinker>,
    stop: CancellationToken,
}

impl Seat<'_> {
    fn executor(&self, code: Option<String>) -> Box<dyn NodeExecutor> {
        let (config, words) = (&self.agent.config, self.words());
        let chain: Arc<dyn ChainOfWork> = Arc::new(DeskChain::new(Arc::clone(&self.cx), self.order.attempt));
        let library = Arc::clone(&self.agent.library);
        let validator: Arc<dyn Component<CheckRequest>> = Arc::new(CodeValidator::new(
            config.policy.clone(),
            config.syntax,
            library,
            words,
            self.stop.clone(),
        ));
        let bench = Bench {
            code_validator: validator,
            runner: Arc::clone(&config.runner),
            output_validator: Arc::new(OutputValidator::without_model(words)),
            thinker: None,
            chain,
            expected: self.order.expected_outputs.iter().filter(|name| is_said(name)).cloned().collect(),
            words,
            stop: self.stop.clone(),
        };
        if let Some(code) = code {
            return Box::new(StaticExecutor::new(code, bench));
        }
        let bench = if self.thinker.has_models() { self.judged_by_models(bench) } else { bench };
        let writer = self.thinker.has_models().then(|| self.writer(&bench));
        let edition = self.agent.library.edition();
        Box::new(CachedExecutor::new(config.proven.clone(), edition, bench, writer))
    }

    fn judged_by_models(&self, bench: Bench) -> Bench {
        let config = &self.agent.config;
        let thinker = || Arc::clone(&self.thinker) as Arc<dyn Thinker>;
        let judge = OutputValidator::new(thinker(), config.tiers.output, self.words());
        let output_validator = Arc::new(judge.with_types_only(config.types_only));
        Bench { output_validator, thinker: Some(thinker()), ..bench }
    }

    fn words(&self) -> Words {
        Words::new(self.agent.config.language)
    }

    /// Everyone who is needed to write code.
    fn writer(&self, bench: &Bench) -> Arc<dyn NodeExecutor> {
        let (config, words) = (&self.agent.config, self.words());
        let thinker = || Arc::clone(&self.thinker) as Arc<dyn Thinker>;
        let generator =
            CodeGenerator::new(thinker(), config.docs.clone(), config.tiers.code, words, self.stop.clone());
        let data_analyzer = DataAnalyzer::new(DataAnalyzerParts {
            thinker: thinker(),
            docs: config.docs.clone(),
            validator: Arc::clone(&bench.code_validator),
            runner: Arc::clone(&bench.runner),
            chain: Arc::clone(&bench.chain),
            tier: config.tiers.data,
            words,
            stop: self.stop.clone(),
        });
        Arc::new(MultiAgentOrchestrator::new(OrchestratorParts {
            input_analyzer: Arc::new(InputAnalyzer::new(thinker(), config.tiers.input, words)),
            data_analyzer: Arc::new(data_analyzer),
            code_generator: Arc::new(generator.with_types_only(config.types_only)),
            code_validator: Arc::clone(&bench.code_validator),
            runner: Arc::clone(&bench.runner),
            output_validator: Arc::clone(&bench.output_validator),
            thinker: thinker(),
            chain: Arc::clone(&bench.chain),
            expected: bench.expected.clone(),
            libraries: config.libraries.as_ref().map_or_else(
                || self.agent.library.in_words(),
                |libraries| format!("the standard library of Python, and: {}", libraries.join(", ")),
            ),
            max_attempts: config.max_attempts,
            words,
            stop: self.stop.clone(),
        }))
    }
}

/// The data that an order comes with, and the code if it is given: what other tasks left, in the order of their
/// names, and on top of it the task's own inputs.
fn given(order: &WorkOrder) -> (JsonMap, Option<String>) {
    let mut context = JsonMap::new();
    for outputs in order.upstream.values() {
        context.extend(outputs.clone());
    }
    let mut inputs = order.inputs.clone();
    let code = match inputs.get(CODE) {
        Some(Value::String(_)) => inputs.remove(CODE),
        _ => None,
    };
    if let Some(Value::Object(_)) = inputs.get(CONTEXT)
        && let Some(Value::Object(spread)) = inputs.remove(CONTEXT)
    {
        context.extend(spread);
    }
    context.extend(inputs);
    context.remove(AI_METADATA);
    (context, code.and_then(|code| code.as_str().map(str::to_owned)))
}

/// Whether somebody said that this should come of it. A plan whose author names nothing gets `output_1` and so on,
/// which no code would think of.
fn is_said(name: &str) -> bool {
    name.strip_prefix("output_").is_none_or(|number| number.parse::<u32>().is_err())
}
