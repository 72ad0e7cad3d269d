//! What comes back from agents, and what was spent.

use std::sync::Arc;

use candor_model::{
    Account, Announcement, EventBody, ExecutionFeedback, Failure, FailureKind, FeedbackType, Money,
    Notification, PartialResult, Payee, PlanningError, Severity, StopReason, SubTask, TaskId,
};
use candor_planning::graph::TaskIndex;
use candor_planning::{feedback as judging, report, texts};

use super::draft::Draft;
use super::schedule::{Finish, Freed};
use super::{control, ending, failure, notes, schedule};
use crate::Refusal;
use crate::state::{Attempt, Stage, Work};

/// An attempt that is under way, with what is needed to end it.
pub(super) struct Running<'a> {
    pub(super) index: TaskIndex,
    pub(super) task: &'a SubTask,
    pub(super) attempt: &'a Attempt,
    pub(super) work: &'a Work,
}

/// Finds an attempt that is under way.
pub(super) fn running<'a>(draft: &Draft<'a>, task_id: &TaskId, number: u32) -> Result<Running<'a>, Refusal> {
    let unknown = || Refusal::UnknownTask { task_id: task_id.clone() };
    let work = draft.state.work().ok_or_else(unknown)?;
    let (index, task, run) = work.find(task_id).ok_or_else(unknown)?;
    let attempt = run.in_flight().filter(|attempt| attempt.number == number);
    let attempt =
        attempt.ok_or_else(|| Refusal::StaleOutcome { task_id: task_id.clone(), attempt: number })?;
    Ok(Running { index, task, attempt, work })
}

pub(super) fn reported(
    draft: &mut Draft<'_>,
    task_id: &TaskId,
    number: u32,
    feedback: ExecutionFeedback,
) -> Result<(), Refusal> {
    let running = running(draft, task_id, number)?;
    if feedback.task_id != *task_id {
        return Err(Refusal::WrongTask { task_id: task_id.clone(), answered: feedback.task_id });
    }
    let mut judged = judging::judge(feedback, draft.state.goal());
    // What was charged while it worked is part of what it cost, whatever it says itself.
    judged.feedback.cost = judged.feedback.cost.max(running.attempt.charged);
    let ExecutionFeedback { feedback_type, errors, failure, .. } = &mut judged.feedback;
    // Whoever says nothing of a kind has failed at the task as its feedback says; its words are not searched.
    *failure = failure.take().or_else(|| Failure::of_feedback(*feedback_type, errors));
    for warning in judged.warnings {
        warn(draft, task_id, warning);
    }
    let feedback = Arc::new(judged.feedback);
    if running.attempt.halt == Some(StopReason::Superseded) {
        charge(draft, &running, feedback.cost);
        end_superseded(draft, &running);
    } else if feedback.feedback_type.is_success() {
        succeeded(draft, &running, &feedback);
    } else {
        failure::failed(draft, &running, &feedback);
    }
    Ok(())
}

pub(super) fn stopped(draft: &mut Draft<'_>, task_id: &TaskId, number: u32) -> Result<(), Refusal> {
    let running = running(draft, task_id, number)?;
    match running.attempt.halt {
        None => Err(Refusal::NotStopping { task_id: task_id.clone(), attempt: number }),
        Some(StopReason::Replan) => {
            let failure = Failure::new(FailureKind::Cancelled, "a person wants another approach").permanent();
            let took = draft.now.since(running.attempt.started_at);
            let feedback = ExecutionFeedback::failed(task_id.clone(), failure, took, draft.now);
            failure::failed(draft, &running, &Arc::new(feedback));
            Ok(())
        }
        Some(_) => {
            end_superseded(draft, &running);
            Ok(())
        }
    }
}

/// An attempt could not be begun for want of this machine's resources. That is no failure of anybody: it is made
/// later, and no more run at once than do now.
pub(super) fn not_started(
    draft: &mut Draft<'_>,
    task_id: &TaskId,
    number: u32,
    reason: &str,
) -> Result<(), Refusal> {
    let running = running(draft, task_id, number)?;
    if running.attempt.halt.is_some() {
        end_superseded(draft, &running);
        return Ok(());
    }
    if draft.state.room_at_once().is_none() {
        draft.notify(Notification::Announcement(texts::out_of_resources(reason, draft.now)));
    }
    let (task_id, reason) = (task_id.clone(), StopReason::NoResources);
    draft.emit(EventBody::TaskStopped { task_id, attempt: number, reason });
    go_on(draft);
    Ok(())
}

/// Money that was spent outside an attempt.
pub(super) fn spent(draft: &mut Draft<'_>, account: Account, payee: Payee, amount: Money) {
    charged(draft, account, payee, amount);
    let settings = draft.state.settings();
    let planning = draft.state.planning_spent() + amount;
    match draft.state.stage() {
        Stage::Stopping { .. } | Stage::Ended(_) => {}
        Stage::Preparing { .. } if account == Account::Planning && planning > settings.planning_budget => {
            let budget = settings.planning_budget;
            draft.emit(EventBody::BudgetExceeded { account, spent: planning, budget });
            let goal = draft.state.goal().cloned().map(Box::new);
            let partial = PartialResult { goal, plan: None };
            ending::abort(draft, PlanningError::PlanningBudgetExceeded { spent: planning, budget, partial });
        }
        _ => stop_if_overdrawn(draft),
    }
}

/// The attempt is over and its result does not count: the plan has changed under it, or the run ends.
fn end_superseded(draft: &mut Draft<'_>, running: &Running<'_>) {
    draft.emit(EventBody::TaskStopped {
        task_id: running.task.task_id.clone(),
        attempt: running.attempt.number,
        reason: running.attempt.halt.unwrap_or(StopReason::RunStopping),
    });
    notes::withdraw(draft, running.attempt.waits_for.as_ref());
    go_on(draft);
}

/// Goes on from whatever stage the run is in, after the state has changed.
pub(super) fn go_on(draft: &mut Draft<'_>) {
    match draft.state.stage() {
        Stage::Stopping { .. } => control::go_on_when_stopped(draft),
        _ => schedule::after_change(draft),
    }
}

fn succeeded(draft: &mut Draft<'_>, running: &Running<'_>, feedback: &Arc<ExecutionFeedback>) {
    let Running { index, task, attempt, work } = *running;
    draft.emit(EventBody::TaskSucceeded {
        task_id: task.task_id.clone(),
        attempt: attempt.number,
        feedback: Arc::clone(feedback),
    });
    charge(draft, running, feedback.cost);
    if feedback.feedback_type == FeedbackType::PartialSuccess {
        draft.notify(Notification::Announcement(texts::partial_success_announcement(task, feedback)));
    }
    progress(draft, running, true);
    let mut money = *draft.state.money();
    money.release(attempt.reserved);
    money.charge(running.attempt.unpaid(feedback.cost));
    let (done, _) = work.counts();
    let stopping = matches!(draft.state.stage(), Stage::Stopping { .. });
    let released: Vec<_> = work.released_by(index).filter_map(|released| work.ready_key(released)).collect();
    let alone = work.in_flight_count() == 1 && released.is_empty() && work.ready().next().is_none();
    if money.is_overdrawn() && !stopping {
        stop_if_overdrawn(draft);
    } else if done + 1 == work.len() && *draft.state.stage() == Stage::Executing {
        schedule::execution_done(draft, Finish::with(work, &task.task_id, feedback.feedback_type));
    } else if stopping || alone {
        // These few look at the state after the outcome; all others get by with the one before.
        go_on(draft);
    } else {
        let ended = Some(running.attempt.agent_type.clone());
        schedule::after_outcome(draft, Freed { slots: 1, released, money, ended });
    }
}

fn stop_if_overdrawn(draft: &mut Draft<'_>) {
    let money = *draft.projected().money();
    if money.is_overdrawn() {
        schedule::over_budget(draft, money, Money::ZERO);
    }
}

/// Puts the cost of an attempt on the log.
pub(super) fn charge(draft: &mut Draft<'_>, running: &Running<'_>, amount: Money) {
    let amount = running.attempt.unpaid(amount);
    if amount == Money::ZERO {
        return;
    }
    let (task_id, agent_type) = (running.task.task_id.clone(), running.attempt.agent_type.clone());
    charged(draft, Account::Execution, Payee::Attempt { task_id, agent_type }, amount);
}

fn charged(draft: &mut Draft<'_>, account: Account, payee: Payee, amount: Money) {
    let total = draft.state.spent() + amount;
    let (what, payee) = (payee.to_string(), Some(Box::new(payee)));
    draft.emit(EventBody::Charged { account, what, amount, total, payee });
}

/// Tells how far the run has come. Only a success is progress; a task that failed is still to be done.
pub(super) fn progress(draft: &mut Draft<'_>, running: &Running<'_>, success: bool) {
    let succeeded = running.work.succeeded() + usize::from(success);
    let remaining = running.work.remaining_after(success.then_some(running.index));
    let reached = draft.state.progress();
    let update = report::progress(running.task, success, succeeded, running.work.len(), reached, remaining);
    draft.emit(EventBody::Progressed { update });
}

fn warn(draft: &mut Draft<'_>, task_id: &TaskId, text: String) {
    draft.notify(Notification::Announcement(Announcement {
        severity: Severity::Warning,
        timestamp: draft.now,
        task_id: Some(task_id.clone()),
        title: "An agent's answer does not add up".to_owned(),
        text,
        suggestion: None,
    }));
}
