//! What is said of a run as a whole: statuses, headings, labels, verdicts.

use candor_model::{
    CheckedCriterion, Confidence, CriterionSource, MeasuredTime, RunStatus, Seconds, StopReason, TaskStatus,
    Verdict,
};
use candor_planning::{assessment, texts};
use candor_projections::chronicle::Outcome;
use candor_projections::words::plural;
use candor_projections::{format, verdict};

pub(in crate::view) const NO_AGENT_YET: &str = "no agent yet";

/// `9,000 done`.
pub(in crate::view) fn counted(count: usize, what: &str) -> String {
    format!("{} {what}", format::count(count))
}

pub(in crate::view) fn folded(more: usize, parts: &[String]) -> String {
    format!("… {} more: {}", format::count(more), parts.join(", "))
}

pub(in crate::view) fn after(tasks: &[&str], more: usize) -> String {
    let more = if more == 0 { String::new() } else { format!(" +{more}") };
    format!("after {}{more}", tasks.join(", "))
}

pub(in crate::view) fn after_count(tasks: usize) -> String {
    format!("after {}", plural(tasks, "task"))
}

pub(in crate::view) fn failed_before(failures: u32) -> String {
    format!("failed {} before", format::times(failures))
}

pub(in crate::view) const fn task_status(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "waiting",
        TaskStatus::InProgress => "running",
        TaskStatus::Completed => "done",
        TaskStatus::Failed => "failed",
        TaskStatus::Skipped => "left out",
    }
}

pub(in crate::view) const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Running => "running",
        Outcome::Done => "done",
        Outcome::Partly => "done in part",
        Outcome::Failed => "failed",
        Outcome::NeverStarted => "never started",
        Outcome::Stopped(StopReason::RunStopping) => "stopped",
        Outcome::Stopped(StopReason::Replan) => "stopped, another approach wanted",
        Outcome::Stopped(StopReason::Superseded) => "stopped, plan changed",
        Outcome::Stopped(StopReason::NoResources) => "not started, no resources",
    }
}

/// `completed, not verified`; a verdict that its status implies is not repeated.
pub(in crate::view) fn status_and_verdict(status: RunStatus, verdict: Option<Verdict>) -> String {
    let told = candor_projections::words::run_status(status);
    match status {
        RunStatus::Completed => format!("{told}, {}", verdict::word(verdict)),
        _ => told.to_owned(),
    }
}

/// A criterion with what was found of it and where it comes from.
pub(in crate::view) fn criterion(checked: &CheckedCriterion) -> String {
    let task = checked.task_id.as_ref().map(|task| format!("{task}: ")).unwrap_or_default();
    let source = match checked.source {
        CriterionSource::Pack => "pack",
        CriterionSource::Goal => "goal",
        CriterionSource::Model => "model",
        CriterionSource::Task => "task",
        CriterionSource::Claim => "agent's claim",
        CriterionSource::Gate => "gate",
    };
    format!("{task}{} [{source}]", assessment::line(checked))
}

pub(in crate::view) fn agent_warned(task: &str, warning: &str) -> String {
    format!("{task}: {warning}")
}

/// `8–14 s left, from 12 runs`.
pub(in crate::view) fn remaining(time: MeasuredTime) -> String {
    format!("{} left, from {}", texts::time_span(time), plural(time.runs as usize, "run"))
}

pub(in crate::view) fn confidence(confidence: Confidence) -> String {
    format!("confidence {}", format::confidence(confidence))
}

pub(in crate::view) mod label {
    pub(in crate::view) const GOAL: &str = "Goal";
    pub(in crate::view) const STATUS: &str = "Status";
    pub(in crate::view) const INTERRUPTED: &str = "interrupted";
    pub(in crate::view) const VERDICT: &str = "Verdict";
    pub(in crate::view) const CRITERIA: &str = "Criteria";
    pub(in crate::view) const WARNINGS: &str = "Warnings";
    pub(in crate::view) const PHASE: &str = "Phase";
    pub(in crate::view) const PROGRESS: &str = "Progress";
    pub(in crate::view) const COST: &str = "Cost";
    pub(in crate::view) const CONFIDENCE: &str = "Confidence";
    pub(in crate::view) const STARTED: &str = "Started";
    pub(in crate::view) const RUN: &str = "Run";
    pub(in crate::view) const FORKED: &str = "Forked from";
    pub(in crate::view) const PHASES: &str = "Phases";
    pub(in crate::view) const WORDS: &str = "The request over time";
    pub(in crate::view) const POINTS: &str = "Rollback points";
    pub(in crate::view) const DONE: &str = "Done";
    pub(in crate::view) const REQUEST: &str = "Request";
    pub(in crate::view) const FAILURES: &str = "Failures";
    pub(in crate::view) const WAITING_FOR_YOU: &str = "Waiting for you";
    pub(in crate::view) const GO_ON: &str = "To go on";
    pub(in crate::view) const DETAILS: &str = "To look further";
}

pub(in crate::view) const NO_RUNS: &str = "No runs yet. Start one with: candor run \"what you want done\"";
pub(in crate::view) const NO_PLAN: &str = "There is no plan yet.";

pub(in crate::view) fn tasks_done(done: usize, total: usize) -> String {
    format!("{} of {} done", format::count(done), plural(total, "task"))
}

pub(in crate::view) fn started(at: &str, elapsed: Seconds) -> String {
    format!("{at}, {} until the last event", format::duration(elapsed))
}
