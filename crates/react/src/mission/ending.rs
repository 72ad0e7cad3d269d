//! How a mission ended: what it produced, what is left, and why.

use candor_model::{Failure, FailureKind, FeedbackType, JsonMap, MissionAction, TodoItem, TodoStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Mission;
use super::history::value_of;
use super::items::is_waiting;
use crate::words::counted;

/// A limit that was run into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Steps of the loop.
    Steps,
    /// Tokens of models.
    Tokens,
    /// Money for models.
    Money,
    /// Time.
    Time,
}

/// How a mission ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// What it produced.
    pub outputs: JsonMap,
    /// How it went.
    pub verdict: FeedbackType,
    /// What went wrong, each with what to do about it where that is known.
    pub errors: Vec<String>,
    /// The steps that are still to be done, by id.
    pub left: Vec<String>,
    /// What came of it, in the model's words.
    pub summary: String,
    /// The limit that was run into.
    pub limit: Option<Limit>,
    /// How to go on.
    pub advice: Option<String>,
    /// Why it failed; nothing unless it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl Ending {
    pub(crate) fn failed(kind: FailureKind, error: String) -> Self {
        Self {
            outputs: JsonMap::new(),
            verdict: FeedbackType::Failure,
            failure: Some(Failure::new(kind, error.as_str()).permanent()),
            errors: vec![error],
            left: Vec::new(),
            summary: String::new(),
            limit: None,
            advice: None,
        }
    }
}

impl Mission {
    /// How it ends now.
    pub(super) fn ending(&self, limit: Option<Limit>) -> Ending {
        let completed = match &self.decided {
            Some(MissionAction::Complete { summary, outputs }) => Some((summary.as_str(), outputs)),
            _ => None,
        };
        let summary = completed.map_or("", |(summary, _)| summary).to_owned();
        let mut outputs = self.outputs(completed.map(|(_, outputs)| outputs), &summary);
        let left: Vec<String> = self.waiting().map(|item| item.id.clone()).collect();
        let left = if completed.is_some() { Vec::new() } else { left };
        let errors = self.errors(limit, &outputs);
        if !errors.is_empty() && outputs.is_empty() {
            outputs = self.partial();
        }
        let verdict = match (errors.is_empty(), outputs.is_empty()) {
            (true, _) => FeedbackType::Success,
            (false, false) => FeedbackType::PartialSuccess,
            (false, true) => FeedbackType::Failure,
        };
        let advice = limit.map(|limit| self.advice(limit));
        let failure = errors.first().filter(|_| verdict == FeedbackType::Failure);
        let failure = failure.map(|error| self.failure(limit).with_message(error.as_str()));
        Ending { outputs, verdict, errors, left, summary, limit, advice, failure }
    }

    /// The kind of the failure: the limit that was run into, or how a tool failed last. What the mission itself says
    /// of a lost step counts only where no tool failed.
    fn failure(&self, limit: Option<Limit>) -> Failure {
        let failed = |kind| Failure::new(kind, "");
        let mut lost = self.list.items.iter().filter(|item| item.status == TodoStatus::Failed).peekable();
        match limit {
            Some(Limit::Time) => failed(FailureKind::Timeout),
            Some(Limit::Steps | Limit::Tokens | Limit::Money) => failed(FailureKind::OverBudget),
            // All steps are done, and what was expected is not there.
            None if lost.peek().is_none() => failed(FailureKind::BadOutput),
            None => {
                let said = || lost.find_map(|item| item.result.as_ref()?.error.as_ref());
                let problem = self.problem.as_ref().or_else(said);
                problem.map_or_else(|| failed(FailureKind::TaskError), Failure::from)
            }
        }
    }

    /// Whether a model is to put the outputs into words: not all that is expected is there by itself.
    pub(super) fn needs_words(&self) -> bool {
        if !self.settings.model || self.decided.is_some() {
            return false;
        }
        let by_task = self.planned_by.as_deref() == Some("task");
        let expected = &self.order.expected_outputs;
        let outputs = if by_task { self.outputs(None, "") } else { self.saved() };
        let all_there = expected.iter().all(|name| outputs.contains_key(name));
        !all_there || (expected.is_empty() && !by_task)
    }

    /// What steps were told to save.
    fn saved(&self) -> JsonMap {
        let named = self.completed().filter_map(|item| Some((item.save_as.clone()?, result_of(item)?)));
        named.collect()
    }

    fn outputs(&self, told: Option<&JsonMap>, summary: &str) -> JsonMap {
        let mut outputs = self.saved();
        outputs.extend(told.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
        let last = self.completed().filter_map(result_of).last();
        match (self.order.expected_outputs.as_slice(), last) {
            ([only], Some(last)) if !outputs.contains_key(only) => drop(outputs.insert(only.clone(), last)),
            ([], Some(last)) if outputs.is_empty() => {
                let value = if summary.is_empty() { last } else { json!(summary) };
                drop(outputs.insert("result".to_owned(), value));
            }
            ([], None) if outputs.is_empty() && !summary.is_empty() => {
                drop(outputs.insert("result".to_owned(), json!(summary)));
            }
            _ => {}
        }
        outputs
    }

    /// What is there of a mission that has none of its outputs: the results of its steps.
    fn partial(&self) -> JsonMap {
        let steps: JsonMap =
            self.completed().filter_map(|item| Some((item.id.clone(), result_of(item)?))).collect();
        let mut outputs = JsonMap::new();
        if !steps.is_empty() {
            outputs.insert("steps".to_owned(), Value::Object(steps));
        }
        outputs
    }

    fn completed(&self) -> impl Iterator<Item = &TodoItem> {
        self.list.items.iter().filter(|item| item.status == TodoStatus::Completed)
    }

    fn errors(&self, limit: Option<Limit>, outputs: &JsonMap) -> Vec<String> {
        let mut errors: Vec<String> = limit.into_iter().map(|limit| self.limit_words(limit)).collect();
        for item in self.list.items.iter().filter(|item| self.is_lost(item)) {
            let reason = self.reasons.get(&item.id).map_or("no reason is known", String::as_str);
            let TodoItem { position, id, description, status, .. } = item;
            let description = crate::shorten(description, 80);
            errors.push(format!("step {position} ({id}: {description}) is {status}: {reason}"));
        }
        let expected = self.order.expected_outputs.iter();
        let missing: Vec<&str> =
            expected.filter(|name| !outputs.contains_key(*name)).map(String::as_str).collect();
        if !missing.is_empty() {
            errors.push(format!("these outputs were expected and are not there: {}", missing.join(", ")));
        }
        if !errors.is_empty() {
            errors.extend(self.warnings.iter().cloned());
        }
        errors
    }

    fn limit_words(&self, limit: Limit) -> String {
        let (used, settings) = (&self.used, &self.settings);
        let reached = match limit {
            Limit::Steps => format!("{} of {} steps", used.steps(), settings.max_steps),
            Limit::Tokens => format!("{} of {} tokens", used.tokens, settings.max_tokens),
            Limit::Money => format!("${} of ${}", used.cost, settings.max_cost.unwrap_or_default()),
            Limit::Time => format!("nearly all of {} s", self.order.deadline_seconds),
        };
        let left = self.list.items.iter().filter(|item| is_waiting(item)).count();
        format!("the attempt used {reached}; {} left", counted(left, "step"))
    }

    fn advice(&self, limit: Limit) -> String {
        let setting = match limit {
            Limit::Steps => "max_steps",
            Limit::Tokens => "max_tokens",
            Limit::Money => "max_cost",
            Limit::Time => "the task's deadline",
        };
        format!("Raise {setting}, or give the task another attempt: it goes on where this one stopped.")
    }
}

fn result_of(item: &TodoItem) -> Option<Value> {
    item.result.as_ref().map(value_of)
}
