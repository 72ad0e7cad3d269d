//! How a plan was changed after a failure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{JsonMap, NonEmpty, Penalty, PlanId, RevisionId, RuleUse, SubTask, TaskId};

text_enum!(
    /// What the planner does about a failure.
    ReplanStrategy {
        /// Try the task with another agent.
        RetryDifferentAgent = "RETRY_DIFFERENT_AGENT",
        /// Break the task into smaller ones.
        DecomposeFurther = "DECOMPOSE_FURTHER",
        /// Tighten the parameters of the tasks that broke a constraint.
        AdjustParameters = "ADJUST_PARAMETERS",
        /// Reach the same result by another way.
        FindWorkaround = "FIND_WORKAROUND",
        /// Point dependencies to what replaces the failed task, or drop them.
        FixDependencies = "FIX_DEPENDENCIES",
        /// No known strategy fits.
        Unknown = "UNKNOWN",
    }
);

/// One change of a plan: why, what, and what it costs in confidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanRevision {
    /// `rev_1`, `rev_2`, … in the order of the run.
    pub revision_id: RevisionId,
    /// The plan that was changed.
    pub original_plan_id: PlanId,
    /// `{f} failures, {v} violations`.
    pub trigger: String,
    /// What was changed, for people.
    pub changes: NonEmpty<String>,
    /// Tasks that were added.
    #[serde(default)]
    pub new_subtasks: Vec<SubTask>,
    /// Tasks that were taken out.
    #[serde(default)]
    pub removed_task_ids: Vec<TaskId>,
    /// Tasks that were edited in place.
    #[serde(default)]
    pub modified_task_ids: Vec<TaskId>,
    /// What the change costs in confidence.
    pub confidence_delta: Penalty,
    /// What is needed to make the same change again on the same plan.
    #[serde(default)]
    pub details: RevisionDetails,
}

/// The parts of a revision by which a replay makes exactly the plan that was made then.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevisionDetails {
    /// What was done about each failure.
    #[serde(default)]
    pub strategies: Vec<ReplanStrategy>,
    /// Which new tasks stand in the place of which old one.
    #[serde(default)]
    pub replacements: Vec<Replacement>,
    /// The tasks edited in place, as they are afterwards.
    #[serde(default)]
    pub modified_subtasks: Vec<SubTask>,
    /// Tasks that must run (again) because of the change, beside the new ones.
    #[serde(default)]
    pub rerun_task_ids: Vec<TaskId>,
    /// The rules of a pack that led to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleUse>,
}

/// An old task and the new ones that stand in its place, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// The task that was taken out.
    pub removed: TaskId,
    /// The tasks put in its place; those that waited for it wait for the last of them.
    pub by: Vec<TaskId>,
}

/// What a model proposes to do about a failed task. It is checked against the plan before anything follows from it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevisionProposal {
    /// Why it helps, in one sentence.
    #[schemars(length(max = 300))]
    pub why: String,
    /// What takes the place of the failed task, in order.
    #[serde(default)]
    #[schemars(length(max = 6))]
    pub tasks: Vec<ProposedTask>,
    /// What changes about other tasks that have not begun.
    #[serde(default)]
    #[schemars(length(max = 12))]
    pub changes: Vec<ProposedChange>,
    /// Why nothing would help; absent if something does.
    #[serde(default)]
    pub nothing_helps: Option<String>,
}

/// A task in the place of one that failed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedTask {
    /// What is to be done.
    #[schemars(length(min = 1, max = 400))]
    pub description: String,
    /// Who does it; whoever fits best if absent.
    #[serde(default)]
    pub agent: Option<String>,
    /// Parameters to set; one that is `null` is taken out.
    #[serde(default)]
    pub inputs: JsonMap,
    /// The names of what it produces.
    #[serde(default)]
    #[schemars(length(max = 8))]
    pub expected_outputs: Vec<String>,
    /// The places of the earlier new tasks whose results it needs, counted from 0.
    #[serde(default)]
    pub after: Vec<usize>,
}

/// A change of a task that has not begun.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedChange {
    /// Task that the change is about.
    pub task_id: TaskId,
    /// What is to be done, if that changes.
    #[serde(default)]
    pub description: Option<String>,
    /// Who does it, if that changes.
    #[serde(default)]
    pub agent: Option<String>,
    /// Parameters to set; one that is `null` is taken out.
    #[serde(default)]
    pub inputs: JsonMap,
    /// The tasks it waits for, if that changes.
    #[serde(default)]
    pub dependencies: Option<Vec<TaskId>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_six_strategies_are_written_as_named() {
        // spec: planning EN-12
        let names: Vec<_> = ReplanStrategy::ALL.iter().map(|strategy| strategy.as_str()).collect();
        assert_eq!(
            names,
            [
                "RETRY_DIFFERENT_AGENT",
                "DECOMPOSE_FURTHER",
                "ADJUST_PARAMETERS",
                "FIND_WORKAROUND",
                "FIX_DEPENDENCIES",
                "UNKNOWN"
            ]
        );
    }

    #[test]
    fn a_revision_needs_a_change_and_a_negative_delta() {
        // spec: planning EN-13
        let text = |changes: &str, delta: &str| {
            format!(
                r#"{{"revision_id":"rev_1","original_plan_id":"p","trigger":"1 failures, 0 violations",
                "changes":{changes},"confidence_delta":{delta}}}"#
            )
        };
        assert!(crate::from_json::<PlanRevision>(&text(r#"["c"]"#, "-0.1")).is_ok());
        assert_eq!(crate::from_json::<PlanRevision>(&text("[]", "-0.1")).unwrap_err().field, "changes");
        assert_eq!(
            crate::from_json::<PlanRevision>(&text(r#"["c"]"#, "0.1")).unwrap_err().field,
            "confidence_delta"
        );
    }
}
