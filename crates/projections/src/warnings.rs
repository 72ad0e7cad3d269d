//! What agents reported beside a success: no failure, and nothing to keep from people.

use candor_engine::RunState;
use candor_model::{IdMap, TaskId};
use candor_planning::texts;
use schemars::JsonSchema;
use serde::Serialize;

/// A problem that an agent reported with a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Warning {
    /// Task that warned although it succeeded.
    pub task_id: TaskId,
    /// Its name for people.
    pub name: String,
    /// What the agent reported.
    pub warning: String,
}

/// The warnings of the results that stand, in the order of the plan.
#[must_use]
pub fn of(state: &RunState) -> Vec<Warning> {
    let good = state.feedback().iter().filter(|feedback| feedback.feedback_type.is_success());
    let latest: IdMap<&TaskId, _> = good.map(|feedback| (&feedback.task_id, feedback)).collect();
    let plan = state.plan();
    let tasks = plan.iter().flat_map(|plan| &plan.subtasks);
    let told = tasks.filter_map(|task| Some((task, latest.get(&&task.task_id)?)));
    told.flat_map(|(task, feedback)| {
        feedback.errors.iter().map(|error| Warning {
            task_id: task.task_id.clone(),
            name: texts::task_name(task),
            warning: texts::plain(error),
        })
    })
    .collect()
}
