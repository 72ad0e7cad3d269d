//! The sentences that are part of the data, in English: they are the same on a screen, in a report as JSON and in
//! the answer of a tool.

use candor_model::{Money, PlanningError, RunStatus, Seconds};
use candor_planning::texts::plain;

use crate::format;

/// What is said of an empty value.
pub const NOTHING: &str = "nothing";
/// What is said of `true`.
pub const YES: &str = "yes";
/// What is said of `false`.
pub const NO: &str = "no";

/// What is said of a run whose agents made their results up.
pub const SAMPLE_DATA: &str = "This is sample data: nothing was booked, and no price is real.";

/// `1 task`, `2 tasks`.
#[must_use]
pub fn plural(count: usize, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {what}{ending}", format::count(count))
}

/// `… and 9,000 more`.
#[must_use]
pub fn and_more(more: usize) -> String {
    format!("… and {} more", format::count(more))
}

/// `1 entry`, `2 entries`.
#[must_use]
pub fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{} entries", format::count(count)) }
}

/// `1 field`, `2 fields`.
#[must_use]
pub fn fields(count: usize) -> String {
    plural(count, "field")
}

/// A run's status for people.
#[must_use]
pub const fn run_status(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Preparing => "planning",
        RunStatus::Executing => "running",
        RunStatus::WaitingHuman => "waiting for a person",
        RunStatus::Paused => "paused",
        RunStatus::Stopping => "stopping",
        RunStatus::Completed => "completed",
        RunStatus::Failed => "failed",
        RunStatus::Aborted => "aborted",
        RunStatus::Cancelled => "cancelled",
    }
}

/// `3 of 4 tasks, 2 failed attempts, 14s, $0.02`.
#[must_use]
pub fn sums(done: usize, tasks: usize, failures: usize, took: Seconds, spent: Money) -> String {
    let failures =
        if failures == 0 { String::new() } else { format!(", {}", plural(failures, "failed attempt")) };
    format!(
        "{} of {}{failures}, {}, {}",
        format::count(done),
        plural(tasks, "task"),
        format::duration(took),
        format::money(spent)
    )
}

/// Sums, and how often the plan was revised, if it was.
#[must_use]
pub fn and_revisions(sums: &str, revisions: usize) -> String {
    if revisions == 0 { sums.to_owned() } else { format!("{sums}, {}", plural(revisions, "revision")) }
}

/// How a run ended, or where it stands, with its sums.
#[must_use]
pub fn how_it_went(status: RunStatus, ended: Option<&str>, sums: &str) -> String {
    match ended {
        Some(ended) => format!("{}. {sums}.", ended.trim_end_matches('.')),
        None => format!("The run is not finished; it is {}. So far: {sums}.", run_status(status)),
    }
}

/// Why something is missing.
pub const LEFT_OUT: &str = "left out by a person";
/// Why something is missing.
pub const NOT_DONE_YET: &str = "not done yet";
/// Why something is missing.
pub const NEVER_DONE: &str = "not done, because the run ended before";
/// Why a constraint could not be checked.
pub const NO_OUTPUT_SAYS: &str = "no output says it";
/// What a run that ended before it had a plan lacks.
pub(crate) const PLAN: &str = "A plan";
/// What is missing if nothing tells whether a goal is reached.
pub const PROOF: &str = "A proof that the goal is reached";
/// Why it is missing.
pub const NO_CRITERION: &str = "no criterion says when it is reached";

/// What is said of a criterion, with what was found.
#[must_use]
pub fn does_not_hold(found: &str) -> String {
    with_found("does not hold", found)
}

/// What is said of a criterion or a constraint that nobody could check, with the reason.
#[must_use]
pub fn not_checked(reason: &str) -> String {
    with_found("could not be checked", reason)
}

fn with_found(told: &str, found: &str) -> String {
    if found.is_empty() { told.to_owned() } else { format!("{told}: {}", plain(found)) }
}

/// A task of which only a part was done.
#[must_use]
pub fn in_part(task: &str) -> String {
    format!("{task} (done in part)")
}

/// What a constraint wants: `budget: $2000`.
#[must_use]
pub fn wanted(what: &str, wanted: &str) -> String {
    format!("{}: {wanted}", what.replace('_', " "))
}

/// What was found in place of it.
#[must_use]
pub fn found_instead(found: &str) -> String {
    format!("found {found}")
}

/// An error in plain words, without its full stop.
#[must_use]
pub fn error_text(error: &PlanningError) -> String {
    plain(&error.to_string()).trim_end_matches('.').to_owned()
}

/// What an agent suggests after it failed.
#[must_use]
pub fn agent_suggested(suggestion: &str) -> String {
    format!("The agent suggests: {suggestion}")
}
