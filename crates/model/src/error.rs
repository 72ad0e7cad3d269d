//! The ways in which planning and execution end early, each with its numbers besides its text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{Confidence, Goal, Money, Phase, Plan, PlanId, Seconds, TaskId, TaskRisk};

text_enum!(
    /// The stable names of the kinds of error; programs match on these, never on sentences.
    ErrorKind {
        /// A field is missing or has a value that its type does not allow.
        ValidationError = "ValidationError",
        /// A plan that cannot be carried out.
        PlanValidationError = "PlanValidationError",
        /// A plan that was revised as often as is allowed.
        MaxRevisionsExceeded = "MaxRevisionsExceeded",
        /// A task that was revised as often as is allowed.
        TaskRevisionsExceeded = "TaskRevisionsExceeded",
        /// A task that failed and for which nothing is left to try.
        Unrecovered = "Unrecovered",
        /// A plan that revisions have made too unsure.
        LowConfidenceError = "LowConfidenceError",
        /// A plan that a person rejected.
        PlanRejectedError = "PlanRejectedError",
        /// A budget that was overdrawn, as the tracker sees it.
        BudgetExceededError = "BudgetExceededError",
        /// Planning that cost too much, as the caller sees it.
        PlanningBudgetExceeded = "PlanningBudgetExceeded",
        /// Planning that took too long.
        PlanningTimeout = "PlanningTimeout",
        /// A run that cost too much.
        RunBudgetExceeded = "RunBudgetExceeded",
        /// No agent could be found for a task.
        RoutingError = "RoutingError",
        /// Something that planning needs is not there.
        PreconditionError = "PreconditionError",
        /// A phase that failed.
        PhaseFailed = "PhaseFailed",
        /// A person gave the run up.
        GivenUp = "GivenUp",
        /// The result does not meet the success criteria.
        CriteriaUnmet = "CriteriaUnmet",
        /// A guardrail, a critique or a person stopped the run.
        Halted = "Halted",
        /// An act that cannot be undone, in an unattended run that does not allow it.
        NotAllowed = "NotAllowed",
    }
);

/// What planning had produced when it ended early. Never executed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartialResult {
    /// The goal, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Box<Goal>>,
    /// The plan, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Box<Plan>>,
}

/// Why planning or execution ended early.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum PlanningError {
    /// The plan cannot be carried out.
    #[error("{}", errors.join("; "))]
    PlanInvalid {
        /// Plan that did not pass.
        plan_id: PlanId,
        /// What is wrong with it.
        errors: Vec<String>,
    },
    /// The plan was revised as often as is allowed.
    #[error("Plan {plan_id} exceeded {limit} revisions. Latest errors: {}", errors.join("; "))]
    MaxRevisions {
        /// Plan whose limit was reached.
        plan_id: PlanId,
        /// How often it may be revised.
        limit: u32,
        /// What went wrong last.
        errors: Vec<String>,
    },
    /// One task was revised as often as is allowed.
    #[error("Task {task_id} failed after {limit} revisions: {}", errors.join("; "))]
    TaskRevisions {
        /// Task whose lineage reached its limit.
        task_id: TaskId,
        /// How often it may be revised.
        limit: u32,
        /// What went wrong last.
        errors: Vec<String>,
    },
    /// A task failed and nothing is left to try.
    #[error("Task {task_id} failed and nothing is left to try: {reason}")]
    Unrecovered {
        /// Task that stays failed.
        task_id: TaskId,
        /// Message of its last failure.
        reason: String,
    },
    /// Revisions have made the plan too unsure.
    #[error("Plan confidence {:.2} too low after {revisions} revisions. Aborting.", confidence.get())]
    LowConfidence {
        /// Plan that was too uncertain.
        plan_id: PlanId,
        /// How sure Candor still is.
        confidence: Confidence,
        /// How often it was revised.
        revisions: u32,
    },
    /// A person rejected the plan.
    #[error("Plan rejected by human reviewer")]
    PlanRejected {
        /// Plan that a person refused.
        plan_id: PlanId,
        /// What the person said.
        comments: String,
    },
    /// A budget was overdrawn.
    #[error("Cost ${spent:.4} exceeds budget ${budget}")]
    BudgetExceeded {
        /// Spent when the check was made.
        spent: Money,
        /// Limit of the budget.
        budget: Money,
    },
    /// Planning cost too much.
    #[error(
        "Planning cost ${spent:.4} exceeds budget ${budget}. Consider simplifying goal or increasing budget."
    )]
    PlanningBudgetExceeded {
        /// Spent on planning so far.
        spent: Money,
        /// Limit of the planning budget.
        budget: Money,
        /// What there was by then.
        partial: PartialResult,
    },
    /// Planning took too long.
    #[error("Planning took longer than {limit} s and was cancelled")]
    PlanningTimeout {
        /// How long it may take.
        limit: Seconds,
    },
    /// The run cost too much.
    #[error("The run has spent ${spent:.4} of its budget of ${budget}, and the next step needs ${needed:.4}")]
    RunBudgetExceeded {
        /// Spent by the whole run so far.
        spent: Money,
        /// Limit of the run's budget.
        budget: Money,
        /// What the next step would have cost.
        needed: Money,
    },
    /// No agent could be found.
    #[error("No agent for task {task_id}: {reason}")]
    Routing {
        /// Task that no agent fits.
        task_id: TaskId,
        /// Why nobody fits.
        reason: String,
    },
    /// Something that planning needs is not there.
    #[error("Planning cannot start: {missing}")]
    Precondition {
        /// What has to be there before the phase can start.
        missing: String,
    },
    /// A phase could not produce its result.
    #[error("Phase {phase} failed: {reason}")]
    PhaseFailed {
        /// Phase that failed.
        phase: Phase,
        /// Cause in the program's own words.
        reason: String,
    },
    /// A person gave the run up.
    #[error("Given up by a person at task {task_id}")]
    GivenUp {
        /// The task they were asked about.
        task_id: TaskId,
        /// Reason that the person gave.
        comments: String,
    },
    /// Something was found that a person had to decide on, and the run was stopped for it.
    #[error("Stopped at {what}: {reason}")]
    Halted {
        /// What was in the way, such as `guardrail no-production`.
        what: String,
        /// Finding that stopped it.
        reason: String,
    },
    /// The plan has acts that cannot be undone, nobody can be asked, and the run does not allow them.
    #[error("Not allowed in an unattended run: {}", risks.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    NotAllowed {
        /// Acts that need a person's leave.
        risks: Vec<TaskRisk>,
    },
    /// The result does not meet the success criteria.
    #[error("Success criteria not met: {}", unmet.join("; "))]
    CriteriaUnmet {
        /// Those that are not met.
        unmet: Vec<String>,
    },
}

impl PlanningError {
    /// The stable name of this kind of error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::PlanInvalid { .. } => ErrorKind::PlanValidationError,
            Self::MaxRevisions { .. } => ErrorKind::MaxRevisionsExceeded,
            Self::TaskRevisions { .. } => ErrorKind::TaskRevisionsExceeded,
            Self::Unrecovered { .. } => ErrorKind::Unrecovered,
            Self::LowConfidence { .. } => ErrorKind::LowConfidenceError,
            Self::PlanRejected { .. } => ErrorKind::PlanRejectedError,
            Self::BudgetExceeded { .. } => ErrorKind::BudgetExceededError,
            Self::PlanningBudgetExceeded { .. } => ErrorKind::PlanningBudgetExceeded,
            Self::PlanningTimeout { .. } => ErrorKind::PlanningTimeout,
            Self::RunBudgetExceeded { .. } => ErrorKind::RunBudgetExceeded,
            Self::Routing { .. } => ErrorKind::RoutingError,
            Self::Precondition { .. } => ErrorKind::PreconditionError,
            Self::PhaseFailed { .. } => ErrorKind::PhaseFailed,
            Self::GivenUp { .. } => ErrorKind::GivenUp,
            Self::CriteriaUnmet { .. } => ErrorKind::CriteriaUnmet,
            Self::Halted { .. } => ErrorKind::Halted,
            Self::NotAllowed { .. } => ErrorKind::NotAllowed,
        }
    }
}
