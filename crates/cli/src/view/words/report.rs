//! What a report says.

use candor_model::{Confidence, EventBody, PlanningError, RunStatus};
use candor_planning::texts::plain;

use super::{plural, run_status};
use crate::view::format;

pub(in crate::view) const SAMPLE_DATA: &str =
    "This is sample data: nothing was booked, and no price is real.";
pub(in crate::view) const NOTHING: &str = "nothing";
pub(in crate::view) const YES: &str = "yes";
pub(in crate::view) const NO: &str = "no";
pub(in crate::view) const NOT_KNOWN: &str = "not known";
pub(in crate::view) const NOT_SAID: &str = "not said";
pub(in crate::view) const TOTAL: &str = "Total";

pub(in crate::view) mod title {
    pub(in crate::view) const GOAL: &str = "Goal";
    pub(in crate::view) const CRITERIA: &str = "Success criteria";
    pub(in crate::view) const PLAN: &str = "Plan";
    pub(in crate::view) const RESULTS: &str = "Results";
    pub(in crate::view) const TIMELINE: &str = "Timeline";
    pub(in crate::view) const FAILURES: &str = "Failures and what was done";
    pub(in crate::view) const REVISIONS: &str = "Revisions";
    pub(in crate::view) const CONFIDENCE: &str = "Confidence over time";
    pub(in crate::view) const COST: &str = "Cost";
    pub(in crate::view) const MODELS: &str = "Models";
    pub(in crate::view) const PEOPLE: &str = "What people decided";
    pub(in crate::view) const NOTES: &str = "Also worth knowing";
    pub(in crate::view) const LESSONS: &str = "Lessons";
    pub(in crate::view) const FURTHER: &str = "To look further";
}

pub(in crate::view) mod column {
    pub(in crate::view) const WHAT: &str = "What";
    pub(in crate::view) const WANTED: &str = "Wanted";
    pub(in crate::view) const FOUND: &str = "Found";
    pub(in crate::view) const MODEL: &str = "Model";
    pub(in crate::view) const MET: &str = "Met";
    pub(in crate::view) const TASK: &str = "Task";
    pub(in crate::view) const RESULT: &str = "Result";
    pub(in crate::view) const START: &str = "Start";
    pub(in crate::view) const AGENT: &str = "Agent";
    pub(in crate::view) const ATTEMPT: &str = "Attempt";
    pub(in crate::view) const OUTCOME: &str = "Outcome";
    pub(in crate::view) const TOOK: &str = "Took";
    pub(in crate::view) const COST: &str = "Cost";
    pub(in crate::view) const REVISION: &str = "Revision";
    pub(in crate::view) const WHEN: &str = "When";
    pub(in crate::view) const BECAUSE: &str = "Because of";
    pub(in crate::view) const CHANGES: &str = "Changes";
    pub(in crate::view) const CONFIDENCE: &str = "Confidence";
    pub(in crate::view) const CAUSE: &str = "Cause";
    pub(in crate::view) const ATTEMPTS: &str = "Attempts";
    pub(in crate::view) const FAILED: &str = "Failed";
    pub(in crate::view) const ACCOUNT: &str = "Account";
}

pub(in crate::view) fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{} entries", format::count(count)) }
}

pub(in crate::view) fn fields(count: usize) -> String {
    plural(count, "field")
}

/// How a run ended, or where it stands, in one sentence.
pub(in crate::view) fn verdict(status: RunStatus, end: Option<&EventBody>, sums: &str) -> String {
    match end {
        Some(EventBody::RunCompleted { skipped }) if skipped.is_empty() => {
            format!("The goal was reached: {sums}.")
        }
        Some(EventBody::RunCompleted { skipped }) => {
            format!("The goal was reached with {} left out: {sums}.", plural(skipped.len(), "task"))
        }
        Some(EventBody::RunFailed { error, .. }) => {
            format!("The goal was not reached: {}. So far: {sums}.", error_text(error))
        }
        Some(EventBody::RunAborted { error, .. }) => {
            format!("The run ended early: {}. So far: {sums}.", error_text(error))
        }
        Some(EventBody::RunCancelled { reason }) if reason.trim().is_empty() => {
            format!("A person cancelled the run. So far: {sums}.")
        }
        Some(EventBody::RunCancelled { reason }) => {
            format!("A person cancelled the run ({}). So far: {sums}.", plain(reason))
        }
        _ => format!("The run is not finished; it is {}. So far: {sums}.", run_status(status)),
    }
}

/// An error in plain words, without its full stop.
pub(in crate::view) fn error_text(error: &PlanningError) -> String {
    plain(&error.to_string()).trim_end_matches('.').to_owned()
}

pub(in crate::view) fn and_revisions(sums: &str, revisions: usize) -> String {
    if revisions == 0 { sums.to_owned() } else { format!("{sums}, {}", plural(revisions, "revision")) }
}

pub(in crate::view) fn repaired(repairs: &[String]) -> String {
    format!("Repaired before it could run: {}.", repairs.join("; "))
}

pub(in crate::view) fn done_about_it(strategy: &str, delay: &str) -> String {
    format!("What was done: {strategy} ({delay}).")
}

pub(in crate::view) fn reason(why: &str) -> String {
    format!("Why: {}.", why.trim_end_matches('.'))
}

pub(in crate::view) fn impact(impact: &str, confidence: &str) -> String {
    format!("Effect: {}; confidence: {}.", impact.trim_end_matches('.'), confidence.trim_end_matches('.'))
}

pub(in crate::view) fn agent_reported(errors: &str) -> String {
    format!("Reported: {errors}")
}

pub(in crate::view) fn agent_suggested(suggestion: &str) -> String {
    format!("The agent suggests: {suggestion}")
}

pub(in crate::view) fn attempt_of(agent: &str, attempt: u32) -> String {
    if attempt == 0 { "never started".to_owned() } else { format!("attempt {attempt} by {agent}") }
}

pub(in crate::view) const NO_FAILURES: &str = "Nothing failed.";

pub(in crate::view) fn done_in_part(missing: &str) -> String {
    if missing.is_empty() { "done in part".to_owned() } else { format!("done in part: {missing}") }
}
pub(in crate::view) const NO_REVISIONS: &str = "The plan was carried out as it was proposed.";
pub(in crate::view) const NO_RESULTS: &str = "There are no results yet.";
pub(in crate::view) const NO_ATTEMPTS: &str = "No task was started.";
pub(in crate::view) const WHAT_FAILED: &str = "What failed";
pub(in crate::view) const WHAT_WORKED: &str = "What worked";
pub(in crate::view) const NEXT_TIME: &str = "Next time";
pub(in crate::view) const SPARKLINE_KEY: &str = "from ▁ (none) to █ (full)";
pub(in crate::view) const WHY_COMMAND: &str = "why each agent and each change was chosen";
pub(in crate::view) const LOGS_COMMAND: &str = "what the agents wrote to their logs";
pub(in crate::view) const POSTMORTEM_COMMAND: &str = "what went wrong, and how to go on";

pub(in crate::view) fn timeline_folded(more: usize, command: &str) -> String {
    format!("… and {} more; all of them: {command}", plural(more, "attempt"))
}

pub(in crate::view) fn confidence_span(first: Confidence, last: Confidence) -> String {
    format!("{} → {}", format::confidence(first), format::confidence(last))
}
