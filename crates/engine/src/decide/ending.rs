//! How a run ends: completed, failed or aborted, never in silence.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_model::{
    AfterStop, AgentType, Assessment, ConfidenceCause, EventBody, ExecutionFeedback, ExecutionStatus,
    Failure, FailureKind, Notification, OutcomeRecord, PlanOutcome, PlanningError, RoutedExample, Seconds,
    SubTask, TaskId, TaskStatus, Timestamp, Verdict,
};
use candor_planning::graph::TaskIndex;
use candor_planning::texts::{self, Response};
use candor_planning::{assessment, confidence, known_request, limits, report, routing};

use super::draft::{Decision, Draft};
use super::{control, talk};
use crate::RunState;
use crate::state::TaskState;

/// How many tasks of one agent a run teaches, and how much of each.
const EXAMPLES_PER_AGENT: usize = 3;
const EXAMPLE_CHARS: usize = 400;

/// Every phase is done: the run has reached its goal, or validation has found that it has not.
pub(super) fn finished(draft: &mut Draft<'_>) {
    let unmet = unmet(draft.projected());
    if !unmet.is_empty() {
        return failed(draft, PlanningError::CriteriaUnmet { unmet });
    }
    let skipped = tasks_with(draft.projected(), TaskStatus::Skipped);
    let success = skipped.is_empty();
    record_outcome(draft, if success { ExecutionStatus::Success } else { ExecutionStatus::Partial });
    draft.emit(EventBody::RunCompleted { skipped });
}

/// What validation found not to hold, unless a person took the results as they are.
fn unmet(state: &RunState) -> Vec<String> {
    let found = &state.findings().validation;
    let judged = found.assessment.iter().filter(|_| !found.accepted).flat_map(assessment::unmet);
    let mut unmet = found.unmet.clone();
    for line in judged {
        if !unmet.contains(&line) {
            unmet.push(line);
        }
    }
    unmet
}

/// How the run is judged. One that did not come to its end in order has not met its goal.
fn assessed(state: &RunState, status: ExecutionStatus) -> Assessment {
    let found = &state.findings().validation;
    let tasks = state.work().into_iter().flat_map(|work| work.tasks());
    let left_out = tasks.filter(|(_, run)| run.status() == TaskStatus::Skipped).map(|(task, _)| task);
    let mut assessment = assessment::with_left_out(found.assessment.clone(), left_out);
    assessment.accepted = found.accepted;
    if !matches!(status, ExecutionStatus::Success | ExecutionStatus::Partial) {
        assessment.verdict = Verdict::NotMet;
    }
    assessment
}

/// The run cannot reach its goal. No attempt is under way.
pub(super) fn failed(draft: &mut Draft<'_>, error: PlanningError) {
    let suggestion = suggestion(draft, &error);
    announce(draft, &error, &suggestion);
    record_outcome(draft, ExecutionStatus::Failure);
    let failed_tasks = tasks_with(draft.projected(), TaskStatus::Failed);
    draft.emit(EventBody::RunFailed { error: Box::new(error), failed_tasks });
}

/// A limit or a person ends the run: says why and what can be done, stops what runs, then ends.
pub(super) fn abort(draft: &mut Draft<'_>, error: PlanningError) {
    let suggestion = suggestion(draft, &error);
    announce(draft, &error, &suggestion);
    draft.record(Decision {
        operation: "abort",
        task_id: None,
        input: error.kind().to_string(),
        decision: "end the run".to_owned(),
        reasoning: error.to_string(),
        confidence: None,
    });
    let then = Box::new(AfterStop::Abort { error, suggestion });
    talk::close_all(draft, "the run is being stopped");
    draft.emit(EventBody::StopRequested { then });
    control::go_on_when_stopped(draft);
}

/// Everything has stopped: the tasks that can no longer run are told, and the run ends.
pub(super) fn aborted(draft: &mut Draft<'_>, error: PlanningError, suggestion: String) {
    for (blocked, feedback) in blocked_tasks(draft) {
        never_started(draft, &blocked, &feedback, &Response::GiveUp);
    }
    record_outcome(draft, ExecutionStatus::Aborted);
    let failed_tasks = tasks_with(draft.projected(), TaskStatus::Failed);
    draft.emit(EventBody::RunAborted { error: Box::new(error), suggestion, failed_tasks });
}

/// Records, and tells, that a task could not even start.
pub(super) fn never_started(
    draft: &mut Draft<'_>,
    task: &SubTask,
    feedback: &ExecutionFeedback,
    response: &Response<'_>,
) {
    draft.emit(EventBody::TaskFailed {
        task_id: task.task_id.clone(),
        attempt: 0,
        agent_type: task.agent_type.clone(),
        dependencies: task.dependencies.clone(),
        failure_count: task.metadata.failure_count,
        feedback: Arc::new(feedback.clone()),
    });
    draft.notify(Notification::Failure(texts::failure_notification(task, feedback, response)));
}

/// What can be done: what the agent said itself whose failure ends the run, if it said anything.
fn suggestion(draft: &mut Draft<'_>, error: &PlanningError) -> String {
    let ahead = draft.projected();
    let given_up = ahead.work().and_then(|work| work.given_up()).filter(|(_, reason)| *reason == error);
    let task_id = given_up.map(|(task, _)| task.task_id.clone());
    let mut reports = ahead.feedback().iter().rev();
    let failed = task_id.and_then(|id| reports.find(|feedback| feedback.task_id == id));
    let own = failed.and_then(|feedback| feedback.suggested_adjustments.as_deref());
    match own.map(str::trim).filter(|own| !own.is_empty()) {
        Some(own) => texts::agents_suggestion(own),
        None => {
            limits::suggestion(error, draft.state.goal(), draft.state.run_id())
                + &spent_on(draft.projected(), error)
        }
    }
}

/// What the money went to, where money is what the run ends for.
fn spent_on(state: &RunState, error: &PlanningError) -> String {
    let bills = state.bills();
    if !matches!(error, PlanningError::PlanningBudgetExceeded { .. }) || bills.is_empty() {
        return String::new();
    }
    let bills: Vec<String> = bills.iter().map(|(payee, amount)| format!("{payee} ${amount:.4}")).collect();
    format!("\nSpent on: {}", bills.join(", "))
}

fn announce(draft: &mut Draft<'_>, error: &PlanningError, suggestion: &str) {
    let announcement = texts::abort_announcement(error, suggestion, draft.now);
    draft.notify(Notification::Announcement(announcement));
}

/// The tasks that wait, directly or not, for one that has failed.
fn blocked_tasks(draft: &mut Draft<'_>) -> Vec<(SubTask, ExecutionFeedback)> {
    let now = draft.now;
    let Some(work) = draft.projected().work() else {
        return Vec::new();
    };
    let all = (0..u32::try_from(work.len()).unwrap_or(u32::MAX)).map(TaskIndex);
    let state_of = |index| work.task(index).map(|(_, run)| &run.state);
    let failed: Vec<_> = all
        .filter(|&index| {
            matches!(
                state_of(index),
                Some(
                    TaskState::Failed
                        | TaskState::Revising { .. }
                        | TaskState::Escalated(_)
                        | TaskState::GivenUp(_)
                )
            )
        })
        .collect();
    let affected: BTreeSet<_> = work.shape.graph.affected_by(&failed).into_iter().collect();
    let waiting = affected.iter().filter(|&&index| matches!(state_of(index), Some(TaskState::Waiting)));
    waiting
        .filter_map(|&index| {
            let (task, _) = work.task(index)?;
            let cause = work.shape.graph.dependencies(index).iter().find(|dep| affected.contains(dep))?;
            let feedback = blocked(&task.task_id, &work.task(*cause)?.0.task_id, now);
            Some((task.clone(), feedback))
        })
        .collect()
}

/// What is told of a task that cannot start because the task `cause`, which it needs, has failed.
pub(super) fn blocked(task_id: &TaskId, cause: &TaskId, now: Timestamp) -> ExecutionFeedback {
    let failure = Failure::new(FailureKind::DependencyFailed, format!("Dependency {cause} failed"));
    ExecutionFeedback::failed(task_id.clone(), failure, Seconds::ZERO, now)
}

/// Settles confidence and keeps what the run teaches, if its plan was ever launched.
fn record_outcome(draft: &mut Draft<'_>, status: ExecutionStatus) {
    let ahead = draft.projected();
    let Some(work) = ahead.work() else { return };
    let Some(launch) = work.launch_confidence else {
        return;
    };
    let (before, unpaid) = (work.confidence, u32::try_from(work.unpaid_failures.len()).unwrap_or(u32::MAX));
    if status == ExecutionStatus::Aborted {
        let after = confidence::after_failures(before, unpaid);
        if after != before {
            draft.emit(EventBody::ConfidenceChanged { before, after, cause: ConfidenceCause::Failures });
        }
    }
    let now = draft.now;
    let ahead = draft.projected();
    let Some(plan) = ahead.plan() else { return };
    let material = ahead.report_material(&plan, status, now);
    let assessment = assessed(ahead, status);
    let met = assessment.verdict != Verdict::NotMet;
    let outcome = PlanOutcome {
        plan_id: plan.plan_id.clone(),
        confidence_score: launch,
        success: status == ExecutionStatus::Success && met,
        execution_time: ahead.execution_started().map_or(Seconds::ZERO, |start| now.since(start)),
        cost: ahead.spent(),
        phase_tokens: ahead.findings().phases.tokens.clone(),
        request: Some(known_request::of(ahead.request(), &ahead.findings().documents.loaded)),
    };
    let report = Box::new(report::judged_report(&material, &assessment));
    let assessment = Some(Box::new(assessment));
    let measured = ahead.settings().learn.then(|| ahead.measured().clone());
    let examples = if measured.is_some() { examples(ahead) } else { Vec::new() };
    let outcome = Box::new(outcome);
    draft.emit(EventBody::OutcomeRecorded(OutcomeRecord {
        outcome,
        report,
        measured,
        examples,
        assessment,
        figures: None,
    }));
}

/// Who succeeded at what, and what it took, for the router and for estimates. A few per agent say enough, and a plan may be large.
fn examples(state: &RunState) -> Vec<RoutedExample> {
    let mut kept: BTreeMap<&AgentType, usize> = BTreeMap::new();
    let took: BTreeMap<&TaskId, _> =
        state.feedback().iter().map(|report| (&report.task_id, report)).collect();
    let tasks = state.work().into_iter().flat_map(|work| work.tasks());
    // A task whose agent had an open circuit was done by another one.
    let done = tasks.filter(|(task, run)| {
        run.status() == TaskStatus::Completed && !state.is_unavailable(&task.agent_type)
    });
    done.filter(|(task, _)| {
        let count = kept.entry(&task.agent_type).or_default();
        *count += 1;
        *count <= EXAMPLES_PER_AGENT
    })
    .map(|(task, _)| {
        let report = took.get(&task.task_id);
        RoutedExample {
            text: routing::task_text(task).chars().take(EXAMPLE_CHARS).collect(),
            agent_type: task.agent_type.clone(),
            took_ms: report.map(|report| report.duration_seconds.as_millis()),
            cost: report.map(|report| report.cost),
            tokens: state.tokens_of(&task.task_id),
        }
    })
    .collect()
}

fn tasks_with(state: &RunState, status: TaskStatus) -> Vec<TaskId> {
    let tasks = state.work().into_iter().flat_map(|work| work.tasks());
    tasks.filter(|(_, run)| run.status() == status).map(|(task, _)| task.task_id.clone()).collect()
}
