//! Time has passed: deadlines end attempts, waits end, planning that takes too long is cancelled; and a new
//! driver starts the clocks anew.

use std::sync::Arc;

use candor_model::{ConfidenceCause, EventBody, ExecutionFeedback, Failure, Phase, PlanningError, TaskId};

use super::draft::Draft;
use super::{
    breakers, choices, consult, control, discussion, ending, failure, outcome, phases, proposal, schedule,
    talk,
};
use crate::state::{Attempt, Owed, Stage, first_phases};

pub(super) fn tick(draft: &mut Draft<'_>) {
    let Some(at) = draft.state.next_timeout().filter(|at| *at <= draft.now) else { return };
    match draft.state.stage() {
        Stage::Preparing { .. } if draft.state.talk().is_some() => {
            let limit = draft.state.settings().planning_timeout;
            discussion::reply(draft, format!("That took longer than {limit} s, and was given up"));
        }
        Stage::Preparing { .. } => {
            let limit = draft.state.settings().planning_timeout;
            ending::abort(draft, PlanningError::PlanningTimeout { limit });
        }
        Stage::Executing if breakers::try_again(draft) => schedule::after_change(draft),
        Stage::Executing => match overdue(draft) {
            Some((task_id, attempt)) => time_out(draft, &task_id, attempt),
            None => schedule::repetition_due(draft, at),
        },
        _ => {}
    }
}

/// The time in which nobody drove the run is nobody's failure: attempts under way get a new deadline.
pub(super) fn taken_up(draft: &mut Draft<'_>) {
    let attempts = draft.state.work().into_iter().flat_map(|work| work.attempts());
    let under_way = attempts.filter(|(_, attempt)| attempt.is_at_work());
    let under_way: Vec<_> =
        under_way.map(|(task, attempt)| (task.task_id.clone(), attempt.clone())).collect();
    for (task_id, Attempt { number: attempt, agent_type, .. }) in under_way {
        let deadline = draft.now.plus(draft.state.time_for(&agent_type));
        draft.emit(EventBody::TaskTakenUp { task_id, attempt, deadline });
    }
    consult::taken_up(draft);
    talk::taken_up(draft);
    settle(draft);
    go_on(draft);
}

/// What a log that was cut short owes is paid and done.
fn settle(draft: &mut Draft<'_>) {
    if let Some(bill) = draft.state.bill() {
        outcome::spent(draft, bill.account, bill.payee.clone(), bill.amount);
    }
    match draft.state.owed() {
        Some(Owed::Chosen { request, choice }) => {
            // What cannot be done any more is not done; the run goes on as it stands.
            let _ = choices::act(draft, request, choice);
        }
        Some(Owed::Revised { after }) => {
            if let Some(before) = draft.state.confidence() {
                let (after, cause) = (*after, ConfidenceCause::Revised);
                draft.emit(EventBody::ConfidenceChanged { before, after, cause });
            }
            failure::ask_about_revision(draft);
        }
        None => {}
    }
}

/// Goes on where nothing is under way and nobody is asked: whoever wrote the log last may have been cut short.
fn go_on(draft: &mut Draft<'_>) {
    choices::by_default(draft);
    let ahead = draft.projected();
    if ahead.is_held() {
        return;
    }
    match ahead.stage() {
        Stage::Proposed => propose_again(draft),
        Stage::Executing => {
            failure::answer_left_over(draft);
            proposal::ask_if_unapproved(draft);
            choices::go_on(draft);
        }
        Stage::Preparing { open, .. } if !open.is_empty() => {
            // Of the two that begin side by side, one may have been cut off.
            let missing = &first_phases() - &(open | ahead.completed_phases());
            phases::begin(draft, missing);
        }
        Stage::Stopping { .. } => control::go_on_when_stopped(draft),
        Stage::New | Stage::Guarding { .. } | Stage::Ended(_) => {}
        _ => choices::go_on(draft),
    }
}

/// A plan that nobody was asked about is made once more, because how sure it is may not be on the log; one that
/// was approved is begun; about any other it is asked again.
fn propose_again(draft: &mut Draft<'_>) {
    let ahead = draft.projected();
    let dialogue = &ahead.findings().dialogue;
    let approved = ahead.work().is_some_and(|work| dialogue.approved == Some(work.version));
    if approved {
        proposal::begin_execution(draft);
    } else if dialogue.wish.is_some() || (!dialogue.put && dialogue.reply.is_none()) {
        phases::begin(draft, [Phase::Planning].into());
    } else {
        proposal::enter_execution(draft);
    }
}

/// The attempt whose deadline passed first. One at a time: each failure may change the plan for the next,
/// and the effect *wait until* stays due until all are dealt with.
fn overdue(draft: &Draft<'_>) -> Option<(TaskId, u32)> {
    let attempts = draft.state.work()?.attempts().filter(|(_, attempt)| attempt.is_at_work());
    let overdue = attempts.filter(|(_, attempt)| attempt.deadline <= draft.now);
    let (task, attempt) = overdue.min_by_key(|(_, attempt)| attempt.deadline)?;
    Some((task.task_id.clone(), attempt.number))
}

fn time_out(draft: &mut Draft<'_>, task_id: &TaskId, attempt: u32) {
    let Ok(running) = outcome::running(draft, task_id, attempt) else {
        return;
    };
    let allowed = running.attempt.deadline.since(running.attempt.started_at);
    let failure = Failure::timed_out(allowed);
    let feedback = ExecutionFeedback::failed(task_id.clone(), failure, allowed, draft.now);
    failure::failed(draft, &running, &Arc::new(feedback));
}
