//! A result of another task, for an input that the agent lacks.
//!
//! Applies where the agent names the inputs that it lacks and every one of them is an output of a task that is done.

use candor_model::{ExecutionFeedback, ReplanStrategy, TaskId, TaskStatus};
use serde_json::Value;

use crate::replan::lineage::{self, WORKAROUND};
use crate::replan::{Answer, Draft, Failure, ReplanContext};

/// Replaces the failed task by the same one with what it lacks; nothing if nobody has all of it.
pub(super) fn answer(
    draft: &mut Draft<'_>,
    failure: &Failure<'_>,
    context: &ReplanContext<'_>,
) -> Option<Answer> {
    let missing = &failure.feedback.failure.as_ref()?.missing.as_ref()?.0;
    let task = draft.current(failure.task);
    let lacks = |name: &&String| task.inputs.get(name.as_str()).is_none_or(Value::is_null);
    let lacking = missing.iter().filter(lacks);
    let found: Option<Vec<(&String, TaskId, Value)>> = lacking
        .map(|name| {
            let (source, value) = source(draft, context, name)?;
            Some((name, source, value))
        })
        .collect();
    let found = found.filter(|found| !found.is_empty())?;
    let mut next = lineage::successor(&task, draft.fresh_id(&lineage::stem(&task), WORKAROUND));
    let mut told = Vec::with_capacity(found.len());
    for (name, source, value) in found {
        told.push(format!("{name} from {source}"));
        next.inputs.insert(name.clone(), value);
        if !next.dependencies.contains(&source) {
            next.dependencies.push(source);
        }
    }
    let (told, id) = (told.join(", "), &task.task_id);
    let change = format!("Use workaround {} for task {id}: it gets {told}", next.task_id);
    draft.replace(&task.task_id, vec![next]);
    Some(Answer { strategy: ReplanStrategy::FindWorkaround, changes: vec![change] })
}

/// The task that is done and has given an output of this name, and the output.
fn source(draft: &Draft<'_>, context: &ReplanContext<'_>, name: &str) -> Option<(TaskId, Value)> {
    let done = |id: &TaskId| draft.original(id).is_some_and(|task| task.status == TaskStatus::Completed);
    let given =
        |report: &ExecutionFeedback| report.actual_outputs.get(name).filter(|it| !it.is_null()).cloned();
    let mut reports = context.reports.iter().rev().filter(|report| report.feedback_type.is_success());
    reports.find_map(|report| Some((report.task_id.clone(), given(report)?)).filter(|(id, _)| done(id)))
}
