//! When a plan is given up, and what a person can do then.
//!
//! Owns the checks that come before every re-planning. It refuses a plan that revisions have made too
//! unsure, and a plan that was revised as often as is allowed; it never counts or changes anything itself.

use candor_model::{Goal, Plan, PlanningError, RunId, RunSettings, SubTask};

use crate::replan::lineage;
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
    let (limit, errors) = (max_revisions(plan, settings), errors.to_vec());
    if revisions >= limit {
        return Err(PlanningError::MaxRevisions { plan_id, limit, errors });
    }
    Ok(())
}

/// How often a plan may be revised: as often as one task, or once for every four tasks where that is more.
///
/// A large plan meets more failures than a small one, and each of them has its own limit.
#[must_use]
pub fn max_revisions(plan: &Plan, settings: &RunSettings) -> u32 {
    if settings.max_revisions == 0 {
        return 0;
    }
    let quarter = u32::try_from(plan.subtasks.len().div_ceil(4)).unwrap_or(u32::MAX);
    settings.max_revisions.max(quarter)
}

/// Checks whether one task, with those it goes back to, may be revised once more.
pub fn check_lineage(
    plan: &Plan,
    task: &SubTask,
    settings: &RunSettings,
    errors: &[String],
) -> Result<(), PlanningError> {
    let limit = settings.max_revisions;
    if lineage::revisions(plan, task) < usize::try_from(limit).unwrap_or(usize::MAX) {
        return Ok(());
    }
    let (task_id, errors) = (task.task_id.clone(), errors.to_vec());
    Err(PlanningError::TaskRevisions { task_id, limit, errors })
}

/// Says why a request cannot be worked with: it is empty, too long, or no text.
pub fn check_request(words: &str, most: u64) -> Result<(), String> {
    if words.trim().is_empty() {
        return Err(english::REQUEST_EMPTY.to_owned());
    }
    let bytes = u64::try_from(words.len()).unwrap_or(u64::MAX);
    if bytes > most {
        return Err(english::request_too_long(bytes, most));
    }
    let control = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    if let Some((at, letter)) = words.char_indices().find(|(_, letter)| control(*letter)) {
        let line = words.get(..at).unwrap_or_default().matches('\n').count() + 1;
        return Err(english::request_not_text(line, letter));
    }
    if !words.chars().any(char::is_alphanumeric) {
        return Err(english::REQUEST_WITHOUT_WORDS.to_owned());
    }
    Ok(())
}

/// Says what a person can do about the error of a run, with the goal's own numbers where they are known.
#[must_use]
pub fn suggestion(error: &PlanningError, goal: Option<&Goal>, run: &RunId) -> String {
    let constraints = goal.map_or(&[][..], |goal| goal.constraints.as_slice());
    match error {
        PlanningError::PlanInvalid { .. } => english::SUGGEST_REPAIR_PLAN.to_owned(),
        PlanningError::MaxRevisions { .. } => english::suggest_feasible_goal(constraints),
        PlanningError::TaskRevisions { task_id, .. } | PlanningError::Unrecovered { task_id, .. } => {
            english::suggest_after_failing(task_id, run)
        }
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
        PlanningError::NotAllowed { risks } => english::suggest_allowing(risks),
        PlanningError::Halted { what, .. } => english::suggest_after_halt(what),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_overlong_and_garbled_requests_are_refused_with_a_reason() {
        // spec: orchestrator GR-12
        for (text, said) in [
            ("", "is empty"),
            (" \n\t ", "is empty"),
            ("Plan a trip to the sea", "has 22 bytes and may have 20"),
            ("Plan\na \0 trip", "line 2 has the control character U+0000"),
            ("Plan \u{1b}[31m it", "U+001B"),
            ("?!… --", "no word"),
        ] {
            let reason = check_request(text, 20).unwrap_err();
            assert!(reason.contains(said), "{text:?}: {reason}");
        }
    }

    #[test]
    fn text_is_taken_up_to_the_last_byte() {
        assert_eq!(check_request("Plan a trip\r\n\tnow", 17), Ok(()));
        assert_eq!(check_request("计划", 6), Ok(()));
        assert!(check_request("计划", 5).is_err());
    }
}
