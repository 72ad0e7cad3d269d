//! What planning and runs may cost: sums, caps and what is said when a cap is passed.
//!
//! Arithmetic only, in whole micro-dollars. Nothing here spends; callers ask before they do and tell after.

mod allowance;
mod tracker;

use candor_model::{Announcement, PartialResult, PlanningError, Severity, Timestamp};

pub use self::allowance::Allowance;
pub use self::tracker::{CostEntry, CostTracker, CycleCost, StageLimits, StageOverrun, operation};

/// Turns the tracker's error into the one that callers of planning get, with what there was by then.
/// Other errors stay as they are.
#[must_use]
pub fn planning_budget_exceeded(error: PlanningError, partial: PartialResult) -> PlanningError {
    match error {
        PlanningError::BudgetExceeded { spent, budget } => {
            PlanningError::PlanningBudgetExceeded { spent, budget, partial }
        }
        other => other,
    }
}

/// What developers read in the log about a planning budget that was exceeded.
#[must_use]
pub fn log_text(cause: &PlanningError) -> String {
    format!("Planning budget exceeded: {cause}")
}

/// What people are told about a planning budget that was exceeded.
#[must_use]
pub fn announcement(error: &PlanningError, timestamp: Timestamp) -> Announcement {
    Announcement {
        severity: Severity::Error,
        timestamp,
        task_id: None,
        title: "Planning budget exceeded".to_owned(),
        text: error.to_string(),
        suggestion: Some("Simplify the goal or increase the budget".to_owned()),
    }
}
