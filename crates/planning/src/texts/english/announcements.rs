//! Partial results, early ends, warnings.

use candor_model::{AgentType, Confidence, ErrorKind, Seconds, TaskId};

use super::{listed, sentence};

pub(crate) const LOW_CONFIDENCE_TITLE: &str = "Moderate confidence";
pub(crate) const LOW_CONFIDENCE_SUGGESTION: &str = "Look the result over before relying on it.";

pub(crate) fn low_confidence_text(confidence: Confidence) -> String {
    format!(
        "The plan runs with a confidence of only {:.2}: parts of it may fail or need changes.",
        confidence.get()
    )
}

pub(crate) fn partial_title(name: &str) -> String {
    format!("{name} was done only in part")
}

pub(crate) fn partial_text(name: &str, task: &TaskId, missing: &[String], errors: &[String]) -> String {
    let mut text = format!("{name} ({task}) was done only in part.");
    if missing.is_empty() && errors.is_empty() {
        text.push_str(" What is missing was not said.");
    }
    if !missing.is_empty() {
        text.push_str(&format!(" Missing: {}.", listed(missing, ", ")));
    }
    if !errors.is_empty() {
        text.push_str(&format!(" Reported: {}", sentence(&listed(errors, "; "))));
    }
    text
}

pub(crate) const fn abort_title(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::ValidationError => "The input is not valid",
        ErrorKind::PlanValidationError => "The plan cannot be carried out",
        ErrorKind::MaxRevisionsExceeded => "The plan is not feasible",
        ErrorKind::TaskRevisionsExceeded | ErrorKind::Unrecovered => "A task failed for good",
        ErrorKind::LowConfidenceError => "The plan has become too unsure",
        ErrorKind::PlanRejectedError => "The plan was rejected",
        ErrorKind::BudgetExceededError | ErrorKind::PlanningBudgetExceeded => "Planning cost too much",
        ErrorKind::PlanningTimeout => "Planning took too long",
        ErrorKind::RunBudgetExceeded => "The run's budget does not allow the next step",
        ErrorKind::RoutingError => "No agent for a task",
        ErrorKind::PreconditionError => "Planning cannot start",
        ErrorKind::PhaseFailed => "A phase failed",
        ErrorKind::GivenUp => "The run was given up",
        ErrorKind::CriteriaUnmet => "The result is not what was wanted",
        ErrorKind::Halted => "The run was stopped",
        ErrorKind::NotAllowed => "Refused",
    }
}

pub(crate) fn abort_text(kind: ErrorKind, cause: &str) -> String {
    match kind {
        ErrorKind::BudgetExceededError | ErrorKind::PlanningBudgetExceeded => {
            format!("Planning budget exceeded: {cause}")
        }
        ErrorKind::MaxRevisionsExceeded => format!("The plan is not feasible as it stands. {cause}"),
        _ => cause.to_owned(),
    }
}

pub(crate) fn waiting_title(agent: &AgentType) -> String {
    format!("Waiting for {agent}")
}

pub(crate) fn waiting_text(agent: &AgentType, wait: Seconds) -> String {
    format!("{agent}: circuit open, retry in {:.0} s; no other agent fits its tasks", wait.get().ceil())
}

pub(crate) const NO_RESOURCES_TITLE: &str = "Candor lacks resources";
pub(crate) const NO_RESOURCES_SUGGESTION: &str =
    "Lower max_parallel_tasks, or raise this machine's limits (ulimit -n, ulimit -u, memory, disk).";

pub(crate) fn no_resources_text(reason: &str) -> String {
    format!("{reason}. Fewer tasks run at once from now on; none of them counts as failed.")
}
