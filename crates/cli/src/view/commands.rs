//! The commands that people are told to type, in one place so that they stay right.

use candor_engine::Checkpoint;
use candor_model::{Question, RunId};

pub(super) fn report(run: &RunId) -> String {
    format!("candor report {run}")
}

pub(super) fn explain(run: &RunId) -> String {
    format!("candor explain {run}")
}

pub(super) fn logs(run: &RunId) -> String {
    format!("candor logs {run}")
}

pub(super) fn postmortem(run: &RunId) -> String {
    format!("candor postmortem {run}")
}

pub(super) fn resume(run: &RunId) -> String {
    format!("candor resume {run}")
}

pub(super) fn restart(run: &RunId) -> String {
    format!("candor restart {run}")
}

pub(super) fn watch(run: &RunId) -> String {
    format!("candor watch {run}")
}

pub(super) fn rollback(run: &RunId, checkpoint: &Checkpoint) -> String {
    format!("candor rollback {run} {}", checkpoint.id)
}

/// The commands that answer a question, the likeliest first.
pub(super) fn answers(run: &RunId, question: &Question) -> Vec<String> {
    match question {
        Question::Approval { .. } => vec![
            format!("candor approve {run}"),
            format!("candor adjust {run} TASK FIELD VALUE"),
            format!("candor reject {run}"),
        ],
        Question::Guidance(_) => vec![
            format!("candor answer {run} retry [--agent AGENT]"),
            format!("candor answer {run} skip"),
            format!("candor answer {run} abort"),
        ],
    }
}
