//! A failure: told at once, classified, and answered by a repetition, a revision, a person or the end.

use std::sync::Arc;

use candor_model::{
    AgentType, Announcement, ConfidenceCause, ConfidenceChange, EventBody, ExecutionFeedback, FallbackKind,
    GateId, Notification, Phase, PlanningError, Question, ReplanStrategy, Seconds, Severity, SubTask,
    TaskStatus, Timestamp,
};
use candor_planning::replan::{ReplanContext, ReplanRefusal, Replanned, replan};
use candor_planning::texts::{self, Response};
use candor_planning::{classify, escalation, routing};

use super::draft::{Decision, Draft};
use super::outcome::{self, Running};
use super::schedule::{self, Freed};
use super::{ending, proposal};
use crate::state::{FailureHistory, Stage};

/// What is done about a failure.
enum Recovery {
    /// The task's own policy repeats it.
    Repeat { after: Seconds },
    /// The plan changes.
    Revise(Box<Replanned>),
    /// Everyone else has failed: a model answers in a single pass.
    Direct { agent: AgentType },
    /// A person is asked.
    Escalate { why: String },
    /// Nothing: a limit is reached.
    GiveUp(Box<PlanningError>),
    /// Nothing: the run is being stopped anyway.
    Leave,
}

/// An attempt failed.
pub(super) fn failed(draft: &mut Draft<'_>, running: &Running<'_>, feedback: &Arc<ExecutionFeedback>) {
    let failed = as_failed(running, feedback);
    let used = running.work.task(running.index).map_or(0, |(_, run)| run.history().policy_retries);
    let circling = draft.state.loop_after(&running.task.task_id, feedback).is_some();
    let recovery = recovery(draft, &failed, feedback, used, circling);
    draft.emit(EventBody::TaskFailed {
        task_id: failed.task_id.clone(),
        attempt: running.attempt.number,
        agent_type: running.attempt.agent_type.clone(),
        dependencies: failed.dependencies.clone(),
        failure_count: failed.metadata.failure_count,
        feedback: Arc::clone(feedback),
    });
    let notice = texts::failure_notification(&failed, feedback, &response(&recovery));
    draft.notify(Notification::Failure(notice));
    outcome::charge(draft, running, feedback.cost);
    tell_of_circles(draft, running, feedback);
    if !matches!(recovery, Recovery::Repeat { .. }) {
        outcome::progress(draft, running, false);
    }
    recover(draft, running, &failed, feedback, recovery);
}

/// Says that the run goes round in circles, if this failure shows it.
fn tell_of_circles(draft: &mut Draft<'_>, running: &Running<'_>, feedback: &ExecutionFeedback) {
    let Some(trip) = draft.state.loop_after(&running.task.task_id, feedback) else { return };
    let (rule, severity) = ("loop_guard".to_owned(), Severity::Warning);
    draft.emit(EventBody::GuardrailTripped { rule, severity, reason: trip.text.clone() });
    draft.notify(Notification::Announcement(Announcement {
        severity,
        timestamp: draft.now,
        task_id: Some(running.task.task_id.clone()),
        title: "The run goes round in circles".to_owned(),
        text: trip.text,
        suggestion: Some("The plan is changed instead of repeating the same".to_owned()),
    }));
}

/// The task as it stands with this failure, for the planner and for people.
fn as_failed(running: &Running<'_>, feedback: &ExecutionFeedback) -> SubTask {
    let mut task = running.task.clone();
    let history = running.work.task(running.index).map(|(_, run)| run.history()).unwrap_or_default();
    let FailureHistory { count, errors, agents, .. } =
        history.with(&feedback.errors, &running.task.agent_type);
    task.status = TaskStatus::Failed;
    task.metadata.failure_count = count;
    task.metadata.errors_history = errors;
    task.metadata.failed_agents = agents;
    task
}

fn recovery(
    draft: &Draft<'_>,
    failed: &SubTask,
    feedback: &ExecutionFeedback,
    used: u32,
    circling: bool,
) -> Recovery {
    let settings = draft.state.settings();
    if *draft.state.stage() != Stage::Executing {
        return Recovery::Leave;
    }
    if escalation::is_due(failed.metadata.failure_count, settings) {
        if let Some(agent) = last_resort(draft, failed) {
            return Recovery::Direct { agent };
        }
        return Recovery::Escalate { why: format!("it has failed {} times", failed.metadata.failure_count) };
    }
    // A run that goes round in circles is not helped by going round once more.
    let policy = failed.retry_policy.filter(|policy| used < policy.max_retries && !circling);
    if let Some(policy) = policy {
        return Recovery::Repeat { after: policy.backoff_seconds };
    }
    match revised(draft, failed, std::slice::from_ref(feedback)) {
        Ok(replanned) => Recovery::Revise(Box::new(replanned)),
        Err(ReplanRefusal::Abort(error)) => Recovery::GiveUp(Box::new(error)),
        Err(refusal) => match last_resort(draft, failed) {
            Some(agent) => Recovery::Direct { agent },
            None => Recovery::Escalate { why: refusal.to_string() },
        },
    }
}

/// Whoever answers a task directly when nobody else can, unless that has failed too.
fn last_resort(draft: &Draft<'_>, failed: &SubTask) -> Option<AgentType> {
    let agents = &draft.state.work()?.agents;
    let (agent, _) = agents.iter().find(|(agent, _)| routing::is_last_resort(agent))?;
    let tried = failed.agent_type == *agent || failed.metadata.failed_agents.contains(agent);
    (!tried && !draft.state.is_unavailable(agent)).then(|| agent.clone())
}

/// Has the task answered in a single pass, and says what that means.
fn answer_directly(draft: &mut Draft<'_>, failed: &SubTask, agent: AgentType) {
    let reason = format!("every agent of {} has failed", failed.task_id);
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
    draft.emit(EventBody::RetryScheduled {
        task_id: failed.task_id.clone(),
        at: draft.now,
        agent_type: Some(agent),
        inputs: candor_model::JsonMap::new(),
        by_person: false,
    });
    schedule::after_change(draft);
}

fn revised(
    draft: &Draft<'_>,
    failed: &SubTask,
    feedback: &[ExecutionFeedback],
) -> Result<Replanned, ReplanRefusal> {
    let unknown = || ReplanRefusal::NothingToDo;
    let mut plan = draft.state.plan().ok_or_else(unknown)?;
    if let Some(task) = plan.task_mut(&failed.task_id) {
        task.clone_from(failed);
    }
    let context =
        ReplanContext { goal: draft.state.goal(), settings: draft.state.settings(), now: draft.now };
    replan(&plan, feedback, &context)
}

fn response(recovery: &Recovery) -> Response<'_> {
    match recovery {
        Recovery::Repeat { after } => Response::RetrySameAgent { after: *after },
        Recovery::Revise(replanned) => strategy_response(replanned),
        Recovery::Direct { agent } => Response::Strategy {
            strategy: ReplanStrategy::RetryDifferentAgent,
            agent: Some(agent),
            rerun: Seconds::ZERO,
        },
        Recovery::Escalate { .. } => Response::AwaitHuman,
        Recovery::GiveUp(_) | Recovery::Leave => Response::GiveUp,
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

fn recover(
    draft: &mut Draft<'_>,
    running: &Running<'_>,
    failed: &SubTask,
    feedback: &ExecutionFeedback,
    recovery: Recovery,
) {
    match recovery {
        Recovery::Repeat { after } => {
            repeat(draft, failed, draft.now.plus(after));
            let mut money = *draft.state.money();
            money.release(running.attempt.reserved);
            money.charge(running.attempt.unpaid(feedback.cost));
            let ended = Some(running.attempt.agent_type.clone());
            schedule::after_outcome(draft, Freed { slots: 1, released: Vec::new(), money, ended });
        }
        Recovery::Revise(replanned) => {
            revise(draft, *replanned, failed, calls_for(feedback));
            schedule::after_change(draft);
        }
        Recovery::Direct { agent } => answer_directly(draft, failed, agent),
        Recovery::Escalate { why } => {
            escalate(draft, failed, why);
            schedule::after_change(draft);
        }
        Recovery::GiveUp(error) => ending::abort(draft, *error),
        Recovery::Leave => outcome::go_on(draft),
    }
}

fn calls_for(feedback: &ExecutionFeedback) -> String {
    let strategy = classify::classify(feedback);
    format!("{} with {:?} calls for {strategy}", feedback.feedback_type, feedback.errors)
}

/// A failure that is on the log without what is done about it is answered now.
pub(super) fn answer_left_over(draft: &mut Draft<'_>) {
    for task_id in draft.state.left_failed() {
        let Some(failed) = draft.state.task(&task_id) else { continue };
        let told = draft.state.feedback().iter().rev().find(|feedback| feedback.task_id == task_id);
        let Some(feedback) = told.cloned() else { continue };
        let run = draft.state.work().and_then(|work| Some(work.find(&task_id)?.2.history()));
        let used = run.map_or(0, |history| history.policy_retries);
        match recovery(draft, &failed, &feedback, used, draft.state.findings().loops.detected) {
            Recovery::Repeat { after } => repeat(draft, &failed, draft.now.plus(after)),
            Recovery::Revise(replanned) => revise(draft, *replanned, &failed, calls_for(&feedback)),
            Recovery::Direct { agent } => answer_directly(draft, &failed, agent),
            Recovery::Escalate { why } => escalate(draft, &failed, why),
            Recovery::GiveUp(error) => return ending::abort(draft, *error),
            Recovery::Leave => {}
        }
    }
}

fn repeat(draft: &mut Draft<'_>, task: &SubTask, at: Timestamp) {
    draft.record(Decision {
        operation: "retry_task",
        task_id: Some(&task.task_id),
        input: task.metadata.errors_history.last().cloned().unwrap_or_default(),
        decision: format!("repeat at {at} with {}", task.agent_type),
        reasoning: "the task's retry policy allows another attempt".to_owned(),
        confidence: None,
    });
    draft.emit(EventBody::RetryScheduled {
        task_id: task.task_id.clone(),
        at,
        agent_type: None,
        inputs: candor_model::JsonMap::new(),
        by_person: false,
    });
}

/// Changes the plan, says why, and asks a person if too little confidence is left.
pub(super) fn revise(draft: &mut Draft<'_>, replanned: Replanned, task: &SubTask, reasoning: String) {
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
    draft.notify(Notification::Recovery(texts::recovery_notification(strategy, before, after, &changes)));
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
    let request = escalation::request(task);
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
