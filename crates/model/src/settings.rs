//! The limits and thresholds of a run, with their defaults.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{Confidence, Money, RetryPolicy, RiskClass, Seconds};

text_enum!(
    /// When a person must approve a plan.
    #[derive(Default)]
    ApprovalPolicy {
        /// When confidence is below the threshold.
        #[default]
        WhenUnsure = "when_unsure",
        /// Every plan waits for a person.
        Always = "always",
    }
);

/// What holds for one run from its start to its end; recorded with the start, so that a replay decides alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RunSettings {
    /// How many tasks run at once.
    pub max_parallel_tasks: u32,
    /// How often one task and those that replace it may be revised. A plan may be revised as often, or once for
    /// every four of its tasks where that is more.
    pub max_revisions: u32,
    /// After how many different ways to do a task have failed a person is asked.
    pub escalate_after_failures: u32,
    /// How a failed attempt is repeated where neither the agent nor the task says otherwise; absent in runs that
    /// began before there was a default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
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
    /// The limits of the phases around the work; absent in runs that began before there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "rooms", alias = "phases")]
    pub phases: Option<PhaseLimits>,
    /// Whether nobody is there to be asked: then questions that have a default are answered by it.
    #[serde(skip_serializing_if = "is_false")]
    pub unattended: bool,
    /// Whether how it goes counts for the agents' figures and for calibration; not for runs with faults on purpose.
    #[serde(skip_serializing_if = "is_true")]
    pub learn: bool,
    /// Whether what is to be done is clear from the start: then the phases ask no model, only the agents do.
    #[serde(skip_serializing_if = "is_false")]
    pub direct: bool,
    /// After how long a program that the code agent runs is stopped; as configured if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_timeout: Option<Seconds>,
    /// What may be done in this run without asking anybody, though it cannot be taken back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<RiskClass>,
    /// Whether models are configured, so that one can be asked for another approach to what failed.
    #[serde(skip_serializing_if = "is_false")]
    pub revise_with_model: bool,
}

impl RunSettings {
    /// The limits of the phases around the work.
    #[must_use]
    pub fn phase_limits(&self) -> PhaseLimits {
        self.phases.unwrap_or_default()
    }
}

/// The limits of the phases around the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PhaseLimits {
    /// The longest request that is accepted, in bytes.
    pub max_request_bytes: u64,
    /// What models may take and give before a person is asked, in tokens.
    pub token_budget: u64,
    /// How often a person may have the plan changed before they must choose among what there is.
    pub max_plan_rounds: u32,
    /// How often a phase is repeated because its own critique says so.
    pub max_refinements: u32,
    /// How often a task is repeated because its result does not hold, before a person is asked.
    pub max_reworks: u32,
    /// When the run counts as a loop.
    pub loop_guard: LoopGuard,
}

impl Default for PhaseLimits {
    fn default() -> Self {
        Self {
            max_request_bytes: 1_000_000,
            token_budget: 50_000,
            max_plan_rounds: 5,
            max_refinements: 2,
            max_reworks: 3,
            loop_guard: LoopGuard::default(),
        }
    }
}

/// When a run counts as a loop; 0 turns a limit off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LoopGuard {
    /// After so many identical calls that failed alike.
    pub identical_calls: u32,
    /// After so many outcomes in a row that brought the run no further.
    pub steps_without_progress: u32,
}

impl Default for LoopGuard {
    fn default() -> Self {
        Self { identical_calls: 3, steps_without_progress: 12 }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !*value
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
            retry: Some(RetryPolicy::default()),
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
            phases: Some(PhaseLimits::default()),
            unattended: false,
            learn: true,
            direct: false,
            code_timeout: None,
            allow: Vec::new(),
            revise_with_model: false,
        }
    }
}
