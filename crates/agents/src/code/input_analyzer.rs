//! The input analyser: decides whether the data must be looked at before the task is solved.

use std::sync::Arc;

use candor_model::{JsonMap, Tier};
use candor_ports::{Ask, BoxFuture};
use serde_json::{Value, json};

use super::answers::InputAnswer;
use super::component::{Component, responding};
use super::response::AgentResponse;
use super::thinker::Thinker;
use super::words::Words;
use super::{describe, temperatures};

/// What the input analyser is asked.
#[derive(Debug, Clone)]
pub struct InputRequest {
    /// What is to be done.
    pub task: String,
    /// The data. Only its keys, types and sizes are told.
    pub context: Arc<JsonMap>,
}

/// Decides on the strategy, from the task and the keys, types and sizes of the data.
pub struct InputAnalyzer {
    thinker: Arc<dyn Thinker>,
    tier: Tier,
    words: Words,
}

/// The name of its question.
pub(super) const QUESTION: &str = "input_analysis";
const KEYS: [&str; 3] = ["needs_analysis", "complexity", "reasoning"];

impl InputAnalyzer {
    /// One that asks this tier.
    #[must_use]
    pub fn new(thinker: Arc<dyn Thinker>, tier: Tier, words: Words) -> Self {
        Self { thinker, tier, words }
    }

    async fn analyse(&self, request: &InputRequest) -> Result<JsonMap, String> {
        let mut ask = Ask::expecting::<InputAnswer>("analyse_input", self.tier);
        ask.slots = [("task", request.task.clone()), ("keys", describe::sizes(&request.context))].into();
        ask.temperature = Some(temperatures::JUDGING);
        ask.max_output_tokens = 512;
        let value = self.thinker.ask(QUESTION.to_owned(), ask).await?;
        self.read(value)
    }

    fn read(&self, value: Value) -> Result<JsonMap, String> {
        let Value::Object(map) = &value else {
            return Err(self.words.bad_answer("it is not a JSON object"));
        };
        let missing: Vec<&str> = KEYS.into_iter().filter(|key| !map.contains_key(*key)).collect();
        if !missing.is_empty() {
            return Err(self.words.missing_keys(&missing));
        }
        let answer: InputAnswer =
            candor_model::from_value(value).map_err(|error| self.words.bad_answer(&error.to_string()))?;
        match json!(answer) {
            Value::Object(map) => Ok(map),
            _ => Ok(JsonMap::new()),
        }
    }
}

impl Component<InputRequest> for InputAnalyzer {
    fn execute<'a>(&'a self, input: &'a InputRequest) -> BoxFuture<'a, AgentResponse> {
        Box::pin(responding(Component::<InputRequest>::name(self), self.analyse(input)))
    }

    fn summary(&self, data: &JsonMap) -> String {
        summary(data)
    }
}

/// What was decided, in a few words.
pub(super) fn summary(data: &JsonMap) -> String {
    let needs = data.get("needs_analysis").and_then(Value::as_bool).unwrap_or(false);
    let complexity = data.get("complexity").and_then(Value::as_str).unwrap_or("unknown");
    format!("needs analysis: {}, complexity: {complexity}", if needs { "yes" } else { "no" })
}
