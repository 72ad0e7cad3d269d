//! A failure is reported at once, and the step that `candor_planning::recovery` chooses is carried out.

use std::sync::Arc;

use candor_model::{
    AgentType, Announcement, ConfidenceCause, ConfidenceChange, EventBody, ExecutionFeedback, FallbackKind,
    GateId, Notification, Phase, PlanningError, Question, ReplanStrategy, ScheduledRetry, Seconds, Severity,
    SubTask, TaskStatus,
};
use candor_planning::recovery::{self, Situation, Step, person};
use candor_planning::replan::{Agents, ReplanContext, Replanned};
use candor_planning::routing;
use candor_planning::texts::{self, Response};

use super::draft::{Decision, Draft};
use super::outcome::{self, Running};
use super::schedule::{self, Freed};
use super::{proposal, revision};
use crate::state::Stage;

/// An attempt failed.
pub(super) fn failed(draft: &mut Draft<'_>, running: &Running<'_>, feedback: &Arc<ExecutionFeedback>) {
    let failed = as_failed(running, feedback);
    let used = running.work.task(running.index).map_or(0, |(_, run)| run.history().policy_retries);
    let circling = draft.state.loop_after(&running.task.task_id, feedback).is_some();
    let what = What {
        failed: &failed,
        feedback,
        attempt: running.attempt.number,
        used,
        circling,
        // What a model could not do directly it would not do by another approach.
        model: has_model(draft) && !routing::is_last_resort(&running.attempt.agent_type),
    };
    let wanted = draft.state.replan_requested(&failed.task_id).is_some() && what.model;
    let step = if wanted { Some(Step::AskModel) } else { step(draft, &what) };
    draft.emit(EventBody::TaskFailed {
        task_id: failed.task_id.clone(),
        attempt: running.attempt.number,
        agent_type: running.attempt.agent_type.clone(),
        dependencies: failed.dependencies.clone(),
        failure_count: failed.metadata.failure_count,
        feedback: Arc::clone(feedback),
    });
    let notice = texts::failure_notification(&failed, feedback, &response(step.as_ref()));
    draft.notify(Notification::Failure(notice));
    outcome::charge(draft, running, feedback.cost);
    tell_of_circles(draft, running, feedback);
    match step {
        Some(Step::Retry { after }) => {
            repeat(draft, &failed, after);
            schedule_after(draft, running, feedback);
        }
        step => {
            outcome::progress(draft, running, false);
            match step {
                Some(step) => carry_out(draft, &what, step),
                None => outcome::go_on(draft),
            }
        }
    }
}

/// A repetition changes nothing but this task, so scheduling gets by without the state after it.
fn schedule_after(draft: &mut Draft<'_>, running: &Running<'_>, feedback: &ExecutionFeedback) {
    let mut money = *draft.state.money();
    money.release(running.attempt.reserved);
    money.charge(running.attempt.unpaid(feedback.cost));
    let ended = Some(running.attempt.agent_type.clone());
    schedule::after_outcome(draft, Freed { slots: 1, released: Vec::new(), money, ended });
}

/// Announces a detected loop, if this failure completes one.
fn tell_of_circles(draft: &mut Draft<'_>, running: &Running<'_>, feedback: &ExecutionFeedback) {
    let Some(trip) = draft.state.loop_after(&running.task.task_id, feedback) else { return };
    let (rule, severity) = ("loop_guard".to_owned(), Severity::Warning);
    draft.emit(EventBody::GuardrailTripped { rule, severity, reason: trip.text.clone() });
    draft.notify(Notification::Announcement(Announcement {
        severity,
        timestamp: draft.now,
        task_id: Some(running.task.task_id.clone()),
        title: "Loop detected".to_owned(),
        text: trip.text,
        suggestion: Some("The plan is changed instead of repeating the same".to_owned()),
    }));
}

/// The task as it stands with this failure, for the planner and for people.
fn as_failed(running: &Running<'_>, feedback: &ExecutionFeedback) -> SubTask {
    let mut task = running.task.clone();
    let history = running.work.task(running.index).map(|(_, run)| run.history()).unwrap_or_default();
    let history = history.with(running.task, &running.attempt.agent_type, feedback);
    task.status = TaskStatus::Failed;
    task.metadata.failure_count = history.count;
    task.metadata.errors_history = history.errors;
    task.metadata.failed_agents = history.agents;
    task.metadata.tried = history.tried;
    task
}

/// A failure that something has to be done about.
struct What<'a> {
    failed: &'a SubTask,
    feedback: &'a ExecutionFeedback,
    attempt: u32,
    /// How often the task was repeated as it is.
    used: u32,
    circling: bool,
    /// Whether a model can be asked about it.
    model: bool,
}

/// What is to be done about a failure; nothing if the run is being stopped anyway.
fn step(draft: &Draft<'_>, what: &What<'_>) -> Option<Step> {
    if *draft.state.stage() != Stage::Executing {
        return None;
    }
    let plan = || {
        let mut plan = draft.state.plan()?;
        plan.task_mut(&what.failed.task_id)?.clone_from(what.failed);
        Some(plan)
    };
    Some(recovery::next_step(&Situation {
        run_id: draft.state.run_id(),
        attempt: what.attempt,
        task: what.failed,
        feedback: what.feedback,
        plan: &plan,
        context: context(draft),
        retries_used: what.used,
        loop_detected: what.circling,
        model: what.model,
    }))
}

/// What revisions depend on beside the plan.
pub(super) fn context<'a>(draft: &Draft<'a>) -> ReplanContext<'a> {
    let state = draft.state;
    let agents = state.work().map(|work| Agents { known: &work.agents, open: state.open_circuits() });
    ReplanContext {
        goal: state.goal(),
        settings: state.settings(),
        now: draft.now,
        agents,
        reports: state.feedback(),
        by_person: false,
    }
}

/// Has the task answered in a single pass, and says what that means.
fn answer_directly(draft: &mut Draft<'_>, failed: &SubTask, agent: AgentType) {
    let reason = format!("no other agent fits {}", failed.task_id);
    draft.emit(EventBody::FellBack {
        what: format!("task {}", failed.task_id),
        from: failed.agent_type.to_string(),
        to: agent.to_string(),
        reason: reason.clone(),
        kind: Some(FallbackKind::Agent),
    });
    let phase = Phase::Execution;
    draft.emit(EventBody::PhaseDegraded { phase, reason: format!("{reason}; a model answers directly") });
    let (before, after) = (draft.state.degradation().level, draft.projected().degradation().clone());
    if after.level > before {
        let reason = format!("failed: {}", after.failed());
        draft.emit(EventBody::Degraded { level: after.level, reason });
    }
    draft.emit(EventBody::RetryScheduled(ScheduledRetry {
        task_id: failed.task_id.clone(),
        at: draft.now,
        agent_type: Some(agent),
        inputs: candor_model::JsonMap::new(),
        by_person: false,
    }));
    schedule::after_change(draft);
}

fn response(step: Option<&Step>) -> Response<'_> {
    match step {
        Some(Step::Retry { after }) => Response::RetrySameAgent { after: *after },
        Some(Step::Revise { replanned, .. }) => strategy_response(replanned),
        Some(Step::LastResort { agent }) => Response::Strategy {
            strategy: ReplanStrategy::RetryDifferentAgent,
            agent: Some(agent),
            rerun: Seconds::ZERO,
        },
        Some(Step::AskModel) => Response::AskModel,
        Some(Step::AskPerson { .. }) => Response::AwaitHuman,
        Some(Step::End(_)) | None => Response::GiveUp,
    }
}

/// How a revision is described to people.
pub(super) fn strategy_response(replanned: &Replanned) -> Response<'_> {
    let revision = &replanned.revision;
    let again = revision.details.rerun_task_ids.iter().filter_map(|id| replanned.plan.task(id));
    let rerun = revision.new_subtasks.iter().chain(again).map(|task| task.estimated_duration_seconds).sum();
    let agent: Option<&AgentType> = revision.new_subtasks.first().map(|task| &task.agent_type);
    Response::Strategy {
        strategy: first_strategy(replanned),
        agent: agent.filter(|agent| !agent.is_tbd()),
        rerun,
    }
}

fn first_strategy(replanned: &Replanned) -> ReplanStrategy {
    replanned.revision.details.strategies.first().copied().unwrap_or(ReplanStrategy::Unknown)
}

fn carry_out(draft: &mut Draft<'_>, what: &What<'_>, step: Step) {
    let failed = what.failed;
    match step {
        Step::Retry { after } => repeat(draft, failed, after),
        Step::Revise { replanned, .. } => revise(draft, *replanned, failed, calls_for(what.feedback)),
        Step::LastResort { agent } => return answer_directly(draft, failed, agent),
        Step::AskPerson { why } => escalate(draft, failed, why),
        Step::AskModel => {
            let note = draft.state.replan_requested(&failed.task_id).flatten().map(str::to_owned);
            revision::ask(draft, &failed.task_id, note);
        }
        Step::End(error) => give_up(draft, failed, *error),
    }
    schedule::after_change(draft);
}

/// Asks a person about a task, or gives it up where nobody is there.
pub(super) fn hand_over(draft: &mut Draft<'_>, task: &SubTask, error: PlanningError) {
    if draft.state.settings().unattended {
        give_up(draft, task, error);
    } else {
        escalate(draft, task, error.to_string());
    }
}

/// Nothing more is tried for a task. What does not need it goes on.
fn give_up(draft: &mut Draft<'_>, task: &SubTask, error: PlanningError) {
    draft.record(Decision {
        operation: "give_up_task",
        task_id: Some(&task.task_id),
        input: task.metadata.errors_history.last().cloned().unwrap_or_default(),
        decision: "try nothing more; tasks that do not need it go on".to_owned(),
        reasoning: error.to_string(),
        confidence: None,
    });
    draft.emit(EventBody::TaskGivenUp { task_id: task.task_id.clone(), error: Box::new(error) });
}

fn calls_for(feedback: &ExecutionFeedback) -> String {
    let strategy = recovery::classify(feedback);
    format!("{} with {:?} calls for {strategy}", feedback.feedback_type, feedback.errors)
}

/// A failure that is on the log without what is done about it is answered now.
pub(super) fn answer_left_over(draft: &mut Draft<'_>) {
    for task_id in draft.state.left_failed() {
        let Some(failed) = draft.state.task(&task_id) else { continue };
        let told = draft.state.feedback().iter().rev().find(|feedback| feedback.task_id == task_id);
        let Some(feedback) = told.cloned() else { continue };
        answer_again(draft, &failed, &feedback, has_model(draft));
    }
}

/// No model has found another approach: the ways that are left are tried.
pub(super) fn without_model(draft: &mut Draft<'_>, failed: &SubTask, feedback: &ExecutionFeedback) {
    answer_again(draft, failed, feedback, false);
}

fn answer_again(draft: &mut Draft<'_>, failed: &SubTask, feedback: &ExecutionFeedback, model: bool) {
    let run = draft.state.work().and_then(|work| Some(work.find(&failed.task_id)?.2));
    let (used, attempt) = run.map_or((0, 0), |run| (run.history().policy_retries, run.attempts));
    let circling = draft.state.findings().loops.detected;
    let what = What { failed, feedback, attempt, used, circling, model };
    if let Some(step) = step(draft, &what) {
        carry_out(draft, &what, step);
    }
}

/// What the rules would change about a task that failed; nothing if only a person could.
pub(super) fn by_rules(draft: &Draft<'_>, failed: &SubTask, feedback: &ExecutionFeedback) -> Option<Step> {
    let run = draft.state.work().and_then(|work| Some(work.find(&failed.task_id)?.2));
    let attempt = run.map_or(0, |run| run.attempts);
    let what = What { failed, feedback, attempt, used: u32::MAX, circling: false, model: false };
    step(draft, &what).filter(|step| matches!(step, Step::Revise { .. } | Step::LastResort { .. }))
}

/// Carries out what [`by_rules`] found.
pub(super) fn revise_by_rules(
    draft: &mut Draft<'_>,
    failed: &SubTask,
    feedback: &ExecutionFeedback,
    step: Step,
) {
    let what = What { failed, feedback, attempt: 0, used: u32::MAX, circling: false, model: false };
    carry_out(draft, &what, step);
}

pub(super) fn has_model(draft: &Draft<'_>) -> bool {
    let settings = draft.state.settings();
    settings.revise_with_model && !settings.direct
}

fn repeat(draft: &mut Draft<'_>, task: &SubTask, after: Seconds) {
    let at = draft.now.plus(after);
    draft.record(Decision {
        operation: "retry_task",
        task_id: Some(&task.task_id),
        input: task.metadata.errors_history.last().cloned().unwrap_or_default(),
        decision: format!("repeat at {at} with {}", task.agent_type),
        reasoning: "the failure may pass by itself, and the retry policy allows another attempt".to_owned(),
        confidence: None,
    });
    draft.emit(EventBody::RetryScheduled(ScheduledRetry {
        task_id: task.task_id.clone(),
        at,
        agent_type: None,
        inputs: candor_model::JsonMap::new(),
        by_person: false,
    }));
}

/// Changes the plan, says why, and asks a person if too little confidence is left.
pub(super) fn revise(draft: &mut Draft<'_>, replanned: Replanned, task: &SubTask, reasoning: String) {
    revise_as(draft, replanned, task, reasoning, None);
}

/// [`revise`], told in a model's words if it proposed the change.
pub(super) fn revise_as(
    draft: &mut Draft<'_>,
    replanned: Replanned,
    task: &SubTask,
    reasoning: String,
    models_words: Option<&str>,
) {
    let Some(before) = draft.state.confidence() else {
        return;
    };
    let after = replanned.plan.confidence_score;
    let strategy = first_strategy(&replanned);
    let changes = replanned.revision.changes.to_vec();
    draft.record(Decision {
        operation: "replan",
        task_id: Some(&task.task_id),
        input: task.metadata.errors_history.last().cloned().unwrap_or_default(),
        decision: format!("{strategy}: {}", changes.join("; ")),
        reasoning,
        confidence: Some(ConfidenceChange { before, after }),
    });
    draft.notify(Notification::Recovery(match models_words {
        Some(why) => texts::model_revision_notification(before, after, why, &changes),
        None => texts::recovery_notification(strategy, before, after, &changes),
    }));
    let version = draft.state.next_version();
    draft.emit(EventBody::Replanned { version, revision: Box::new(replanned.revision) });
    if before != after {
        draft.emit(EventBody::ConfidenceChanged { before, after, cause: ConfidenceCause::Revised });
    }
    ask_about_revision(draft);
}

/// A revised plan is shown anew if too little confidence is left.
pub(super) fn ask_about_revision(draft: &mut Draft<'_>) {
    withdraw_approval(draft);
    proposal::ask_if_unsure(draft);
}

/// A question about a plan that has changed since fits no plan any more.
fn withdraw_approval(draft: &mut Draft<'_>) {
    let questions = draft.state.open_questions().iter();
    let stale = questions.filter(|(_, question)| matches!(question, Question::Approval { .. }));
    for gate in stale.map(|(gate, _)| gate.clone()).collect::<Vec<_>>() {
        draft.emit(EventBody::QuestionWithdrawn { gate, reason: "the plan has changed since".to_owned() });
    }
}

/// Asks a person what to do about a task; nothing new is started until they answer.
pub(super) fn escalate(draft: &mut Draft<'_>, task: &SubTask, why: String) {
    let request = person::request(task);
    draft.record(Decision {
        operation: "escalate",
        task_id: Some(&task.task_id),
        input: task.metadata.errors_history.last().cloned().unwrap_or_default(),
        decision: "ask a person".to_owned(),
        reasoning: why,
        confidence: None,
    });
    draft.emit(EventBody::Escalated { request: Box::new(request.clone()) });
    let gate = GateId::guidance(&task.task_id, draft.state.next_question());
    draft.emit(EventBody::HumanAsked { gate, question: Box::new(Question::Guidance(request)) });
}
