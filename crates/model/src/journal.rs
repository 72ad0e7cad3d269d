//! Entries for developers: every decision with its reasoning, every failure with its context.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{AgentType, Confidence, GoalId, Money, PlanId, Seconds, TaskId, Timestamp};

text_enum!(
    /// The level of a journal entry.
    LogLevel {
        /// Nothing to act on.
        Info = "INFO",
        /// Unexpected, but the run goes on.
        Warning = "WARNING",
        /// Something did not work.
        Error = "ERROR",
    }
);

/// Confidence before and after a decision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceChange {
    /// Confidence before the decision.
    pub before: Confidence,
    /// Confidence after it.
    pub after: Confidence,
}

/// A decision, what it was based on and why it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionEntry {
    /// When it was made.
    pub timestamp: Timestamp,
    /// `INFO` for every decision.
    pub level: LogLevel,
    /// `decompose_task`, `route_task`, `replan`, …
    pub operation: String,
    /// The plan it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<PlanId>,
    /// The task it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// What went in, in short.
    pub input: String,
    /// Option that was taken.
    pub decision: String,
    /// Ground for it, in a sentence.
    pub reasoning: String,
    /// Confidence before and after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<ConfidenceChange>,
    /// What the decision cost.
    pub cost: Money,
}

/// Where a failure happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureContext {
    /// Plan in which it happened.
    pub plan_id: PlanId,
    /// Goal of that plan.
    pub goal_id: GoalId,
    /// The agent that was at work.
    pub agent_type: AgentType,
    /// What the task depends on.
    pub dependencies: Vec<TaskId>,
}

/// A failed attempt, for developers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureLogEntry {
    /// Moment of the failure.
    pub timestamp: Timestamp,
    /// `ERROR` for every failure.
    pub level: LogLevel,
    /// `task_execution` for every failure.
    pub operation: String,
    /// Task whose attempt failed.
    pub task_id: TaskId,
    /// Messages, the most telling first.
    pub error: Vec<String>,
    /// How long the attempt took.
    pub duration_seconds: Seconds,
    /// Cost of the failed attempt.
    pub cost: Money,
    /// Plan and goal in which it happened.
    pub context: FailureContext,
    /// Whether recovery has been started.
    pub recovery_attempted: bool,
}
