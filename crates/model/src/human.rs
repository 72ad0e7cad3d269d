//! What is asked of people, and what they answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{
    AgentType, Choice, ChoiceRequest, Confidence, JsonMap, NonEmpty, PlanBrief, PlanId, PlanVersion, TaskId,
    TaskRisk,
};

text_enum!(
    /// What Candor would do in the reviewer's place.
    RecommendedAction {
        /// Look at the plan and adjust it where needed.
        ReviewAndAdjust = "REVIEW_AND_ADJUST",
    }
);

/// Asks a person whether a plan may run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HumanApprovalRequest {
    /// Plan that is shown.
    pub plan_id: PlanId,
    /// How sure Candor is of it.
    pub confidence_score: Confidence,
    /// Why a person is asked.
    pub reasons: NonEmpty<String>,
    /// The plan in words.
    pub plan_summary: String,
    /// The acts in it that cannot be taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<TaskRisk>,
    /// Option that is marked as the default.
    pub recommended_action: RecommendedAction,
    /// What will be checked when the work is done: the goal's criteria, then those of tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// The plan in figures, with its risks and alternatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<Box<PlanBrief>>,
    /// Names exactly the plan that is shown; an answer that names another is not taken.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// What can be decided; empty in requests that know only approve, adjust and reject.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<ApprovalAction>,
    /// How often the plan was changed at this gate.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub round: u32,
    /// The answer to what was asked of the plan last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

text_enum!(
    /// What a reviewer decides.
    ApprovalAction {
        /// Run it as it is.
        Approve = "APPROVE",
        /// Run it with these changes.
        Adjust = "ADJUST",
        /// Do not run it.
        Reject = "REJECT",
        /// Answer a question; the plan stays as it is.
        Ask = "ASK",
        /// Plan again by one of the alternatives.
        Alternative = "ALTERNATIVE",
        /// Change the plan, in words or by field, and show it again.
        Modify = "MODIFY",
        /// Make another plan altogether.
        Regenerate = "REGENERATE",
        /// Go back to an earlier version of the plan.
        Version = "VERSION",
    }
);

/// A reviewer's decision on one plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HumanApprovalDecision {
    /// The plan that was decided on.
    pub plan_id: PlanId,
    /// What the person chose.
    pub action: ApprovalAction,
    /// The changes, when the decision is to adjust.
    #[serde(default)]
    pub adjustments: Vec<Adjustment>,
    /// What the reviewer says of it; the question, when the decision is to ask, and the change in words.
    #[serde(default)]
    pub comments: String,
    /// The alternative, when one is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternative: Option<String>,
    /// The version to go back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<PlanVersion>,
    /// The digest of the plan that the reviewer was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl HumanApprovalDecision {
    /// A decision that needs no more words.
    #[must_use]
    pub const fn new(plan_id: PlanId, action: ApprovalAction) -> Self {
        Self {
            plan_id,
            action,
            adjustments: Vec::new(),
            comments: String::new(),
            alternative: None,
            version: None,
            digest: None,
        }
    }
}

/// One field of one task that a reviewer sets to a new value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adjustment {
    /// Task whose field is changed.
    pub task_id: TaskId,
    /// The field, such as `priority` or `inputs.max_price`.
    pub field: String,
    /// Value that takes the place of the old one.
    pub new_value: serde_json::Value,
}

/// Asks a person what to do about a task that failed again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureEscalationRequest {
    /// Task that failed for good.
    pub task_id: TaskId,
    /// How often it failed.
    pub failure_count: u32,
    /// One entry per failed attempt.
    pub errors: Vec<String>,
    /// What the person could do.
    pub suggested_actions: NonEmpty<String>,
}

text_enum!(
    /// What is to be done about a task that failed again and again.
    GuidanceAction {
        /// Try it again, with the changes given.
        Retry = "RETRY",
        /// Go on without it.
        Skip = "SKIP",
        /// Give the run up.
        Abort = "ABORT",
    }
);

/// A person's guidance on a task that failed again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guidance {
    /// What is to be done.
    pub action: GuidanceAction,
    /// For a retry: the agent to use instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<AgentType>,
    /// For a retry: inputs to set.
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub inputs: JsonMap,
    /// What the person says of it.
    #[serde(default)]
    pub comments: String,
}

/// A question that waits for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// May this version of the plan run?
    Approval {
        /// The version that is shown; an answer holds for no other.
        version: PlanVersion,
        /// Plan, risks and alternatives that are shown.
        request: HumanApprovalRequest,
    },
    /// What is to be done about this task?
    Guidance(FailureEscalationRequest),
    /// One of several options.
    Choice(ChoiceRequest),
}

/// A person's answer to a [`Question`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// On whether a plan may run.
    Approval(HumanApprovalDecision),
    /// On what to do about a task.
    Guidance(Guidance),
    /// One of the options.
    Choice(Choice),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_decisions_parse_and_others_do_not() {
        // spec: planning EN-18
        for action in ["APPROVE", "ADJUST", "REJECT"] {
            let text = format!(r#"{{"plan_id":"p","action":"{action}","comments":""}}"#);
            assert_eq!(crate::from_json::<HumanApprovalDecision>(&text).unwrap().action.as_str(), action);
        }
        let error = crate::from_json::<HumanApprovalDecision>(r#"{"plan_id":"p","action":"MAYBE"}"#);
        assert_eq!(error.unwrap_err().field, "action");
    }

    #[test]
    fn a_request_without_reasons_cannot_be_built() {
        // spec: planning EN-17
        let text = |reasons: &str| {
            format!(
                r#"{{"plan_id":"p","confidence_score":0.45,"reasons":{reasons},"plan_summary":"s",
                "recommended_action":"REVIEW_AND_ADJUST"}}"#
            )
        };
        assert!(crate::from_json::<HumanApprovalRequest>(&text(r#"["low"]"#)).is_ok());
        assert_eq!(crate::from_json::<HumanApprovalRequest>(&text("[]")).unwrap_err().field, "reasons");
    }
}
