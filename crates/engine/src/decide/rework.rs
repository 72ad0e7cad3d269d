//! Results that fail their own criterion: those tasks, and the tasks that used their results, are done again.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{CritiqueVerdict, EventBody, Phase, TaskId};
use candor_planning::gates;
use candor_planning::graph::TaskIndex;

use super::draft::{Decision, Draft};
use super::phases::Done;
use super::{choices, phases, schedule};
use crate::state::TaskState;

/// Those of the tasks that have a result; the others were left out or replaced since.
pub(super) fn still_standing(draft: &Draft<'_>, failed: Vec<(TaskId, String)>) -> Vec<(TaskId, String)> {
    let stands = |task: &TaskId| {
        let found = draft.state.work().and_then(|work| work.find(task));
        found.is_some_and(|(_, _, run)| matches!(run.state, TaskState::Succeeded(_)))
    };
    failed.into_iter().filter(|(task, _)| stands(task)).collect()
}

/// Has the tasks done again, or asks a person when that was tried often enough.
pub(super) fn rework(draft: &mut Draft<'_>, done: Done, failed: Vec<(TaskId, String)>) {
    let notes = failed.iter().map(|(task, why)| format!("{task}: {why}")).collect();
    let (phase, verdict) = (Phase::Validation, CritiqueVerdict::Refine);
    draft.emit(EventBody::Critiqued { phase, verdict, notes, checks: None });
    let most = draft.state.settings().phase_limits().max_reworks;
    let tries = |task: &TaskId| draft.state.findings().validation.reworks.get(task).copied().unwrap_or(0);
    if failed.iter().any(|(task, _)| tries(task) >= most) {
        choices::put(draft, gates::validation(&failed, most));
        phases::complete(draft, done);
        return choices::by_default(draft);
    }
    reopen(draft, failed);
}

fn reopen(draft: &mut Draft<'_>, failed: Vec<(TaskId, String)>) {
    phases::begin(draft, [Phase::Execution].into());
    let dependants = dependants(draft, &failed);
    for (task_id, reason) in failed {
        draft.record(Decision {
            operation: "rework_task",
            task_id: Some(&task_id),
            input: reason.clone(),
            decision: "do it again".to_owned(),
            reasoning: "its result fails its own criterion; only what used that result is done again too"
                .to_owned(),
            confidence: None,
        });
        draft.emit(EventBody::TaskReopened { task_id, reason, because_of: None });
    }
    for (task_id, cause) in dependants {
        let reason = format!("{cause}, whose result it used, is done again");
        draft.emit(EventBody::TaskReopened { task_id, reason, because_of: Some(cause) });
    }
    schedule::after_change(draft);
}

/// The tasks that have used a result that does not hold, directly or not, each with the task that gave it.
fn dependants(draft: &Draft<'_>, failed: &[(TaskId, String)]) -> Vec<(TaskId, TaskId)> {
    let Some(work) = draft.state.work() else { return Vec::new() };
    let at = |task: &TaskId| work.find(task).map(|(index, ..)| index);
    let mut cause: BTreeMap<TaskIndex, &TaskId> = BTreeMap::new();
    for (task, _) in failed {
        for below in work.shape.graph.affected_by(at(task).as_slice()) {
            cause.entry(below).or_insert(task);
        }
    }
    let own: BTreeSet<TaskIndex> = failed.iter().filter_map(|(task, _)| at(task)).collect();
    let used = cause.into_iter().filter(|(index, _)| !own.contains(index));
    used.filter_map(|(index, cause)| {
        let (task, run) = work.task(index)?;
        matches!(run.state, TaskState::Succeeded(_)).then(|| (task.task_id.clone(), cause.clone()))
    })
    .collect()
}

/// A person wants the tasks done once more.
pub(super) fn once_more(draft: &mut Draft<'_>, tasks: &[String]) {
    let failed = tasks.iter().filter_map(|task| TaskId::new(task.as_str()).ok());
    let failed = failed.map(|task| (task, "a person wants it done once more".to_owned())).collect();
    let failed = still_standing(draft, failed);
    reopen(draft, failed);
}

/// A person takes the results as they are.
pub(super) fn accept(draft: &mut Draft<'_>) {
    phases::begin(draft, [Phase::Consolidation].into());
}
