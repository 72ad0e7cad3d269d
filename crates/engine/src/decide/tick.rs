//! Time has passed: deadlines end attempts, waits end, planning that takes too long is cancelled; and a new
//! driver starts the clocks anew.

use std::sync::Arc;

use candor_model::{EventBody, ExecutionFeedback, PlanningError, TaskId};

use super::draft::Draft;
use super::{breakers, consult, ending, failure, outcome, schedule};
use crate::state::Stage;

pub(super) fn tick(draft: &mut Draft<'_>) {
    if draft.state.next_timeout().is_none_or(|at| at > draft.now) {
        return;
    }
    match draft.state.stage() {
        Stage::Preparing { .. } => {
            let limit = draft.state.settings().planning_timeout;
            ending::abort(draft, PlanningError::PlanningTimeout { limit });
        }
        Stage::Executing if breakers::try_again(draft) => schedule::after_change(draft),
        Stage::Executing => match overdue(draft) {
            Some((task_id, attempt)) => time_out(draft, &task_id, attempt),
            None => schedule::after_change(draft),
        },
        _ => {}
    }
}

/// The time in which nobody drove the run is nobody's failure: attempts under way get a new deadline.
pub(super) fn taken_up(draft: &mut Draft<'_>) {
    let deadline = draft.now.plus(draft.state.settings().agent_timeout);
    let attempts = draft.state.work().into_iter().flat_map(|work| work.attempts());
    let under_way = attempts.filter(|(_, attempt)| attempt.halt.is_none());
    let under_way: Vec<_> = under_way.map(|(task, attempt)| (task.task_id.clone(), attempt.number)).collect();
    for (task_id, attempt) in under_way {
        draft.say(EventBody::TaskTakenUp { task_id, attempt, deadline });
    }
    consult::taken_up(draft);
}

/// The attempt whose deadline passed first. One at a time: each failure may change the plan for the next,
/// and the effect *wait until* stays due until all are dealt with.
fn overdue(draft: &Draft<'_>) -> Option<(TaskId, u32)> {
    let attempts = draft.state.work()?.attempts().filter(|(_, attempt)| attempt.halt.is_none());
    let overdue = attempts.filter(|(_, attempt)| attempt.deadline <= draft.now);
    let (task, attempt) = overdue.min_by_key(|(_, attempt)| attempt.deadline)?;
    Some((task.task_id.clone(), attempt.number))
}

fn time_out(draft: &mut Draft<'_>, task_id: &TaskId, attempt: u32) {
    let Ok(running) = outcome::running(draft, task_id, attempt) else {
        return;
    };
    let allowed = running.attempt.deadline.since(running.attempt.started_at);
    let error = format!("Agent timeout after {allowed}s");
    let feedback = ExecutionFeedback::failure(task_id.clone(), error, allowed, draft.now);
    failure::failed(draft, &running, &Arc::new(feedback));
}
