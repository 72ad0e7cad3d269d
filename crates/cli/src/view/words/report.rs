//! What a report says.

use candor_model::Confidence;

use candor_projections::attempt_output::AttemptOutput;
use candor_projections::format;
use candor_projections::words::plural;

pub(in crate::view) const NOT_KNOWN: &str = "not known";
pub(in crate::view) const NOT_SAID: &str = "not said";
pub(in crate::view) const TOTAL: &str = "Total";

pub(in crate::view) mod title {
    pub(in crate::view) const RESULT: &str = "Result";
    pub(in crate::view) const MISSING: &str = "What is missing or does not hold";
    pub(in crate::view) const HOW: &str = "How it came about";
    pub(in crate::view) const STEPS: &str = "Results of the steps before";
    pub(in crate::view) const GOAL: &str = "Goal";
    pub(in crate::view) const CRITERIA: &str = "Success criteria";
    pub(in crate::view) const PLAN: &str = "Plan";
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

pub(in crate::view) fn repaired(repairs: &[String]) -> String {
    format!("Repaired before it could run: {}.", repairs.join("; "))
}

pub(in crate::view) fn done_about_it(strategy: &str) -> String {
    format!("What was done: {}.", strategy.trim_end_matches('.'))
}

/// `text` with a full stop.
pub(in crate::view) fn sentence(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
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

pub(in crate::view) fn attempt_of(agent: &str, attempt: u32) -> String {
    if attempt == 0 { "never started".to_owned() } else { format!("attempt {attempt} by {agent}") }
}

pub(in crate::view) const NO_FAILURES: &str = "No task failed.";

pub(in crate::view) fn done_in_part(missing: &str) -> String {
    if missing.is_empty() { "done in part".to_owned() } else { format!("done in part: {missing}") }
}

pub(in crate::view) fn done_with_warning(warning: &str) -> String {
    format!("done with a warning: {warning}")
}

pub(in crate::view) const NO_REVISIONS: &str = "The plan was carried out as it was proposed.";
pub(in crate::view) const NO_RESULTS: &str = "There is no result.";
pub(in crate::view) const NOTHING_MISSING: &str =
    "Every task was done, and nothing that was checked fails to hold.";

pub(in crate::view) const ERRORS: &str = "errors";
pub(in crate::view) const ERROR_DETAIL: &str = "detail";
pub(in crate::view) const NOTES_OF_AGENT: &str = "steps";
pub(in crate::view) const TOLD_BY_AGENT: &str = "messages";
pub(in crate::view) const ANSWER: &str = "answer";
pub(in crate::view) const STDERR: &str = "standard error";

/// `── load_7 attempt 2: Load shard 7, etl agent, failed after 1.2s ──`; a task that was never started has no
/// attempts, only a reason.
pub(in crate::view) fn attempt_head(output: &AttemptOutput<'_>, agent: Option<&str>, took: &str) -> String {
    let agent = agent.map(|agent| format!("{agent}, ")).unwrap_or_default();
    let outcome = output.outcome.replace('_', " ");
    let (id, number) = (output.task_id, output.attempt);
    if number == 0 {
        return format!("── {id}: {}, {outcome} ──", output.task);
    }
    format!("── {id} attempt {number}: {}, {agent}{outcome} after {took} ──", output.task)
}

pub(in crate::view) fn left_out_of_log(bytes: usize) -> String {
    format!("[… {} left out; --full shows them …]", plural(bytes, "byte"))
}

pub(in crate::view) fn bytes_left_out(bytes: usize) -> String {
    format!("[… {} left out …]", plural(bytes, "byte"))
}
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
