//! What explanations and postmortems say.

use candor_model::{Confidence, DecisionEntry, TaskId, TaskStatus};

use candor_projections::format;
use candor_projections::words::plural;

pub(in crate::view) mod because {
    pub(in crate::view) const AGENT: &str = "Why this agent";
    pub(in crate::view) const AGENTS: &str = "Why these agents";
    pub(in crate::view) const PLAN: &str = "Why this plan";
    pub(in crate::view) const RECOVERIES: &str = "Why the plan changed";
    pub(in crate::view) const DECISIONS: &str = "Decisions";
    pub(in crate::view) const DECISION: &str = "decided";
    pub(in crate::view) const REASON: &str = "because";
    pub(in crate::view) const INPUT: &str = "given";
    pub(in crate::view) const CONFIDENCE: &str = "confidence";
    pub(in crate::view) const COST: &str = "cost";
}

pub(in crate::view) const NO_DECISIONS: &str = "No decision matches.";
pub(in crate::view) const NO_RANKING: &str = "named in the plan; no ranking was recorded";

pub(in crate::view) fn unknown_task(id: &TaskId) -> String {
    format!("There is no task {id} in this run. Its tasks are listed by: candor status RUN")
}

pub(in crate::view) fn related(tasks: &[&str]) -> String {
    format!("Replaces or was replaced by: {}", tasks.join(", "))
}

pub(in crate::view) fn who_spoke(models: &[&str], rules: &[&str]) -> String {
    let part = |who: &str, phases: &[&str]| format!("{who}: {}", phases.join(", "));
    match (models.is_empty(), rules.is_empty()) {
        (true, true) => String::new(),
        (true, false) => part("By rules and templates, without a model", rules),
        (false, true) => part("By a model", models),
        (false, false) => {
            format!("{}. {}", part("By a model", models), part("By rules and templates", rules))
        }
    }
}

pub(in crate::view) fn decided(entry: &DecisionEntry) -> String {
    let what = entry.operation.replace('_', " ");
    format!("{what}: {}, because {}", entry.decision, entry.reasoning)
}

pub(in crate::view) fn reasoning(operation: &str, reasoning: &str) -> String {
    format!("Reasoning ({}): {reasoning}", operation.replace('_', " "))
}

pub(in crate::view) fn confidence_now(confidence: Confidence, cause: &str) -> String {
    format!("Confidence became {}: {cause}", format::confidence(confidence))
}

pub(in crate::view) fn ranked(agent: &str, score: f64) -> String {
    format!("{agent} {score:.2}")
}

pub(in crate::view) fn ranking(agents: &[String]) -> String {
    format!("fit: {}", agents.join(", "))
}

pub(in crate::view) fn agents_failed(agents: &[String]) -> String {
    format!("failed at it before: {}", agents.join(", "))
}

pub(in crate::view) fn attempt_outcome(outcome: &str, number: u32) -> String {
    if number > 1 { format!("{outcome} (try {number})") } else { outcome.to_owned() }
}

pub(in crate::view) mod mortem {
    pub(in crate::view) const HAPPENED: &str = "What happened";
    pub(in crate::view) const ROOT_CAUSE: &str = "Root cause";
    pub(in crate::view) const CONSEQUENCES: &str = "What followed from it";
    pub(in crate::view) const TRIED: &str = "What was tried";
    pub(in crate::view) const PRICE: &str = "What it cost";
    pub(in crate::view) const NEXT: &str = "What to do next";
}

pub(in crate::view) const NO_TASK_FAILED: &str = "No task failed.";
pub(in crate::view) const NOTHING_FOLLOWED: &str = "Nothing else: every other task could go on.";
pub(in crate::view) const NOTHING_TRIED: &str = "Nothing: the run ended before anything could be tried.";

pub(in crate::view) fn recovered(name: &str, failed: &TaskId, by: &TaskId) -> String {
    if failed == by { format!("{name} succeeded later") } else { format!("recovered by {name} ({by})") }
}

pub(in crate::view) fn no_price(all_money: &str) -> String {
    format!("No attempt failed; the whole run cost {all_money}")
}

pub(in crate::view) fn consequence(task: &str, status: TaskStatus) -> String {
    match status {
        TaskStatus::Pending => format!("{task}: never done"),
        TaskStatus::InProgress => format!("{task}: under way again"),
        TaskStatus::Completed => format!("{task}: held up, done in the end"),
        TaskStatus::Failed => format!("{task}: failed too"),
        TaskStatus::Skipped => format!("{task}: left out"),
    }
}

pub(in crate::view) fn price(lost_time: &str, lost_money: &str, attempts: usize, all_money: &str) -> String {
    format!(
        "{} took {lost_time} and cost {lost_money}; the whole run cost {all_money}",
        plural(attempts, "failed attempt")
    )
}

pub(in crate::view) fn confidence_lost(first: Confidence, last: Confidence) -> String {
    format!("Confidence went from {} to {}", format::confidence(first), format::confidence(last))
}

pub(in crate::view) const FORK_COMMAND: &str =
    "begin another run where this one was last; this one stays as it is";
pub(in crate::view) const RESTART_COMMAND: &str = "restart with the same request";
pub(in crate::view) const RESUME_COMMAND: &str = "go on where it stopped";

pub(in crate::view) fn rollback_command(label: &str) -> String {
    format!("go back to: {label}")
}
