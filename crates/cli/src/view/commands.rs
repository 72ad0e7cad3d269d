//! The commands that people are told to type, in one place so that they stay right.

use std::sync::OnceLock;

use candor_engine::Checkpoint;
use candor_model::{Question, RunId};

/// The options that lead to the data and configuration that this process was started with.
static PLACE: OnceLock<String> = OnceLock::new();

/// Sets what every command ends with, once, before anything is shown: a command that is typed as it was
/// printed must find the same runs.
pub fn lead_to(options: String) {
    // Whoever sets it twice has started twice, and the first start counts.
    let _ = PLACE.set(options);
}

fn place() -> &'static str {
    PLACE.get().map_or("", String::as_str)
}

pub(super) fn report(run: &RunId) -> String {
    format!("candor report {run}{}", place())
}

pub(super) fn explain(run: &RunId) -> String {
    format!("candor explain {run}{}", place())
}

pub(super) fn logs(run: &RunId) -> String {
    format!("candor logs {run}{}", place())
}

pub(super) fn postmortem(run: &RunId) -> String {
    format!("candor postmortem {run}{}", place())
}

pub(super) fn resume(run: &RunId) -> String {
    format!("candor resume {run}{}", place())
}

pub(super) fn restart(run: &RunId) -> String {
    format!("candor restart {run}{}", place())
}

pub(super) fn watch(run: &RunId) -> String {
    format!("candor watch {run}{}", place())
}

pub(super) fn rollback(run: &RunId, checkpoint: &Checkpoint) -> String {
    format!("candor rollback {run} {}{}", checkpoint.id, place())
}

/// The commands that answer a question, the likeliest first.
pub(super) fn answers(run: &RunId, question: &Question) -> Vec<String> {
    match question {
        Question::Approval { .. } => vec![
            format!("candor approve {run}{}", place()),
            format!("candor adjust {run} TASK FIELD VALUE{}", place()),
            format!("candor reject {run}{}", place()),
        ],
        Question::Guidance(_) => vec![
            format!("candor answer {run} retry [--agent AGENT]{}", place()),
            format!("candor answer {run} skip{}", place()),
            format!("candor answer {run} abort{}", place()),
        ],
    }
}
