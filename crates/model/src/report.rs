//! The report on a run that has come to its end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Confidence, Degradation, ExecutionStatus, Money, PlanRevision, Seconds, TaskId, TaskStatus, Timestamp,
};

/// What happened, what it cost and what is to be learned from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecutionReport {
    /// The whole in a few numbers.
    pub summary: ReportSummary,
    /// One entry per attempt.
    pub tasks: Vec<TaskReport>,
    /// Every revision with its reasons.
    pub revisions: Vec<PlanRevision>,
    /// Confidence at each change, from the plan to the end.
    pub confidence_evolution: Vec<ConfidencePoint>,
    /// What failed, what worked, what to do next time.
    pub lessons_learned: Lessons,
    /// With how much less than it should the run worked; absent if all went as it should.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degradation: Option<Degradation>,
}

/// The whole in a few numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportSummary {
    /// Whether all tasks succeeded.
    pub status: ExecutionStatus,
    /// Whether every task of the final plan succeeded.
    pub success: bool,
    /// The sum of the attempts' durations.
    pub total_duration: Seconds,
    /// From the first task's start to the last one's end, where the clock is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_clock_duration: Option<Seconds>,
    /// Everything that was spent.
    pub total_cost: Money,
}

/// One attempt in the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskReport {
    /// Task that the line is about.
    pub task_id: TaskId,
    /// How the attempt ended.
    pub status: TaskStatus,
    /// How long it took.
    pub duration_seconds: Seconds,
    /// Cost of all its attempts.
    pub cost: Money,
}

/// Confidence at one point, and what moved it there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfidencePoint {
    /// Moment of the change, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The confidence from then on.
    pub confidence: Confidence,
    /// Event that changed it, in words.
    pub cause: String,
}

/// What a run teaches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lessons {
    /// Steps and agents that failed.
    pub what_failed: Vec<String>,
    /// Steps and agents that worked.
    pub what_worked: Vec<String>,
    /// What to do next time.
    pub recommendations: Vec<String>,
}
