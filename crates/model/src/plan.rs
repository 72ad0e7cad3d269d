//! A plan: tasks in order, and what is known of the whole.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{
    Confidence, ExecutionReport, GoalId, GoalType, JsonMap, PackRules, PlanId, PlanRevision, Seconds,
    SubTask, TaskId, Timestamp,
};

text_enum!(
    /// How a plan's tasks are carried out.
    #[derive(Default)]
    ExecutionStrategy {
        /// In parallel where possible, one after the other where required.
        #[default]
        Hybrid = "hybrid",
        /// One after the other.
        Sequential = "sequential",
        /// As many side by side as dependencies allow.
        Parallel = "parallel",
    }
);

/// The tasks that lead to a goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Stays the same through all revisions.
    pub plan_id: PlanId,
    /// The goal it serves.
    pub goal_id: GoalId,
    /// The tasks; their order decides between equal priorities.
    pub subtasks: Vec<SubTask>,
    /// How they are carried out.
    #[serde(default)]
    pub execution_strategy: ExecutionStrategy,
    /// The sum of the tasks' estimates.
    #[serde(default)]
    pub estimated_total_duration: Seconds,
    /// How sure Candor is of the plan.
    pub confidence_score: Confidence,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// What else is known of it.
    #[serde(default)]
    pub metadata: PlanMetadata,
}

impl Plan {
    /// The task with this id.
    #[must_use]
    pub fn task(&self, id: &TaskId) -> Option<&SubTask> {
        self.subtasks.iter().find(|task| task.task_id == *id)
    }

    /// The task with this id, to change it.
    pub fn task_mut(&mut self, id: &TaskId) -> Option<&mut SubTask> {
        self.subtasks.iter_mut().find(|task| task.task_id == *id)
    }

    /// The sum of the tasks' estimates.
    #[must_use]
    pub fn total_estimate(&self) -> Seconds {
        self.subtasks.iter().map(|task| task.estimated_duration_seconds).sum()
    }
}

/// What is known of a plan beside its tasks. Absent keys mean zero, empty or false.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanMetadata {
    /// How often the plan was revised.
    #[serde(default)]
    pub revision_count: u32,
    /// The revisions, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<PlanRevision>,
    /// Whether a person must approve before anything runs.
    #[serde(default)]
    pub requires_approval: bool,
    /// Why confidence is low.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub low_confidence_reasons: Vec<String>,
    /// Whether execution waits for a person.
    #[serde(default)]
    pub execution_paused: bool,
    /// The report, once the plan has come to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_report: Option<Box<ExecutionReport>>,
    /// The kind of goal that a plan file says it is for; then it must cover what such goals need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_type: Option<GoalType>,
    /// What the pack of its kind of goal says about recovery, the budget and the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack_rules: Option<Arc<PackRules>>,
    /// How many tool calls are usual for a request of its class; more are told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<ToolCallBudget>,
    /// How many agents work at once at most, where the run does with fewer than the settings allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents_at_once: Option<u32>,
    /// Keys that Candor does not know, kept as they were.
    #[serde(flatten)]
    pub other: JsonMap,
}

/// How many tool calls are usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolCallBudget {
    /// Most calls that a task may make.
    pub calls: u32,
    /// Whether it holds for the whole request, and not for each task.
    pub in_all: bool,
}

impl PlanMetadata {
    /// The number of revisions; a stored count without the revisions themselves is honoured.
    #[must_use]
    pub fn revisions_made(&self) -> u32 {
        self.revision_count.max(u32::try_from(self.revisions.len()).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_serialises_with_the_documented_keys() {
        // spec: planning EN-07 EN-08
        let text = r#"{"plan_id":"plan_xyz789","goal_id":"goal_abc123","subtasks":[],"execution_strategy":"hybrid",
            "estimated_total_duration":80,"confidence_score":0.85,
            "created_at":"2025-11-16T10:00:00Z","updated_at":"2025-11-16T10:00:00Z"}"#;
        let plan: Plan = crate::from_json(text).unwrap();
        assert_eq!(plan.metadata.revisions_made(), 0);
        assert!(!plan.metadata.requires_approval && !plan.metadata.execution_paused);
        let json = serde_json::to_value(&plan).unwrap();
        assert_eq!(json["execution_strategy"], "hybrid");
        assert_eq!(json["estimated_total_duration"], 80.0);
        assert_eq!(json["confidence_score"], 0.85);
        assert_eq!(crate::from_value::<Plan>(json).unwrap(), plan);
    }
}
