//! When a plan is given up, and what a person can do then.
//!
//! Owns the checks that come before every re-planning. It refuses a plan that revisions have made too
//! unsure, and a plan that was revised as often as is allowed; it never counts or changes anything itself.

use candor_model::{Goal, Plan, PlanningError, RunSettings};

use crate::texts::english;

/// Checks, before any work, whether the plan may be revised once more.
///
/// Low confidence is looked at first: it says more about the plan than a count does.
pub fn check_before_replan(
    plan: &Plan,
    settings: &RunSettings,
    errors: &[String],
) -> Result<(), PlanningError> {
    let revisions = plan.metadata.revisions_made();
    let confidence = plan.confidence_score;
    let plan_id = plan.plan_id.clone();
    if revisions > 0 && confidence < settings.abort_threshold {
        return Err(PlanningError::LowConfidence { plan_id, confidence, revisions });
    }
    if revisions >= settings.max_revisions {
        let (limit, errors) = (settings.max_revisions, errors.to_vec());
        return Err(PlanningError::MaxRevisions { plan_id, limit, errors });
    }
    Ok(())
}

/// Says what a person can do about an error, with the goal's own numbers where they are known.
#[must_use]
pub fn suggestion(error: &PlanningError, goal: Option<&Goal>) -> String {
    let constraints = goal.map_or(&[][..], |goal| goal.constraints.as_slice());
    match error {
        PlanningError::PlanInvalid { .. } => english::SUGGEST_REPAIR_PLAN.to_owned(),
        PlanningError::MaxRevisions { .. } => english::suggest_feasible_goal(constraints),
        PlanningError::LowConfidence { .. } => english::suggest_relaxing(constraints),
        PlanningError::PlanRejected { comments, .. } => english::suggest_after_rejection(comments),
        PlanningError::BudgetExceeded { budget, .. }
        | PlanningError::PlanningBudgetExceeded { budget, .. } => english::suggest_planning_budget(*budget),
        PlanningError::PlanningTimeout { limit } => english::suggest_planning_time(*limit),
        PlanningError::RunBudgetExceeded { spent, needed, .. } => {
            english::suggest_run_budget(*spent + *needed)
        }
        PlanningError::Routing { task_id, .. } => english::suggest_agent_for(task_id),
        PlanningError::Precondition { missing } => english::suggest_precondition(missing),
        PlanningError::PhaseFailed { phase, .. } => english::suggest_after_phase(*phase),
        PlanningError::GivenUp { task_id, .. } => english::suggest_after_giving_up(task_id),
        PlanningError::CriteriaUnmet { unmet } => english::suggest_criteria(unmet),
    }
}
