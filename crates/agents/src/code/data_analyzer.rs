//! The data analyser: finds out what complex data is, with code that looks at it. The data never meets a model.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use candor_model::{JsonMap, Tier};
use candor_ports::{BoxFuture, CodeResult, CodeRunner};
use candor_pycheck::ResultName;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::chain::{ChainOfWork, link};
use super::code_validator::{CheckRequest, verdict};
use super::component::{Component, responding};
use super::docs::Documentation;
use super::response::AgentResponse;
use super::run::{Ran, Sandbox};
use super::thinker::Thinker;
use super::words::{PREVIOUS_ERRORS, Words};
use super::writing::{Author, Written};
use super::{describe, temperatures};

/// The name of its question.
pub(super) const QUESTION: &str = "data_analysis";
/// The names of all questions that it may ask.
pub(super) const QUESTIONS: [&str; 4] =
    [QUESTION, "data_analysis_documented", "data_analysis_again", "data_analysis_again_documented"];
/// How long its code may run at most.
const MOST_TIME: Duration = Duration::from_secs(30);
/// How much it may find out; what is longer is cut value by value.
const MOST_CHARS: usize = 16_000;

/// What the data analyser is asked. The task is not among it: it does not solve it.
#[derive(Debug, Clone)]
pub struct DataRequest {
    /// Data whose shape is analysed.
    pub context: Arc<JsonMap>,
    /// What Python can import, in words.
    pub libraries: String,
    /// How long code may run.
    pub timeout: Duration,
}

/// Finds out what the data is.
pub struct DataAnalyzer {
    author: Author,
    validator: Arc<dyn Component<CheckRequest>>,
    sandbox: Sandbox,
    chain: Arc<dyn ChainOfWork>,
}

/// What the data analyser works with.
pub struct DataAnalyzerParts {
    /// Who writes its code.
    pub thinker: Arc<dyn Thinker>,
    /// Where things are looked up.
    pub docs: Option<Arc<dyn Documentation>>,
    /// Who looks at the code before it runs.
    pub validator: Arc<dyn Component<CheckRequest>>,
    /// Runs the code that looks at the data.
    pub runner: Arc<dyn CodeRunner>,
    /// Where it is noted that it was looked at and run.
    pub chain: Arc<dyn ChainOfWork>,
    /// Which models are asked.
    pub tier: Tier,
    /// Texts in the language of the request.
    pub words: Words,
    /// Cancelled when the attempt is.
    pub stop: CancellationToken,
}

impl DataAnalyzer {
    /// One that is made so.
    #[must_use]
    pub fn new(parts: DataAnalyzerParts) -> Self {
        let DataAnalyzerParts { thinker, docs, validator, runner, chain, tier, words, stop } = parts;
        let sandbox = Sandbox { runner, words, stop: stop.clone() };
        let (step, temperature) = ("analyse_data", temperatures::JUDGING);
        let author = Author { thinker, docs, step, tier, temperature, words, stop };
        Self { author, validator, sandbox, chain }
    }

    async fn analyse(&self, request: &DataRequest) -> Result<JsonMap, String> {
        let written = self.write(request).await?;
        let timeout = request.timeout.min(MOST_TIME);
        let ran = self.sandbox.run(&written.code, &request.context, CodeResult::Insights, timeout).await;
        self.chain.worked(ran.link(0, timeout), ran.result.is_err()).await?;
        let mut insights = self.insights(&ran)?;
        insights.insert("analysis_code".to_owned(), json!(written.code));
        if !written.tool_calls.is_empty() {
            insights.insert("tool_calls".to_owned(), json!(written.tool_calls));
        }
        Ok(insights)
    }

    /// Code that may run. What is refused is written once more, with what was wrong with it.
    async fn write(&self, request: &DataRequest) -> Result<Written, String> {
        let mut slots =
            vec![("context", describe::kinds(&request.context)), ("libraries", request.libraries.clone())];
        let first = self.author.write(QUESTION.to_owned(), &slots).await?;
        let Err(errors) = self.check(&first.code, &request.context).await? else { return Ok(first) };
        slots.push(("errors", format!("{PREVIOUS_ERRORS}\n{}", describe::indented(&json!(errors)))));
        let second = self.author.write(format!("{QUESTION}_again"), &slots).await?;
        match self.check(&second.code, &request.context).await? {
            Ok(()) => Ok(second),
            Err(errors) => Err(self.author.words.unsafe_analysis(&errors)),
        }
    }

    async fn check(&self, code: &str, context: &JsonMap) -> Result<Result<(), Vec<String>>, String> {
        let keys: BTreeSet<String> = context.keys().cloned().collect();
        let request = CheckRequest { code: code.to_owned(), keys, result: ResultName::Insights };
        let response = self.validator.execute(&request).await;
        let summary = self.validator.summary(response.data());
        let step = link(self.author.words, 0, &response, summary, Default::default());
        let verdict = verdict(&response);
        self.chain.worked(step, verdict.is_err()).await?;
        Ok(verdict)
    }

    /// What the code found out. Code that only printed something has found nothing that can be read.
    fn insights(&self, ran: &Ran) -> Result<JsonMap, String> {
        let result = ran.result.as_ref().map_err(ToString::to_string)?;
        match result.get("insights") {
            Some(Value::Object(map)) => Ok(bounded(map)),
            Some(Value::Null) | None => {
                let mut unknown = JsonMap::new();
                unknown.insert("type".to_owned(), json!("unknown"));
                if !ran.stdout.trim().is_empty() {
                    unknown.insert("message".to_owned(), json!("Could not parse insights"));
                    let warning = "the analysis code printed something and left no `insights`";
                    unknown.insert("warnings".to_owned(), json!([warning]));
                }
                Ok(unknown)
            }
            Some(other) => Err(self.author.words.insights_no_map(describe::type_name(other))),
        }
    }
}

impl Component<DataRequest> for DataAnalyzer {
    fn execute<'a>(&'a self, input: &'a DataRequest) -> BoxFuture<'a, AgentResponse> {
        Box::pin(responding(Component::<DataRequest>::name(self), self.analyse(input)))
    }

    fn summary(&self, data: &JsonMap) -> String {
        // Code that was written by a model chose this word: it may be anything.
        let kind = data.get("type").and_then(Value::as_str).unwrap_or("unknown");
        format!("type {}", candor_react::shorten(kind, 40))
    }
}

/// Insights are a summary: whoever puts the data itself into them gets its beginning.
fn bounded(insights: &JsonMap) -> JsonMap {
    if Value::Object(insights.clone()).to_string().chars().count() <= MOST_CHARS {
        return insights.clone();
    }
    candor_model::from_json(&describe::shortened(insights)).unwrap_or_default()
}
