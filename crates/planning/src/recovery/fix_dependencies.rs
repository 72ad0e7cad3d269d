//! Freeing a task that waits for something which will not come.
//!
//! Owns the judgement of which dependencies block a task, and what becomes of each: it is pointed to the task
//! that stands in for it, or, if there is none, dropped, and people are told what will be missing. A stand-in
//! that waits for the blocked task itself is none.

use std::collections::BTreeSet;

use candor_model::{ReplanStrategy, SubTask, TaskId, TaskStatus};

use crate::replan::lineage;
use crate::replan::{Answer, Draft, Failure, affected};

/// Points the blocked task to what stands in for its failed dependencies, and makes it run again; nothing if it would
/// find the same results as before.
pub(super) fn answer(draft: &mut Draft<'_>, failure: &Failure<'_>) -> Option<Answer> {
    let mut task = draft.current(failure.task);
    let blocking = blocking(draft, &task, failure);
    let changes = if blocking.is_empty() {
        task.dependencies.iter().find(|id| draft.will_run_again(id))?;
        vec![format!("Try task {} again: nothing blocks it any more", task.task_id)]
    } else {
        let stand_ins = StandIns::of(draft, &task);
        let changes = blocking.iter().map(|id| free(draft, &stand_ins, &mut task, id)).collect();
        draft.modify(task.clone());
        changes
    };
    draft.run_again(&task.task_id);
    Some(Answer { strategy: ReplanStrategy::FixDependencies, changes })
}

/// The dependencies that the errors name, and those that will never succeed, in the task's order.
fn blocking(draft: &Draft<'_>, task: &SubTask, failure: &Failure<'_>) -> Vec<TaskId> {
    let named: BTreeSet<&str> =
        failure.feedback.errors.iter().filter_map(|error| named_dependency(error)).collect();
    let lost = |id: &TaskId| {
        let status = draft.original(id).map(|dependency| dependency.status);
        status.is_none_or(|status| matches!(status, TaskStatus::Failed | TaskStatus::Skipped))
    };
    let blocks = |id: &&TaskId| {
        !draft.will_run_again(id)
            && (draft.successor(id).is_some() || named.contains(id.as_str()) || lost(id))
    };
    task.dependencies.iter().filter(blocks).cloned().collect()
}

/// The id in `Dependency {id} failed`.
fn named_dependency(error: &str) -> Option<&str> {
    let (_, rest) = error.split_once("Dependency ")?;
    rest.split_once(" failed").map(|(id, _)| id.trim())
}

/// Points one dependency elsewhere or drops it, and says so.
fn free(draft: &Draft<'_>, stand_ins: &StandIns<'_>, task: &mut SubTask, blocking: &TaskId) -> String {
    let place = task.dependencies.iter().position(|id| id == blocking);
    let stand_in = draft.successor(blocking).or_else(|| stand_ins.find(draft, blocking)).cloned();
    task.dependencies.retain(|id| id != blocking);
    match stand_in {
        Some(new) => {
            let change =
                format!("Point task {} to {new} instead of its failed dependency {blocking}", task.task_id);
            if !task.dependencies.contains(&new) {
                task.dependencies.insert(place.unwrap_or(0).min(task.dependencies.len()), new);
            }
            change
        }
        None => format!(
            "Remove the failed dependency {blocking} from task {}: it will have to do without {}",
            task.task_id,
            outputs(draft, blocking)
        ),
    }
}

/// What will be missing without this task.
fn outputs(draft: &Draft<'_>, id: &TaskId) -> String {
    match draft.original(id) {
        Some(task) if !task.expected_outputs.is_empty() => task.expected_outputs.join(", "),
        _ => format!("the result of {id}"),
    }
}

/// The tasks that were made in the place of others and that the blocked task can wait for.
struct StandIns<'a>(Vec<&'a SubTask>);

impl<'a> StandIns<'a> {
    fn of(draft: &'a Draft<'_>, blocked: &SubTask) -> Self {
        let tasks: Vec<&SubTask> = draft.tasks().collect();
        if !tasks.iter().any(|task| can_stand_in(task)) {
            return Self(Vec::new());
        }
        let snapshot = draft.snapshot();
        let seeds = BTreeSet::from([blocked.task_id.clone()]);
        let waiting = affected(&snapshot, &seeds);
        let free = tasks.into_iter().enumerate().filter(|(position, _)| !waiting.contains(position));
        Self(
            free.map(|(_, task)| task)
                .filter(|task| can_stand_in(task) && task.task_id != blocked.task_id)
                .collect(),
        )
    }

    /// The last one made for `id`: those that waited for a decomposed task wait for its last part.
    fn find(&self, draft: &Draft<'_>, id: &TaskId) -> Option<&'a TaskId> {
        let stem = draft.original(id).map_or_else(|| id.clone(), lineage::stem);
        self.0.iter().rev().find(|task| lineage::stands_in_for(task, id, &stem)).map(|task| &task.task_id)
    }
}

fn can_stand_in(task: &SubTask) -> bool {
    task.metadata.original_task_id.is_some()
        && !matches!(task.status, TaskStatus::Failed | TaskStatus::Skipped)
}
