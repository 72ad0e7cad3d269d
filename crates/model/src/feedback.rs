//! What came of one attempt at a task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{AgentAnswer, Failure, JsonMap, Money, Seconds, TaskId, Timestamp};

text_enum!(
    /// How an attempt ended.
    FeedbackType {
        /// All tasks of the plan succeeded.
        Success = "SUCCESS",
        /// Nothing usable came of it.
        Failure = "FAILURE",
        /// Something usable came of it, but not all.
        PartialSuccess = "PARTIAL_SUCCESS",
        /// It was done, and the result breaks a constraint of the goal.
        ConstraintViolation = "CONSTRAINT_VIOLATION",
        /// It could not be done because something it needs is missing.
        DependencyFailure = "DEPENDENCY_FAILURE",
    }
);

impl FeedbackType {
    /// Whether the tasks that wait for this one can go on.
    #[must_use]
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Success | Self::PartialSuccess)
    }
}

/// What an agent, or the driver in its place, reports of one attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecutionFeedback {
    /// The task that was attempted.
    pub task_id: TaskId,
    /// How the execution ended.
    pub feedback_type: FeedbackType,
    /// What it produced; may be empty on failure.
    #[serde(default)]
    pub actual_outputs: JsonMap,
    /// What went wrong; empty on success.
    #[serde(default)]
    pub errors: Vec<String>,
    /// How long it took.
    pub duration_seconds: Seconds,
    /// Cost of the execution, without planning.
    #[serde(default)]
    pub cost: Money,
    /// What the agent thinks would help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_adjustments: Option<String>,
    /// Moment at which the execution ended.
    pub timestamp: Timestamp,
    /// Why it failed; absent on success, and in logs that were written before failures had kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl ExecutionFeedback {
    /// Feedback that reports what an agent answered. An agent that does not say what it cost took `price`.
    #[must_use]
    pub fn answered(
        task_id: TaskId,
        answer: AgentAnswer,
        duration: Seconds,
        price: Money,
        at: Timestamp,
    ) -> Self {
        let (feedback_type, failure) = (answer.verdict(), answer.failure());
        let mut errors = answer.errors;
        if let Some(failure) = failure.as_ref().filter(|failure| !errors.contains(&failure.message)) {
            errors.insert(0, failure.message.clone());
        }
        Self {
            task_id,
            feedback_type,
            actual_outputs: answer.outputs,
            errors,
            duration_seconds: duration,
            cost: answer.cost.unwrap_or(price),
            suggested_adjustments: answer.suggested_adjustments,
            timestamp: at,
            failure,
        }
    }

    /// Feedback that reports this failure, with no cost and no outputs.
    #[must_use]
    pub fn failed(task_id: TaskId, failure: Failure, duration: Seconds, at: Timestamp) -> Self {
        Self {
            task_id,
            feedback_type: failure.kind.feedback_type(),
            actual_outputs: JsonMap::new(),
            errors: vec![failure.message.clone()],
            duration_seconds: duration,
            cost: Money::ZERO,
            suggested_adjustments: None,
            timestamp: at,
            failure: Some(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_exactly_five_kinds_written_in_upper_case() {
        // spec: planning EN-10
        assert_eq!(FeedbackType::ALL.len(), 5);
        assert_eq!(FeedbackType::PartialSuccess.as_str(), "PARTIAL_SUCCESS");
        assert!("MAYBE".parse::<FeedbackType>().is_err());
    }

    #[test]
    fn feedback_without_a_suggestion_is_accepted_and_negative_cost_is_not() {
        // spec: planning EN-11
        let text = r#"{"task_id":"task_001","feedback_type":"FAILURE","errors":["Agent timeout after 10s"],
            "duration_seconds":10,"cost":0.0,"timestamp":"2025-01-01T00:00:00Z"}"#;
        let feedback: ExecutionFeedback = crate::from_json(text).unwrap();
        assert_eq!(feedback.suggested_adjustments, None);
        let error = crate::from_json::<ExecutionFeedback>(&text.replace("\"cost\":0.0", "\"cost\":-1"));
        assert_eq!(error.unwrap_err().field, "cost");
    }
}
