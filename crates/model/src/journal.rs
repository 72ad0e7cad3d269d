//! Entries for developers: every decision with its reasoning, every failure with its context.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{AgentType, Confidence, GoalId, Money, PlanId, Seconds, TaskId, Timestamp};

text_enum!(
    /// The level of a journal entry.
    LogLevel {
        /// For the record.
        Info = "INFO",
        /// Worth a look.
        Warning = "WARNING",
        /// Something failed.
        Error = "ERROR",
    }
);

/// Confidence before and after a decision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceChange {
    /// Before the decision.
    pub before: Confidence,
    /// After it.
    pub after: Confidence,
}

/// A decision, what it was based on and why it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionEntry {
    /// When it was made.
    pub timestamp: Timestamp,
    /// Always `INFO`.
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
    /// What was decided.
    pub decision: String,
    /// Why.
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
    /// The plan.
    pub plan_id: PlanId,
    /// The goal.
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
    /// When it failed.
    pub timestamp: Timestamp,
    /// Always `ERROR`.
    pub level: LogLevel,
    /// Always `task_execution`.
    pub operation: String,
    /// The task.
    pub task_id: TaskId,
    /// What went wrong.
    pub error: Vec<String>,
    /// How long the attempt took.
    pub duration_seconds: Seconds,
    /// What it cost.
    pub cost: Money,
    /// Where it happened.
    pub context: FailureContext,
    /// Whether recovery has been started.
    pub recovery_attempted: bool,
}
