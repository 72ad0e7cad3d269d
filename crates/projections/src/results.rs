//! What a run produced, in a few lines.

use candor_engine::RunState;
use candor_model::{IdMap, JsonMap, TaskId, TaskStatus};
use candor_planning::texts;
use candor_text::Language;
use serde::Serialize;
use serde_json::Value;

use crate::values::in_short;

/// Of larger plans only so many tasks are shown; the report has the rest.
const TASKS: usize = 12;
/// The output by which an agent says that what it gives is made up.
const SAMPLE: &str = "sample_data";

/// The main outputs of the tasks that are done.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Results {
    /// The outputs of the first tasks, in the order of the plan.
    pub lines: Vec<ResultLine>,
    /// How many tasks that are done are not among them.
    pub more: usize,
    /// Whether an agent says that what it gives is made up.
    pub sample_data: bool,
}

/// One output of a task.
#[derive(Debug, Clone, Serialize)]
pub struct ResultLine {
    /// The task's name for people; empty if the line before is of the same task.
    pub task: String,
    /// The name of the output.
    pub key: String,
    /// The output in few words.
    pub value: String,
}

impl Results {
    /// What a run has produced so far, told in English.
    #[must_use]
    pub fn of(state: &RunState) -> Self {
        Self::told(state, Language::En)
    }

    /// The same told in a language.
    #[must_use]
    pub fn told(state: &RunState, language: Language) -> Self {
        let latest = latest_outputs(state);
        let Some(plan) = state.plan() else { return Self::default() };
        let done = plan.subtasks.iter().filter(|task| task.status == TaskStatus::Completed);
        let done: Vec<_> = done.map(|task| (task, latest.get(&task.task_id).copied())).collect();
        let mut lines = Vec::new();
        for (task, outputs) in done.iter().take(TASKS) {
            let mut name = texts::task_name(task);
            for (key, value) in outputs.iter().flat_map(|outputs| main(outputs)) {
                let task = std::mem::take(&mut name);
                lines.push(ResultLine { task, key: key.clone(), value: in_short(language, value) });
            }
        }
        let is_sample = |outputs: &JsonMap| outputs.get(SAMPLE) == Some(&Value::Bool(true));
        let sample_data = done.iter().filter_map(|(_, outputs)| *outputs).any(is_sample);
        let more = if lines.is_empty() { 0 } else { done.len().saturating_sub(TASKS) };
        Self { lines, more, sample_data }
    }
}

/// What was chosen and counted says more than the lists that it was chosen from.
fn main(outputs: &JsonMap) -> Vec<(&String, &Value)> {
    let chosen = outputs.values().any(Value::is_object);
    let told = |value: &Value| match value {
        Value::Null | Value::Bool(true) => false,
        Value::Array(_) => !chosen,
        _ => true,
    };
    outputs.iter().filter(|(_, value)| told(value)).collect()
}

/// What each task put out when it last succeeded.
pub(crate) fn latest_outputs(state: &RunState) -> IdMap<&TaskId, &JsonMap> {
    let good = state.feedback().iter().filter(|feedback| feedback.feedback_type.is_success());
    good.map(|feedback| (&feedback.task_id, &feedback.actual_outputs)).collect()
}
