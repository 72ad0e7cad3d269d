//! What people are told while a run goes on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{Seconds, TaskId, Timestamp};

text_enum!(
    /// How serious a message is.
    Severity {
        /// A task or phase did not work.
        Error = "ERROR",
        /// Something is not as it should be.
        Warning = "WARNING",
        /// Something is worth knowing.
        Info = "INFO",
    }
);

/// A message to people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Notification {
    /// A task failed. Sent exactly once per failure, with what is done about it.
    Failure(FailureNotification),
    /// How a failure is recovered from.
    Recovery(RecoveryNotification),
    /// Anything else: partial results, an abort with its suggestion, a low but sufficient confidence.
    Announcement(Announcement),
}

impl Notification {
    /// How serious the message is.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        match self {
            Self::Failure(notice) => notice.severity,
            Self::Recovery(notice) => notice.severity,
            Self::Announcement(notice) => notice.severity,
        }
    }
}

/// Tells that a task failed, why, what is being done and what it costs in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureNotification {
    /// `ERROR` for every failure.
    pub severity: Severity,
    /// Moment of the failure.
    pub timestamp: Timestamp,
    /// Task that failed.
    pub task_id: TaskId,
    /// `{task name} failed: {short cause}`.
    pub error_summary: String,
    /// What is being done.
    pub recovery_strategy: String,
    /// What it costs in time.
    pub estimated_delay: String,
    /// Where the details are: `/logs/{task_id}`.
    pub logs_url: String,
}

/// Explains how a failure is recovered from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecoveryNotification {
    /// `INFO` for every recovery.
    pub severity: Severity,
    /// `Recovery Strategy` for every recovery.
    pub title: String,
    /// What is being done.
    pub what_were_doing: String,
    /// Ground for the strategy, in a sentence.
    pub why: String,
    /// What it means for the result and the time.
    pub expected_impact: String,
    /// What it means for confidence.
    pub confidence_adjustment: String,
}

/// A message with a title and, where there is one, a way forward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Announcement {
    /// How serious it is.
    pub severity: Severity,
    /// When it was said.
    pub timestamp: Timestamp,
    /// What it is about, if it is about one task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// In a few words.
    pub title: String,
    /// Text in full.
    pub text: String,
    /// What can be done about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

text_enum!(
    /// Whether the task that a progress update speaks of succeeded.
    ProgressStatus {
        /// It did, at least in part.
        Success = "SUCCESS",
        /// The task failed for good.
        Failure = "FAILURE",
    }
);

/// How far the run has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgressUpdate {
    /// The task that just ended.
    pub task_id: TaskId,
    /// How the task ended.
    pub status: ProgressStatus,
    /// Tasks of the current plan that succeeded, in percent. It falls only when work is undone.
    pub progress_percentage: f64,
    /// The durations of the tasks that have not ended; absent if one of them rests on nothing.
    #[serde(default)]
    pub estimated_remaining_time: Option<Seconds>,
}
