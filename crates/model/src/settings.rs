//! The limits and thresholds of a run, with their defaults.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{Confidence, Money, Seconds};

text_enum!(
    /// When a person must approve a plan.
    #[derive(Default)]
    ApprovalPolicy {
        /// When confidence is below the threshold.
        #[default]
        WhenUnsure = "when_unsure",
        /// Always.
        Always = "always",
    }
);

/// What holds for one run from its start to its end; recorded with the start, so that a replay decides alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RunSettings {
    /// How many tasks run at once.
    pub max_parallel_tasks: u32,
    /// How often a plan may be revised.
    pub max_revisions: u32,
    /// After how many failures of a task a person is asked.
    pub escalate_after_failures: u32,
    /// When a person must approve a plan.
    pub approval: ApprovalPolicy,
    /// Below this confidence a person must approve.
    pub approval_threshold: Confidence,
    /// Below this confidence a revised plan is given up.
    pub abort_threshold: Confidence,
    /// Below this confidence, but above the approval threshold, people are warned.
    pub warning_threshold: Confidence,
    /// An agent that scores lower is no backup.
    pub min_backup_score: f64,
    /// How long an agent may take for one attempt.
    pub agent_timeout: Seconds,
    /// How long planning may take, without the time in which people think.
    pub planning_timeout: Seconds,
    /// What planning may cost.
    pub planning_budget: Money,
    /// What the whole run may cost; no limit if absent.
    pub run_budget: Option<Money>,
    /// The largest plan that is accepted, in bytes of JSON.
    pub max_plan_bytes: u64,
    /// Whether how it goes counts for the agents' figures and for calibration; not for runs with faults on purpose.
    #[serde(skip_serializing_if = "is_true")]
    pub learn: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_true(value: &bool) -> bool {
    *value
}

impl Default for RunSettings {
    fn default() -> Self {
        let confidence = |value| Confidence::new(value).unwrap_or(Confidence::NONE);
        Self {
            max_parallel_tasks: 10,
            max_revisions: 3,
            escalate_after_failures: 3,
            approval: ApprovalPolicy::default(),
            approval_threshold: confidence(0.5),
            abort_threshold: confidence(0.3),
            warning_threshold: confidence(0.7),
            min_backup_score: 0.5,
            agent_timeout: Seconds::whole(10),
            planning_timeout: Seconds::whole(3),
            planning_budget: Money::from_micros(10_000),
            run_budget: None,
            max_plan_bytes: 1_000_000,
            learn: true,
        }
    }
}
