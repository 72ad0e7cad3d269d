//! Results that fail their own criterion: those tasks, and the tasks that used their results, are done again.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{CritiqueVerdict, EventBody, ExecutionFeedback, Phase, TaskId};
use candor_planning::critique::{self, Unanswered};
use candor_planning::graph::TaskIndex;
use candor_planning::{gates, risk};

use super::draft::{Decision, Draft};
use super::phases::Done;
use super::{choices, phases, schedule};
use crate::state::{RunState, TaskState};

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
    if failed.iter().any(|(task, why)| tries(task) >= most || is_the_same_again(draft.state, task, why)) {
        choices::put(draft, gates::validation(&failed, most));
        phases::complete(draft, done);
        return choices::by_default(draft);
    }
    reopen(draft, failed);
}

/// Whether a task that knew why its result was refused has put out the same again, with the same fault: it would do so
/// once more.
fn is_the_same_again(state: &RunState, task: &TaskId, why: &str) -> bool {
    let Some(refused) = state.findings().validation.refused.get(task) else { return false };
    let now = state.work().and_then(|work| work.find(task)).map(|(_, _, run)| &run.state);
    let same = |result: &ExecutionFeedback| result.actual_outputs == refused.result.actual_outputs;
    refused.reason == why && matches!(now, Some(TaskState::Succeeded(result)) if same(result))
}

/// The results of the work that do not answer their tasks, by rules.
pub(super) fn unanswered(state: &RunState) -> Vec<Unanswered> {
    let tasks = state.work().into_iter().flat_map(|work| work.tasks());
    let done = tasks.filter_map(|(task, run)| match &run.state {
        TaskState::Succeeded(result) => Some((task, result.as_ref())),
        _ => None,
    });
    let files = state.files().values().filter_map(|file| file.text.as_deref().ok());
    let known: String = files.collect::<Vec<_>>().join(" ");
    critique::unanswered(state.request(), &known, &done.collect::<Vec<_>>())
}

/// Those that may be done again: not the same again, not above the limit, and nothing that changes the world twice.
pub(super) fn can_be_redone(draft: &mut Draft<'_>, unanswered: Vec<Unanswered>) -> Vec<(TaskId, String)> {
    let ahead = draft.projected();
    let most = ahead.settings().phase_limits().max_reworks;
    let Some(work) = ahead.work() else { return Vec::new() };
    let is_harmless = |task: &TaskId| {
        let found = work.find(task).filter(|_| ahead.ledger().iter().all(|entry| entry.task_id != *task));
        found.is_some_and(|(_, task, _)| {
            let declared = work.agents.get(&task.agent_type).and_then(|agent| agent.effects.as_deref());
            risk::of_task(task, declared).is_empty()
        })
    };
    let tries = |task: &TaskId| ahead.findings().validation.reworks.get(task).copied().unwrap_or(0);
    let found = unanswered.into_iter().filter(|it| is_harmless(&it.task_id) && tries(&it.task_id) < most);
    found
        .filter(|it| !is_the_same_again(ahead, &it.task_id, &it.why))
        .map(|it| (it.task_id, it.why))
        .collect()
}

pub(super) fn reopen(draft: &mut Draft<'_>, failed: Vec<(TaskId, String)>) {
    phases::begin(draft, [Phase::Execution].into());
    let mut dependants = dependants(draft, &failed);
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
        let dependants = dependants.remove(&task_id).unwrap_or_default();
        draft.emit(EventBody::TaskReopened { task_id, reason, dependants });
    }
    schedule::after_change(draft);
}

/// The tasks that have used a result that does not hold, directly or not, by the task that gave it; each once.
fn dependants(draft: &Draft<'_>, failed: &[(TaskId, String)]) -> BTreeMap<TaskId, Vec<TaskId>> {
    let mut all: BTreeMap<TaskId, Vec<TaskId>> = BTreeMap::new();
    let Some(work) = draft.state.work() else { return all };
    let at = |task: &TaskId| work.find(task).map(|(index, ..)| index);
    let mut seen: BTreeSet<TaskIndex> = failed.iter().filter_map(|(task, _)| at(task)).collect();
    for (cause, _) in failed {
        for below in work.shape.graph.affected_by(at(cause).as_slice()) {
            let used = work.task(below).filter(|(_, run)| matches!(run.state, TaskState::Succeeded(_)));
            if let Some((task, _)) = used.filter(|_| seen.insert(below)) {
                all.entry(cause.clone()).or_default().push(task.task_id.clone());
            }
        }
    }
    all
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
