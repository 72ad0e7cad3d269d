//! What a person can do after an early end.

use std::collections::BTreeSet;

use candor_model::{Constraint, Money, Phase, RunId, Seconds, TaskId, TaskRisk};
use candor_text::Rule;

use super::{LIST_LIMIT, QUOTE_CHARS, bounded, listed, sentence};
use crate::texts::plain::{plain, shortened};

pub(crate) const SUGGEST_REPAIR_PLAN: &str = "Correct the tasks and dependencies that are named, or describe the goal anew so that another plan is made.";
const SUGGEST_RELAX: &str = "Relax constraints or change goal";
const MONTHS: [&str; 13] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "January",
];

/// Another time, a larger budget, …: what could make a goal feasible, the least important constraint first.
pub(crate) fn suggest_feasible_goal(constraints: &[Constraint]) -> String {
    let ways: Vec<String> = least_important_first(constraints).into_iter().map(loosened).collect();
    if ways.is_empty() {
        return "Try a smaller goal, or split it into several that are run one after the other.".to_owned();
    }
    format!("Try {}.", bounded(&ways, LIST_LIMIT, ", or "))
}

fn least_important_first(constraints: &[Constraint]) -> Vec<&Constraint> {
    let mut sorted: Vec<&Constraint> = constraints.iter().collect();
    sorted.sort_by_key(|constraint| constraint.priority);
    sorted
}

fn loosened(constraint: &Constraint) -> String {
    let value = shortened(constraint.value.as_str(), QUOTE_CHARS);
    match constraint.kind.as_str().to_ascii_lowercase().as_str() {
        "budget" => format!("a larger budget (now {value})"),
        "time" | "date" | "dates" => match following_month(&value) {
            Some((this, next)) => format!("other dates ({next} instead of {this})"),
            None => format!("other dates (now {value})"),
        },
        "duration" => format!("another duration (now {value})"),
        other => format!("a looser {} (now {value})", other.replace('_', " ")),
    }
}

fn following_month(value: &str) -> Option<(&'static str, &'static str)> {
    let words = || Rule::Letters.split(value);
    let mut pairs = MONTHS.iter().zip(MONTHS.iter().skip(1));
    pairs.find(|(month, _)| words().any(|word| word.text == **month)).map(|(month, next)| (*month, *next))
}

pub(crate) fn suggest_relaxing(constraints: &[Constraint]) -> String {
    let now: Vec<String> = least_important_first(constraints)
        .into_iter()
        .map(|constraint| shortened(&format!("{} {}", constraint.label(), constraint.value), QUOTE_CHARS))
        .collect();
    if now.is_empty() {
        return format!("{SUGGEST_RELAX}.");
    }
    format!("{SUGGEST_RELAX}. Constraints now: {}.", listed(&now, ", "))
}

pub(crate) fn suggest_after_rejection(comments: &str) -> String {
    let said = shortened(&plain(comments), QUOTE_CHARS);
    if said.is_empty() {
        return "Describe the goal anew, with what the plan should do differently.".to_owned();
    }
    format!("Describe the goal anew with what the reviewer said in mind: {said}")
}

pub(crate) fn suggest_planning_budget(budget: Money) -> String {
    format!("Raise `planning_budget` under [limits] in candor.toml (now ${budget}), or use a cheaper model.")
}

pub(crate) fn suggest_planning_time(limit: Seconds) -> String {
    format!("Try again, simplify the goal, or allow planning more time (now {limit} s).")
}

pub(crate) fn suggest_run_budget(needed: Money) -> String {
    format!("Raise the budget of the run to at least ${needed:.4} and start it again, or leave out tasks.")
}

pub(crate) fn suggest_agent_for(task: &TaskId) -> String {
    format!("Add an agent that can do task {task}, or describe the task in other words.")
}

pub(crate) fn suggest_precondition(missing: &str) -> String {
    format!("Provide what is missing and start again: {}", sentence(&shortened(&plain(missing), QUOTE_CHARS)))
}

pub(crate) fn suggest_after_phase(phase: Phase) -> String {
    format!("Look at the log of phase {phase}, remove the cause, and start the run again or roll it back.")
}

pub(crate) fn suggest_after_failing(task: &TaskId, run: &RunId) -> String {
    format!("Remove the cause, then `candor resume {run}` tries {task} again and keeps what succeeded.")
}

pub(crate) fn suggest_after_giving_up(task: &TaskId) -> String {
    format!("Start again with a plan that does without task {task}, or with another agent for it.")
}

/// What allows acts that cannot be undone in an unattended run.
pub(crate) fn suggest_allowing(risks: &[TaskRisk]) -> String {
    let classes: BTreeSet<&str> = risks.iter().map(|risk| risk.class.as_str()).collect();
    let flags: Vec<String> = classes.iter().map(|class| format!("--allow {class}")).collect();
    let keys: Vec<String> = classes.iter().map(|class| format!("\"{class}\"")).collect();
    format!(
        "Allow it for one run with {}, or for every run with [approval] allow = [{}]; or run it at a terminal and approve it.",
        flags.join(" "),
        keys.join(", ")
    )
}

pub(crate) fn suggest_after_halt(what: &str) -> String {
    if what == "blocker" {
        return "Remove what stands in the way, then start it again: `candor restart RUN`.".to_owned();
    }
    format!(
        "Settle what {} found, then start again: `candor restart RUN --prompt \"…\"` goes on with other words.",
        plain(what)
    )
}

pub(crate) const REQUEST_EMPTY: &str = "the request is empty; say in plain words what is to be done";

pub(crate) fn request_too_long(bytes: u64, most: u64) -> String {
    format!(
        "the request has {bytes} bytes and may have {most}; put the material into a file and name the file, or raise \
         max_request_bytes"
    )
}

pub(crate) const REQUEST_WITHOUT_WORDS: &str =
    "the request has no word in it; say in plain words what is to be done";

pub(crate) fn request_not_text(line: usize, letter: char) -> String {
    let code = u32::from(letter);
    format!("the request is not plain text: line {line} has the control character U+{code:04X}; take it out")
}

pub(crate) fn suggest_criteria(unmet: &[String]) -> String {
    let unmet: Vec<String> =
        unmet.iter().map(|criterion| shortened(&plain(criterion), QUOTE_CHARS)).collect();
    if unmet.is_empty() {
        return "Say what the result should be like, and start again.".to_owned();
    }
    format!("Relax these criteria, or start again with a goal that stresses them: {}.", listed(&unmet, "; "))
}
