//! How a run ended, and what is learned from it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{Confidence, ExecutionFeedback, ExecutionId, Money, Phase, PlanId, Seconds, Share, Timestamp};

text_enum!(
    /// How the execution of a plan ended.
    ExecutionStatus {
        /// Every task of the final plan succeeded.
        Success = "SUCCESS",
        /// Some were left out, and all others succeeded.
        Partial = "PARTIAL",
        /// At least one task did not succeed.
        Failure = "FAILURE",
        /// A limit or a person stopped it.
        Aborted = "ABORTED",
        /// A person cancelled it.
        Cancelled = "CANCELLED",
    }
);

/// One execution of a plan with everything its agents reported, in the order in which they did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecutionResult {
    /// Id of the execution, other than that of its run and its plan.
    pub execution_id: ExecutionId,
    /// The plan that was executed.
    pub plan_id: PlanId,
    /// When the first task was given out.
    pub start_time: Timestamp,
    /// When the last answer came.
    pub end_time: Timestamp,
    /// The time between the two, not the sum of the tasks.
    pub total_duration_seconds: Seconds,
    /// Whether all tasks succeeded.
    pub status: ExecutionStatus,
    /// One entry per attempt, by time of completion.
    pub feedback: Vec<ExecutionFeedback>,
}

/// What the calibrator learns from one plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanOutcome {
    /// Plan that was carried out.
    pub plan_id: PlanId,
    /// The confidence it was launched with, after calibration.
    pub confidence_score: Confidence,
    /// Whether the whole plan succeeded.
    pub success: bool,
    /// How long it took.
    pub execution_time: Seconds,
    /// Cost of all attempts.
    pub cost: Money,
    /// What models took in each phase, in tokens; phases without any are absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phase_tokens: BTreeMap<Phase, u64>,
    /// The request, so that the same one is known again; absent in old logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<KnownRequest>,
}

/// A request by which the same one is known again. Digests, so that no words leave the run's own log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownRequest {
    /// The digest of its words; case and white space do not count.
    pub words: String,
    /// The digest of the files that it works from, as they were read.
    pub files: String,
}

/// How far past confidence can be trusted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CalibrationMetrics {
    /// Pearson's r between confidence and success; absent where it is undefined.
    pub correlation: Option<f64>,
    /// Failures among the plans above 0.8.
    pub over_confidence_rate: Share,
    /// Successes among the plans below 0.5.
    pub under_confidence_rate: Share,
    /// The number of outcomes.
    pub sample_size: u32,
    /// How likely such an r would be without any relation; absent where it is undefined.
    pub p_value: Option<f64>,
}
