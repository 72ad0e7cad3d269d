//! The output validator: judges whether the task was really done. What can be told without a model is told first.

use std::sync::Arc;

use candor_model::{JsonMap, Tier};
use candor_ports::{Ask, BoxFuture};
use serde_json::{Value, json};

use super::answers::JudgeAnswer;
use super::component::{Component, responding};
use super::response::AgentResponse;
use super::states::{changes, removed};
use super::thinker::Thinker;
use super::words::Words;
use super::{describe, temperatures};

/// What the output validator is asked.
#[derive(Debug, Clone)]
pub struct OutputRequest {
    /// The number of the attempt, from 1.
    pub number: u32,
    /// Whether it is judged for the second time, because the first time nothing came of it.
    pub again: bool,
    /// What was to be done.
    pub task: String,
    /// The data as it was.
    pub before: Arc<JsonMap>,
    /// The data as it is.
    pub after: Arc<JsonMap>,
    /// The keys that must be there.
    pub expected: Vec<String>,
}

/// Compares the data before and after.
pub struct OutputValidator {
    thinker: Option<Arc<dyn Thinker>>,
    tier: Tier,
    words: Words,
    types_only: bool,
}

impl OutputValidator {
    /// One that asks this tier when its own checks hold.
    #[must_use]
    pub fn new(thinker: Arc<dyn Thinker>, tier: Tier, words: Words) -> Self {
        Self { thinker: Some(thinker), tier, words, types_only: false }
    }

    /// One that only makes its own checks: for code that was proven, or given.
    #[must_use]
    pub const fn without_model(words: Words) -> Self {
        Self { thinker: None, tier: Tier::Fast, words, types_only: false }
    }

    /// The same, telling models only types and sizes, and no values.
    #[must_use]
    pub const fn with_types_only(mut self, types_only: bool) -> Self {
        self.types_only = types_only;
        self
    }

    async fn judge(&self, request: &OutputRequest) -> Result<JsonMap, String> {
        let changed = changes(&request.before, &request.after);
        let removed = removed(&request.before, &request.after);
        let found = self.refusal(request, &changed, &removed);
        let (valid, reason, by) = match (found, &self.thinker) {
            (Some(reason), _) => (false, reason, "checks"),
            (None, None) => (true, self.words.checks_hold(), "checks"),
            (None, Some(thinker)) => {
                let answer = self.ask(&**thinker, request).await?;
                (answer.valid, answer.reason, "model")
            }
        };
        let detected: Vec<&String> = changed.keys().chain(&removed).collect();
        let data = json!({ "valid": valid, "reason": reason, "changes_detected": detected, "by": by });
        Ok(data.as_object().cloned().unwrap_or_default())
    }

    /// What is wrong with a result at first sight.
    fn refusal(&self, request: &OutputRequest, changed: &JsonMap, removed: &[String]) -> Option<String> {
        if changed.is_empty() && removed.is_empty() {
            return Some(self.words.no_change());
        }
        let expected = request.expected.iter().map(String::as_str);
        let missing: Vec<&str> = expected.filter(|key| !request.after.contains_key(*key)).collect();
        if !missing.is_empty() {
            return Some(self.words.expected_missing(&missing));
        }
        if !changed.is_empty() && changed.values().all(is_empty) {
            let keys: Vec<&str> = changed.keys().map(String::as_str).collect();
            return Some(self.words.only_empty(&keys));
        }
        let wanted = |key: &str| request.expected.iter().any(|expected| expected == key);
        let disguised = |(key, value): &(&String, &Value)| {
            (is_error_word(key) && !wanted(key) && !is_nothing(value)) || is_disguised_error(value)
        };
        changed.iter().find(disguised).map(|(key, _)| self.words.disguised(key))
    }

    async fn ask(&self, thinker: &dyn Thinker, request: &OutputRequest) -> Result<JudgeAnswer, String> {
        let mut ask = Ask::expecting::<JudgeAnswer>("judge_output", self.tier);
        let described = if self.types_only { describe::sizes } else { describe::shortened };
        ask.slots = [
            ("task", request.task.clone()),
            ("before", described(&request.before)),
            ("after", described(&request.after)),
            ("outputs", request.expected.join(", ")),
        ]
        .into();
        ask.temperature = Some(temperatures::JUDGING);
        ask.max_output_tokens = 512;
        let value = thinker.ask(question(request.number, request.again), ask).await?;
        candor_model::from_value(value).map_err(|error| self.words.bad_answer(&error.to_string()))
    }
}

/// The name of the question for an attempt.
pub(super) fn question(number: u32, again: bool) -> String {
    format!("judgement_{number}{}", if again { "_again" } else { "" })
}

impl Component<OutputRequest> for OutputValidator {
    fn execute<'a>(&'a self, input: &'a OutputRequest) -> BoxFuture<'a, AgentResponse> {
        Box::pin(responding(Component::<OutputRequest>::name(self), self.judge(input)))
    }

    fn summary(&self, data: &JsonMap) -> String {
        let valid = data.get("valid").and_then(Value::as_bool).unwrap_or(false);
        let changes = data.get("changes_detected").and_then(Value::as_array);
        let keys: Vec<&str> = changes.into_iter().flatten().filter_map(Value::as_str).collect();
        format!("{}; changed: {}", if valid { "valid" } else { "not valid" }, keys.join(", "))
    }
}

/// Nothing was put there. Zero and false are values.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// No error is told by it. A number under such a name is a measure, and no complaint.
fn is_nothing(value: &Value) -> bool {
    is_empty(value) || value.is_number() || *value == json!(false)
}

fn is_error_word(key: &str) -> bool {
    ["error", "exception", "traceback"].iter().any(|word| key.eq_ignore_ascii_case(word))
}

/// A map that tells an error, and besides it only how things stand.
fn is_disguised_error(value: &Value) -> bool {
    const STANDING: [&str; 7] = ["success", "ok", "status", "message", "code", "type", "detail"];
    let Value::Object(map) = value else { return false };
    let tells = map.iter().any(|(key, value)| is_error_word(key) && !is_nothing(value));
    let only_stands = |(key, value): (&String, &Value)| {
        is_error_word(key) || is_empty(value) || STANDING.iter().any(|word| key.eq_ignore_ascii_case(word))
    };
    tells && map.iter().all(only_stands)
}
