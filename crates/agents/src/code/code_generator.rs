//! The code generator: writes Python that solves the task, and learns from what went wrong before.

use std::sync::Arc;
use std::time::Instant;

use candor_model::{JsonMap, Tier};
use candor_ports::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::component::{Component, responding};
use super::docs::Documentation;
use super::response::AgentResponse;
use super::states::StageError;
use super::thinker::Thinker;
use super::words::{PREVIOUS_ERRORS, Words};
use super::writing::Author;
use super::{describe, temperatures};

/// What the code generator is asked.
#[derive(Debug, Clone)]
pub struct CodeRequest {
    /// The number of the attempt, from 1.
    pub number: u32,
    /// What is to be done.
    pub task: String,
    /// Data that the code is to work on.
    pub context: Arc<JsonMap>,
    /// What was found out about it.
    pub insights: Option<JsonMap>,
    /// Everything that went wrong before.
    pub errors: Vec<StageError>,
    /// The code that failed last: line numbers in errors are of it.
    pub previous: Option<String>,
    /// The keys that must be there afterwards.
    pub expected: Vec<String>,
    /// What Python can import, in words.
    pub libraries: String,
}

/// Writes the code that solves a task.
pub struct CodeGenerator {
    author: Author,
    types_only: bool,
}

impl CodeGenerator {
    /// One that asks this tier, and looks things up there.
    #[must_use]
    pub fn new(
        thinker: Arc<dyn Thinker>,
        docs: Option<Arc<dyn Documentation>>,
        tier: Tier,
        words: Words,
        stop: CancellationToken,
    ) -> Self {
        let (step, temperature) = ("write_code", temperatures::WRITING);
        let author = Author { thinker, docs, step, tier, temperature, words, stop };
        Self { author, types_only: false }
    }

    /// The same, telling models only types and sizes, and no values: not of the data, not of what analysis found, not in
    /// errors of programs.
    #[must_use]
    pub fn with_types_only(mut self, types_only: bool) -> Self {
        self.types_only = types_only;
        self
    }

    async fn generate(&self, request: &CodeRequest) -> Result<JsonMap, String> {
        let began = Instant::now();
        let written = self.author.write(question(request.number), &self.slots(request)).await?;
        let tier = self.author.tier;
        let model = self.author.thinker.model(&written.name).unwrap_or_else(|| tier.to_string());
        let data = json!({
            "code": written.code,
            "tool_calls": written.tool_calls,
            "model": model,
            "generation_time_ms": began.elapsed().as_secs_f64() * 1_000.0,
        });
        Ok(data.as_object().cloned().unwrap_or_default())
    }

    /// What went wrong, as far as a model may know it.
    fn told(&self, errors: &[StageError]) -> Vec<StageError> {
        let mut errors = errors.to_vec();
        for error in
            errors.iter_mut().filter(|error| self.types_only && RUNNING.contains(&error.stage.as_str()))
        {
            error.error = describe::without_values(&error.error);
        }
        errors
    }

    /// Sections without content are not there at all.
    fn slots(&self, request: &CodeRequest) -> Vec<(&'static str, String)> {
        let context = &request.context;
        let described = if self.types_only { describe::kinds(context) } else { describe::samples(context) };
        let mut slots = vec![
            ("task", request.task.clone()),
            ("context", described),
            ("libraries", request.libraries.clone()),
        ];
        if !request.expected.is_empty() {
            slots.push(("outputs", request.expected.join(", ")));
        }
        if let Some(insights) = &request.insights {
            let mut told = insights.clone();
            told.remove("analysis_code");
            told.remove("tool_calls");
            let told = if self.types_only {
                describe::sizes(&told)
            } else {
                describe::indented(&Value::Object(told))
            };
            slots.push(("insights", told));
        }
        if !request.errors.is_empty() {
            let history = describe::indented(&json!(self.told(&request.errors)));
            slots.push(("errors", format!("{PREVIOUS_ERRORS}\n{history}")));
        }
        if let Some(previous) = &request.previous {
            slots.push(("previous", previous.clone()));
        }
        slots
    }
}

/// The stages in which programs run: what they say in an error may be data.
const RUNNING: [&str; 2] = ["data_analysis", "execution"];

/// The name of the question for an attempt.
pub(super) fn question(number: u32) -> String {
    format!("code_{number}")
}

impl Component<CodeRequest> for CodeGenerator {
    fn execute<'a>(&'a self, input: &'a CodeRequest) -> BoxFuture<'a, AgentResponse> {
        Box::pin(responding(Component::<CodeRequest>::name(self), self.generate(input)))
    }

    fn summary(&self, data: &JsonMap) -> String {
        let calls = data.get("tool_calls").and_then(Value::as_array).map_or(0, Vec::len);
        let chars = data.get("code").and_then(Value::as_str).map_or(0, |code| code.chars().count());
        format!("{chars} characters of code, {calls} tool calls")
    }
}
