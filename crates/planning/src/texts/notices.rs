//! The messages that are sent while a run goes on.

use candor_model::{
    AgentType, Announcement, Confidence, ExecutionFeedback, FailureNotification, PlanningError,
    RecoveryNotification, ReplanStrategy, Seconds, Severity, SubTask, TaskId, Timestamp,
};

use super::english;
use super::plain::{agent_name, plain, short_cause, task_name};

/// What is done about a failure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Response<'a> {
    /// The plan is revised.
    Strategy {
        /// Kind of the revision; it decides the words.
        strategy: ReplanStrategy,
        /// Who takes the task over, if someone does.
        agent: Option<&'a AgentType>,
        /// The estimates of the tasks that run again, added up.
        rerun: Seconds,
    },
    /// The same agent tries again, as the task's retry policy says.
    RetrySameAgent {
        /// The wait before it does.
        after: Seconds,
    },
    /// A model is asked for another approach.
    AskModel,
    /// A person is asked.
    AwaitHuman,
    /// Nothing: the plan ends here.
    GiveUp,
}

/// Tells that a task failed, why, what is done about it and what that costs in time.
#[must_use]
pub fn failure_notification(
    task: &SubTask,
    feedback: &ExecutionFeedback,
    response: &Response<'_>,
) -> FailureNotification {
    FailureNotification {
        severity: Severity::Error,
        timestamp: feedback.timestamp,
        task_id: task.task_id.clone(),
        error_summary: english::error_summary(&task_name(task), &short_cause(&feedback.errors)),
        recovery_strategy: recovery_text(response),
        estimated_delay: delay_text(response),
        logs_url: english::logs_url(&task.task_id),
    }
}

fn recovery_text(response: &Response<'_>) -> String {
    match response {
        Response::Strategy { strategy, agent, .. } => {
            english::doing(*strategy, agent.map(agent_name).as_deref())
        }
        Response::RetrySameAgent { after } => english::retrying_same_agent(*after),
        Response::AskModel => english::ASKING_MODEL.to_owned(),
        Response::AwaitHuman => english::AWAITING_HUMAN.to_owned(),
        Response::GiveUp => english::GIVING_UP.to_owned(),
    }
}

fn delay_text(response: &Response<'_>) -> String {
    match response {
        Response::Strategy { strategy, rerun, .. } => english::delay(*strategy, *rerun),
        Response::RetrySameAgent { after } => english::duration(*after),
        Response::AskModel => english::DELAY_UNTIL_MODEL.to_owned(),
        Response::AwaitHuman => english::DELAY_UNTIL_ANSWER.to_owned(),
        Response::GiveUp => english::DELAY_ENDS_HERE.to_owned(),
    }
}

/// Explains how a failure is recovered from, and what that does to the confidence in the plan.
#[must_use]
pub fn recovery_notification(
    strategy: ReplanStrategy,
    before: Confidence,
    after: Confidence,
    changes: &[String],
) -> RecoveryNotification {
    let text = english::recovery(strategy);
    let changes: Vec<String> = changes.iter().map(|change| plain(change)).collect();
    RecoveryNotification {
        severity: Severity::Info,
        title: english::RECOVERY_TITLE.to_owned(),
        what_were_doing: english::with_details(text.what, &changes),
        why: text.why.to_owned(),
        expected_impact: text.impact.to_owned(),
        confidence_adjustment: english::confidence_moved(before, after),
    }
}

/// Explains a revision that a model proposed, in its own words.
#[must_use]
pub fn model_revision_notification(
    before: Confidence,
    after: Confidence,
    why: &str,
    changes: &[String],
) -> RecoveryNotification {
    let changes: Vec<String> = changes.iter().map(|change| plain(change)).collect();
    RecoveryNotification {
        what_were_doing: english::with_details(english::ANOTHER_APPROACH, &changes),
        why: plain(why),
        expected_impact: english::ANOTHER_APPROACH_IMPACT.to_owned(),
        ..recovery_notification(ReplanStrategy::Unknown, before, after, &[])
    }
}

/// Tells that a task was done only in part, and what is missing.
#[must_use]
pub fn partial_success_announcement(task: &SubTask, feedback: &ExecutionFeedback) -> Announcement {
    let missing: Vec<String> = task
        .expected_outputs
        .iter()
        .filter(|output| !feedback.actual_outputs.contains_key(output.as_str()))
        .map(|output| plain(output))
        .collect();
    let errors: Vec<String> =
        feedback.errors.iter().map(|error| plain(error)).filter(|error| !error.is_empty()).collect();
    Announcement {
        severity: Severity::Warning,
        timestamp: feedback.timestamp,
        task_id: Some(task.task_id.clone()),
        title: english::partial_title(&task_name(task)),
        text: english::partial_text(&task_name(task), &task.task_id, &missing, &errors),
        suggestion: None,
    }
}

/// Tells that planning or execution ended early, why, and what a person can do about it.
#[must_use]
pub fn abort_announcement(error: &PlanningError, suggestion: &str, at: Timestamp) -> Announcement {
    Announcement {
        severity: Severity::Error,
        timestamp: at,
        task_id: task_of(error).cloned(),
        title: english::abort_title(error.kind()).to_owned(),
        text: english::abort_text(error.kind(), &plain(&error.to_string())),
        suggestion: (!suggestion.trim().is_empty()).then(|| suggestion.to_owned()),
    }
}

fn task_of(error: &PlanningError) -> Option<&TaskId> {
    match error {
        PlanningError::Routing { task_id, .. } | PlanningError::GivenUp { task_id, .. } => Some(task_id),
        _ => None,
    }
}

/// Tells that tasks wait for an agent whose circuit is open, and for how long.
#[must_use]
pub fn waiting_for(agent: &AgentType, until: Timestamp, now: Timestamp) -> Announcement {
    Announcement {
        severity: Severity::Warning,
        timestamp: now,
        task_id: None,
        title: english::waiting_title(agent),
        text: english::waiting_text(agent, until.since(now)),
        suggestion: None,
    }
}

/// Tells that this machine had no resources left for an attempt, and what is done about it.
#[must_use]
pub fn out_of_resources(reason: &str, now: Timestamp) -> Announcement {
    Announcement {
        severity: Severity::Warning,
        timestamp: now,
        task_id: None,
        title: english::NO_RESOURCES_TITLE.to_owned(),
        text: english::no_resources_text(&plain(reason)),
        suggestion: Some(english::NO_RESOURCES_SUGGESTION.to_owned()),
    }
}

/// Warns that a plan runs although it is not as sure as it should be.
#[must_use]
pub fn low_confidence_warning(confidence: Confidence, at: Timestamp) -> Announcement {
    Announcement {
        severity: Severity::Warning,
        timestamp: at,
        task_id: None,
        title: english::LOW_CONFIDENCE_TITLE.to_owned(),
        text: english::low_confidence_text(confidence),
        suggestion: Some(english::LOW_CONFIDENCE_SUGGESTION.to_owned()),
    }
}
