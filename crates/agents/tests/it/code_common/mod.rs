//! What the tests of the code agent share: models and sandboxes that answer from a script and remember everything
//! that they were asked, and a small sandbox that runs real Python.

pub(crate) mod attempt_context;
pub(crate) mod python;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use candor_agents::code::{
    ChainOfWork, CheckRequest, CodeGenerator, CodeValidator, Component, DataAnalyzer, DataAnalyzerParts,
    InputAnalyzer, InstalledLibrary, MultiAgentOrchestrator, OrchestratorParts, OutputValidator, Thinker,
    Words,
};
use candor_model::{JsonMap, Money, Tier, WorkStep};
use candor_ports::{Ask, BoxFuture, CodeFault, CodeJob, CodeOutcome, CodeRun, CodeRunner};
use candor_pycheck::{Language, Policy, Syntax};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) fn map(value: Value) -> JsonMap {
    match value {
        Value::Object(map) => map,
        other => panic!("no map: {other}"),
    }
}

type Answering = Box<dyn Fn(&str, &Ask) -> Result<Value, String> + Send + Sync>;

/// A model that answers from a script, and remembers every question.
pub(crate) struct Scripted {
    pub(crate) asks: Mutex<Vec<(String, Ask)>>,
    answering: Answering,
}

impl Scripted {
    pub(crate) fn new(
        answering: impl Fn(&str, &Ask) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { asks: Mutex::default(), answering: Box::new(answering) })
    }

    /// Answers by the names of the questions; of others it knows nothing.
    pub(crate) fn by_name(answers: &[(&str, Value)]) -> Arc<Self> {
        let answers: BTreeMap<String, Value> =
            answers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Self::new(move |name, _| answers.get(name).cloned().ok_or_else(|| format!("nothing for {name}")))
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.asks.lock().unwrap().iter().map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn count(&self, step: &str) -> usize {
        self.asks.lock().unwrap().iter().filter(|(_, ask)| ask.step == step).count()
    }

    /// The slot of a question; empty if it was not filled.
    pub(crate) fn slot(&self, name: &str, slot: &str) -> String {
        let asks = self.asks.lock().unwrap();
        let ask =
            asks.iter().find(|(asked, _)| asked == name).unwrap_or_else(|| panic!("{name} was not asked"));
        ask.1.slots.get(slot).cloned().unwrap_or_default()
    }

    pub(crate) fn ask(&self, name: &str) -> Ask {
        let asks = self.asks.lock().unwrap();
        asks.iter().find(|(asked, _)| asked == name).unwrap().1.clone()
    }

    /// Everything that was told in any question.
    pub(crate) fn everything(&self) -> String {
        let asks = self.asks.lock().unwrap();
        asks.iter().flat_map(|(_, ask)| ask.slots.values().cloned()).collect::<Vec<_>>().join("\n")
    }
}

impl Thinker for Scripted {
    fn ask<'a>(&'a self, name: String, ask: Ask) -> BoxFuture<'a, Result<Value, String>> {
        let answer = (self.answering)(&name, &ask);
        self.asks.lock().unwrap().push((name, ask));
        Box::pin(std::future::ready(answer))
    }

    fn spent(&self, name: &str) -> Money {
        let asks = self.asks.lock().unwrap();
        let cost = |ask: &Ask| if ask.tier == Tier::Strong { 3_000 } else { 500 };
        let micros = asks.iter().filter(|(asked, _)| asked == name).map(|(_, ask)| cost(ask)).sum();
        Money::from_micros(micros)
    }

    fn model(&self, name: &str) -> Option<String> {
        self.names().iter().any(|asked| asked == name).then(|| "acme/large".to_owned())
    }
}

type Running = Box<dyn Fn(&CodeJob, usize) -> Result<CodeRun, CodeFault> + Send + Sync>;

/// A sandbox that runs nothing, and remembers what it was given. The agent's own scripts are answered apart.
pub(crate) struct FakeRunner {
    pub(crate) jobs: Mutex<Vec<CodeJob>>,
    pub(crate) own: Mutex<Vec<CodeJob>>,
    running: Running,
    name: &'static str,
}

impl FakeRunner {
    /// Gives this for the jobs, which are counted from 1.
    pub(crate) fn new(
        running: impl Fn(&CodeJob, usize) -> Result<CodeRun, CodeFault> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Self::called("local", running)
    }

    pub(crate) fn called(
        name: &'static str,
        running: impl Fn(&CodeJob, usize) -> Result<CodeRun, CodeFault> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { jobs: Mutex::default(), own: Mutex::default(), running: Box::new(running), name })
    }

    /// Puts these values into every context.
    pub(crate) fn adding(values: Value) -> Arc<Self> {
        Self::new(move |job, _| Ok(finished(merged(&job.context, &values))))
    }

    pub(crate) fn count(&self) -> usize {
        self.jobs.lock().unwrap().len()
    }
}

pub(crate) fn merged(context: &JsonMap, values: &Value) -> JsonMap {
    let mut context = context.clone();
    context.extend(map(values.clone()));
    context
}

pub(crate) fn ended(outcome: CodeOutcome) -> CodeRun {
    CodeRun {
        outcome,
        stdout: String::new(),
        stderr: String::new(),
        warnings: Vec::new(),
        duration: Duration::from_millis(3),
    }
}

pub(crate) fn finished(result: JsonMap) -> CodeRun {
    ended(CodeOutcome::Finished { result })
}

pub(crate) fn raised(name: &str, text: &str) -> CodeRun {
    ended(CodeOutcome::Raised {
        name: name.to_owned(),
        text: text.to_owned(),
        line: Some(1),
        trace: String::new(),
    })
}

impl CodeRunner for FakeRunner {
    fn run<'a>(
        &'a self,
        job: &'a CodeJob,
        _stop: CancellationToken,
    ) -> BoxFuture<'a, Result<CodeRun, CodeFault>> {
        if job.code.contains("importlib") {
            self.own.lock().unwrap().push(job.clone());
            let facts = json!({ "python": [3, 11, 7], "distributions": { "acme": "1.0" }, "modules": {} });
            return Box::pin(std::future::ready(Ok(finished(map(facts)))));
        }
        let number = {
            let mut jobs = self.jobs.lock().unwrap();
            jobs.push(job.clone());
            jobs.len()
        };
        Box::pin(std::future::ready((self.running)(job, number)))
    }

    fn name(&self) -> &str {
        self.name
    }
}

/// A chain of work in memory.
#[derive(Default)]
pub(crate) struct MemoryChain {
    pub(crate) steps: Mutex<Vec<(WorkStep, bool)>>,
}

impl MemoryChain {
    pub(crate) fn steps(&self) -> Vec<WorkStep> {
        self.steps.lock().unwrap().iter().map(|(step, _)| step.clone()).collect()
    }

    /// Who worked, in order: `CodeGenerator 1`.
    pub(crate) fn story(&self) -> Vec<String> {
        self.steps().iter().map(|step| format!("{} {}", step.component, step.number)).collect()
    }

    pub(crate) fn summary(&self, component: &str) -> String {
        let steps = self.steps();
        let step = steps.iter().find(|step| step.component == component).unwrap();
        step.data["summary"].as_str().unwrap().to_owned()
    }
}

impl ChainOfWork for MemoryChain {
    fn worked<'a>(&'a self, step: WorkStep, matters: bool) -> BoxFuture<'a, Result<(), String>> {
        self.steps.lock().unwrap().push((step, matters));
        Box::pin(std::future::ready(Ok(())))
    }
}

/// All components, around a model and a sandbox.
pub(crate) struct Setting {
    pub(crate) thinker: Arc<Scripted>,
    pub(crate) chain: Arc<MemoryChain>,
    pub(crate) parts: OrchestratorParts,
}

pub(crate) fn validator(runner: &Arc<dyn CodeRunner>, words: Words) -> Arc<dyn Component<CheckRequest>> {
    let library = Arc::new(InstalledLibrary::new(Arc::clone(runner), None));
    let (policy, stop) = (Policy::default(), CancellationToken::new());
    Arc::new(CodeValidator::new(policy, Syntax::Latest, library, words, stop))
}

pub(crate) fn setting(thinker: Arc<Scripted>, runner: Arc<dyn CodeRunner>) -> Setting {
    speaking(Language::English, thinker, runner)
}

pub(crate) fn speaking(language: Language, thinker: Arc<Scripted>, runner: Arc<dyn CodeRunner>) -> Setting {
    let (chain, stop, words) =
        (Arc::new(MemoryChain::default()), CancellationToken::new(), Words::new(language));
    let thinking = || Arc::clone(&thinker) as Arc<dyn Thinker>;
    let validator = validator(&runner, words);
    let data = DataAnalyzer::new(DataAnalyzerParts {
        thinker: thinking(),
        docs: None,
        validator: Arc::clone(&validator),
        runner: Arc::clone(&runner),
        chain: Arc::clone(&chain) as Arc<dyn ChainOfWork>,
        tier: Tier::Fast,
        words,
        stop: stop.clone(),
    });
    let parts = OrchestratorParts {
        input_analyzer: Arc::new(InputAnalyzer::new(thinking(), Tier::Fast, words)),
        data_analyzer: Arc::new(data),
        code_generator: Arc::new(CodeGenerator::new(thinking(), None, Tier::Strong, words, stop.clone())),
        code_validator: validator,
        runner,
        output_validator: Arc::new(OutputValidator::new(thinking(), Tier::Fast, words)),
        thinker: thinking(),
        chain: Arc::clone(&chain) as Arc<dyn ChainOfWork>,
        expected: Vec::new(),
        libraries: "Python 3.11, its standard library".to_owned(),
        max_attempts: 3,
        words,
        stop,
    };
    Setting { thinker, chain, parts }
}

impl Setting {
    pub(crate) async fn run(
        &self,
        task: &str,
        context: Value,
    ) -> Result<candor_agents::code::NodeResult, candor_agents::code::WorkflowError> {
        let orchestrator = MultiAgentOrchestrator::new(self.parts.clone());
        orchestrator.execute_workflow(task, &map(context), TIMEOUT).await
    }
}

pub(crate) fn simple() -> Value {
    json!({ "needs_analysis": false, "complexity": "simple", "reasoning": "two numbers" })
}

pub(crate) fn complex() -> Value {
    json!({ "needs_analysis": true, "complexity": "complex", "reasoning": "a PDF" })
}

pub(crate) fn code(text: &str) -> Value {
    json!({ "code": text, "tool_calls": [] })
}

pub(crate) fn good() -> Value {
    json!({ "valid": true, "reason": "it is there" })
}

pub(crate) fn bad(reason: &str) -> Value {
    json!({ "valid": false, "reason": reason })
}

pub(crate) const SUM: &str = "context['sum'] = context['num1'] + context['num2']";

/// A script for adding two numbers: simple, right at once.
pub(crate) fn adding() -> Arc<Scripted> {
    Scripted::by_name(&[("input_analysis", simple()), ("code_1", code(SUM)), ("judgement_1", good())])
}
