//! Results that fail their own criterion: those tasks, and no others, are done again.

use candor_model::{CritiqueVerdict, EventBody, Phase, TaskId};
use candor_planning::gates;

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
    for (task_id, reason) in failed {
        draft.record(Decision {
            operation: "rework_task",
            task_id: Some(&task_id),
            input: reason.clone(),
            decision: "do it again".to_owned(),
            reasoning: "its result fails its own criterion; nothing else is done again".to_owned(),
            confidence: None,
        });
        draft.emit(EventBody::TaskReopened { task_id, reason });
    }
    schedule::after_change(draft);
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
