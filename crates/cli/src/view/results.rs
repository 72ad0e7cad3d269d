//! What a run produced, in a few lines: the end of what a person sees after `candor run`.

use candor_engine::RunState;
use candor_model::{IdMap, JsonMap, TaskId, TaskStatus};
use candor_planning::texts;
use candor_projections::values::in_short;
use serde_json::Value;

use super::style::{Line, Style, Tone};
use super::words;

/// Of larger plans only so many tasks are shown; the report has the rest.
const TASKS: usize = 12;
const NAME_COLUMNS: usize = 20;
/// The output by which an agent says that what it gives is made up.
const SAMPLE: &str = "sample_data";

/// The main outputs of the tasks that are done.
#[must_use]
pub fn text(state: &RunState, style: Style) -> String {
    let good = state.feedback().iter().filter(|feedback| feedback.feedback_type.is_success());
    let latest: IdMap<&TaskId, &JsonMap> =
        good.map(|feedback| (&feedback.task_id, &feedback.actual_outputs)).collect();
    let Some(plan) = state.plan() else { return String::new() };
    let done: Vec<_> = plan.subtasks.iter().filter(|task| task.status == TaskStatus::Completed).collect();
    let mut lines = Vec::new();
    for task in done.iter().take(TASKS) {
        let Some(outputs) = latest.get(&task.task_id) else { continue };
        let mut name = texts::task_name(task);
        for (key, value) in main(outputs) {
            let line =
                Line::new(style).plain("  ").fit(Tone::Strong, &name, NAME_COLUMNS).pad_to(NAME_COLUMNS + 2);
            let line = line.add(Tone::Dim, &format!("{key} ")).plain(&in_short(value));
            lines.push(line.render());
            name.clear();
        }
    }
    if done.len() > TASKS && !lines.is_empty() {
        lines
            .push(Line::new(style).plain("  ").add(Tone::Dim, &words::and_more(done.len() - TASKS)).render());
    }
    let is_sample = |outputs: &&JsonMap| outputs.get(SAMPLE) == Some(&Value::Bool(true));
    if done.iter().filter_map(|task| latest.get(&task.task_id).copied()).any(|it| is_sample(&it)) {
        lines.push(Line::new(style).plain("  ").add(Tone::Warn, words::SAMPLE_DATA).render());
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
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
