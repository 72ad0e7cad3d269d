//! What all tasks of a plan have put out, in short: what the validation looks at first.

use std::sync::Arc;

use candor_model::{ExecutionFeedback, FeedbackType, IdMap, Plan, SubTask, TaskId};
use serde_json::Value;

use super::{Compressed, Section, shortened_to};

/// How many tasks have a section of their own; the others of a large plan share one.
const OWN_SECTIONS: usize = 100;
/// Where the sections of the others are kept.
const OTHERS: &str = "task/*/outputs";
/// The output under which agents tell what one should know.
const WARNINGS_KEY: &str = "warnings";

/// Shortens what the tasks of a plan have put out. The whole text is kept in the feedback.
#[must_use]
pub fn execution_output(plan: &Plan, feedback: &[Arc<ExecutionFeedback>]) -> Compressed {
    let last = last_words(feedback);
    let results = results(plan, &last);
    let (own, others) = parted(&results);
    let mut sections: Vec<Section> = own.iter().map(|result| result.section()).collect();
    if !others.is_empty() {
        sections.push(Section {
            name: format!("{} more tasks", others.len()),
            text: joined(&others),
            warnings: others.iter().flat_map(|result| result.told()).collect(),
            reference: OTHERS.to_owned(),
        });
    }
    shortened_to(&sections, &summary(plan, &results))
}

/// A task and the last word on it.
struct TaskResult<'a> {
    task: &'a SubTask,
    feedback: &'a ExecutionFeedback,
}

fn last_words(feedback: &[Arc<ExecutionFeedback>]) -> IdMap<&TaskId, &ExecutionFeedback> {
    feedback.iter().map(|feedback| (&feedback.task_id, feedback.as_ref())).collect()
}

fn results<'a>(plan: &'a Plan, last: &IdMap<&TaskId, &'a ExecutionFeedback>) -> Vec<TaskResult<'a>> {
    let of = |task: &'a SubTask| Some(TaskResult { task, feedback: last.get(&&task.task_id)? });
    plan.subtasks.iter().filter_map(of).collect()
}

/// Those that get a section of their own, what went wrong first, and the others.
fn parted<'r, 'a>(results: &'r [TaskResult<'a>]) -> (Vec<&'r TaskResult<'a>>, Vec<&'r TaskResult<'a>>) {
    if results.len() <= OWN_SECTIONS {
        return (results.iter().collect(), Vec::new());
    }
    let (mut own, mut quiet): (Vec<_>, Vec<_>) =
        results.iter().partition(|result| !warnings(result.feedback).is_empty());
    let mut others = own.split_off(own.len().min(OWN_SECTIONS));
    let room = quiet.len().min(OWN_SECTIONS - own.len());
    own.extend(quiet.drain(..room));
    others.append(&mut quiet);
    (own, others)
}

impl TaskResult<'_> {
    fn section(&self) -> Section {
        let id = &self.task.task_id;
        Section {
            name: id.to_string(),
            text: outputs_text(self.feedback),
            warnings: warnings(self.feedback),
            reference: format!("task/{id}/outputs"),
        }
    }

    fn told(&self) -> Vec<String> {
        let id = &self.task.task_id;
        warnings(self.feedback).iter().map(|warning| format!("{id}: {warning}")).collect()
    }
}

/// The whole text of an attempt's section.
#[must_use]
pub fn outputs_text(feedback: &ExecutionFeedback) -> String {
    serde_json::to_string_pretty(&feedback.actual_outputs).unwrap_or_default()
}

fn joined(results: &[&TaskResult<'_>]) -> String {
    results.iter().map(|result| outputs_text(result.feedback)).collect::<Vec<_>>().join("\n")
}

/// What one should know of an attempt: what the agent warns of, what went wrong, that it is only a part.
#[must_use]
pub fn warnings(feedback: &ExecutionFeedback) -> Vec<String> {
    let told = match feedback.actual_outputs.get(WARNINGS_KEY) {
        Some(Value::String(text)) if !text.trim().is_empty() => vec![text.clone()],
        Some(Value::Array(all)) => all.iter().map(said).collect(),
        _ => Vec::new(),
    };
    let partial = feedback.feedback_type == FeedbackType::PartialSuccess && feedback.errors.is_empty();
    let partial = partial.then(|| "only a part of it was done".to_owned());
    told.into_iter().chain(feedback.errors.iter().cloned()).chain(partial).collect()
}

fn said(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn summary(plan: &Plan, results: &[TaskResult<'_>]) -> String {
    let count =
        |kind: FeedbackType| results.iter().filter(|result| result.feedback.feedback_type == kind).count();
    let (done, part) = (count(FeedbackType::Success), count(FeedbackType::PartialSuccess));
    let outputs: usize = results.iter().map(|result| result.feedback.actual_outputs.len()).sum();
    format!(
        "{done} of {} tasks done, {part} in part, {} not; {outputs} outputs",
        plan.subtasks.len(),
        plan.subtasks.len().saturating_sub(done + part)
    )
}
