//! The commands that people are told to type, in one place so that they stay right.

use std::sync::OnceLock;

use candor_engine::{Checkpoint, RunState};
use candor_model::{ApprovalAction, ChoiceOption, GateId, HumanApprovalRequest, Question, RunId, TaskId};

/// The options that lead to the data and configuration that this process was started with.
static OPTIONS: OnceLock<String> = OnceLock::new();

/// Sets what every command ends with, once, before anything is shown: a command that is typed as it was
/// printed must find the same runs.
pub fn set_options(options: String) {
    // Whoever sets it twice has started twice, and the first start counts.
    let _ = OPTIONS.set(options);
}

fn options() -> &'static str {
    OPTIONS.get().map_or("", String::as_str)
}

pub(super) fn report(run: &RunId) -> String {
    format!("candor report {run}{}", options())
}

pub(super) fn explain(run: &RunId) -> String {
    format!("candor explain {run}{}", options())
}

/// What came out of the attempts of a run, or of one task of it.
pub(super) fn logs(run: &RunId, task: Option<&TaskId>) -> String {
    let task = task.map(|task| format!(" {task}")).unwrap_or_default();
    format!("candor logs {run}{task}{}", options())
}

pub(super) fn postmortem(run: &RunId) -> String {
    format!("candor postmortem {run}{}", options())
}

pub(super) fn resume(run: &RunId) -> String {
    format!("candor resume {run}{}", options())
}

pub(super) fn restart(run: &RunId) -> String {
    format!("candor restart {run}{}", options())
}

pub(super) fn watch(run: &RunId) -> String {
    format!("candor watch {run}{}", options())
}

/// Back to a checkpoint: by its phase where that leads there, by its number otherwise.
pub(super) fn rollback(state: &RunState, checkpoint: &Checkpoint) -> String {
    let run = state.run_id();
    let phase = checkpoint.phase.filter(|phase| state.after_phase(Some(*phase)) == Some(checkpoint.id));
    match phase {
        Some(phase) => format!("candor rollback {run} {}{}", phase.number(), options()),
        None => format!("candor rollback {run} --checkpoint {}{}", checkpoint.id, options()),
    }
}

pub(super) fn rollback_to_phase(run: &RunId) -> String {
    format!("candor rollback {run} PHASE{}", options())
}

pub(super) fn fork(run: &RunId) -> String {
    format!("candor fork {run}{}", options())
}

/// The commands that answer a question, the likeliest first.
#[must_use]
pub fn answers(run: &RunId, gate: &GateId, question: &Question, several: bool) -> Vec<String> {
    let which = if several { format!(" --gate {gate}") } else { String::new() };
    match question {
        Question::Approval { request, .. } => on_plan(run, request),
        Question::Guidance(_) => {
            let words = ["retry [--agent AGENT]", "skip", "abort"];
            words.map(|word| format!("candor answer {run} {word}{which}{}", options())).to_vec()
        }
        Question::Choice(request) => {
            let option = |option: &ChoiceOption| {
                let words = if option.takes_text { " --text \"…\"" } else { "" };
                format!("candor answer {run} {}{words}{which}{}", option.id, options())
            };
            request.options.iter().map(option).collect()
        }
    }
}

/// What can be said to a plan: only what its request offers.
fn on_plan(run: &RunId, request: &HumanApprovalRequest) -> Vec<String> {
    let usual = [ApprovalAction::Approve, ApprovalAction::Adjust, ApprovalAction::Reject];
    let offered = if request.choices.is_empty() { &usual[..] } else { &request.choices };
    let command = |action: &ApprovalAction| {
        let words = match action {
            ApprovalAction::Approve => format!("approve {run}"),
            ApprovalAction::Adjust => format!("adjust {run} TASK FIELD VALUE"),
            ApprovalAction::Reject => format!("reject {run}"),
            ApprovalAction::Ask => format!("ask {run} \"…\""),
            ApprovalAction::Alternative => format!("choose {run} {}", letters(request)?),
            ApprovalAction::Modify => format!("modify {run} \"…\""),
            ApprovalAction::Regenerate => format!("regenerate {run}"),
            ApprovalAction::Version => format!("revert {run} VERSION"),
        };
        Some(format!("candor {words}{}", options()))
    };
    offered.iter().filter_map(command).collect()
}

/// The letters of the alternatives; nothing if there are none to choose from.
fn letters(request: &HumanApprovalRequest) -> Option<String> {
    let alternatives = &request.brief.as_ref()?.alternatives;
    let letters: Vec<&str> = alternatives.iter().map(|alternative| alternative.id.as_str()).collect();
    (letters.len() > 1).then(|| letters.join("|"))
}
