//! A run as a record of its way through the phases, with the documented names.

use candor_engine::RunState;
use candor_model::{EventBody, Phase, PromptSource, Recorded, RunStatus, Timestamp};
use serde_json::{Value, json};

use super::phases::{self, PhaseView};
use super::status;

/// The record.
pub(super) fn json(state: &RunState, records: &[Recorded]) -> Value {
    let original = state.prompts().first().map_or(state.request(), |prompt| prompt.text.as_str());
    let back_to = back_to(state);
    json!({
        "taskId": state.run_id(),
        "originalPrompt": original,
        "currentPrompt": state.request(),
        "promptEnhanced": state.request() != original,
        "currentPhase": current(state),
        "lastCompletedPhase": last_completed(state),
        "status": status_word(state, records),
        "checkpoint": checkpoint(records),
        "canRestart": !state.checkpoints().is_empty(),
        "canRollback": !back_to.is_empty(),
        "rollbackTo": back_to,
        "history": history(state, records),
        "created": records.first().map(|recorded| recorded.event.at),
        "updated": records.last().map(|recorded| recorded.event.at),
    })
}

/// The numbers of the phases whose results the run can go back to.
pub(super) fn back_to(state: &RunState) -> Vec<u8> {
    let known = Phase::ALL.iter().filter(|phase| state.after_phase(Some(**phase)).is_some());
    known.map(|phase| phase.number()).collect()
}

/// The last phase up to which all are completed: a run that is resumed goes on after it.
fn last_completed(state: &RunState) -> Option<u8> {
    let completed = state.completed_phases();
    Phase::ALL.iter().take_while(|phase| completed.contains(phase)).last().map(|phase| phase.number())
}

fn current(state: &RunState) -> u8 {
    let at_work = status::phases(state).into_iter().map(Phase::number).min();
    at_work.or_else(|| last_completed(state)).unwrap_or(0)
}

/// The status by the names of the record.
fn status_word(state: &RunState, records: &[Recorded]) -> &'static str {
    match state.status() {
        RunStatus::Completed => "complete",
        RunStatus::Failed => "failed",
        RunStatus::Aborted | RunStatus::Cancelled | RunStatus::Paused => "stopped",
        RunStatus::WaitingHuman => "waiting_human",
        RunStatus::Preparing | RunStatus::Executing | RunStatus::Stopping => on_the_way(records),
    }
}

fn on_the_way(records: &[Recorded]) -> &'static str {
    let word = |recorded: &Recorded| match &recorded.event.body {
        EventBody::PhaseStarted { .. } | EventBody::RunStarted { .. } => Some("in_progress"),
        EventBody::PhaseCompleted { .. } => Some("checkpoint"),
        EventBody::PromptChanged { .. } => Some("restarting"),
        EventBody::RolledBack { .. } => Some("rolled_back"),
        _ => None,
    };
    records.iter().rev().find_map(word).unwrap_or("in_progress")
}

/// What happened last on the way through the phases: `planning_started`.
fn checkpoint(records: &[Recorded]) -> String {
    let label = |recorded: &Recorded| match &recorded.event.body {
        EventBody::PhaseStarted { phase, .. } => Some(format!("{phase}_started")),
        EventBody::PhaseCompleted { phase, .. } => Some(format!("{phase}_completed")),
        EventBody::PhaseFailed { phase, .. } => Some(format!("{phase}_failed")),
        _ => None,
    };
    records.iter().rev().find_map(label).unwrap_or_else(|| "start".to_owned())
}

/// One entry for each phase whose result holds.
fn history(state: &RunState, records: &[Recorded]) -> Vec<Value> {
    phases::of(state, records).iter().filter_map(|view| entry(state, view)).collect()
}

fn entry(state: &RunState, view: &PhaseView<'_>) -> Option<Value> {
    let ended = view.ended?;
    let mut entry = json!({
        "phase": view.phase.number(),
        "status": "completed",
        "duration": ended.metrics.map(|metrics| metrics.duration),
        "tokens": ended.metrics.map_or(ended.handoff.context.tokens_consumed, |metrics| metrics.tokens_used),
        "snapshot": state.after_phase(Some(view.phase)),
    });
    if let (Phase::Evaluation, Value::Object(fields)) = (view.phase, &mut entry) {
        fields.extend(quality(state));
    }
    Some(entry)
}

/// How well the words said what is wanted, before and after they were changed.
fn quality(state: &RunState) -> [(String, Value); 3] {
    let prompts = state.prompts();
    let now = prompts.iter().rev().find(|prompt| prompt.text == state.request());
    let changed = prompts.len() > 1 && now.is_some_and(|prompt| prompt.source.is_some());
    let new = now.filter(|_| changed).and_then(|prompt| prompt.score);
    [
        ("promptQuality".to_owned(), json!(prompts.first().and_then(|prompt| prompt.score))),
        ("enhanced".to_owned(), json!(changed)),
        ("newPromptQuality".to_owned(), json!(new)),
    ]
}

/// All words of the run from the first on.
pub(super) fn prompts(state: &RunState) -> Vec<Value> {
    let prompts = state.prompts().iter();
    let told = prompts.map(|prompt| {
        json!({
            "text": prompt.text,
            "source": prompt.source.map_or("original", PromptSource::as_str),
            "variant": prompt.variant,
            "score": prompt.score,
            "at": prompt.at,
        })
    });
    told.collect()
}

/// A point that the run can go back to.
pub(super) struct Point {
    pub(super) phase: Phase,
    pub(super) at: Option<Timestamp>,
    /// How large what the phase handed over is.
    pub(super) bytes: u64,
}

/// The phases that the run can go back to, with when they ended and how much each left.
pub(super) fn points(state: &RunState, records: &[Recorded]) -> Vec<Point> {
    let views = phases::of(state, records);
    let known = views.iter().filter(|view| state.after_phase(Some(view.phase)).is_some());
    let point = |view: &PhaseView<'_>| {
        let left = view.ended.and_then(|ended| serde_json::to_vec(ended.handoff).ok());
        let bytes = left.map_or(0, |left| u64::try_from(left.len()).unwrap_or(u64::MAX));
        Point { phase: view.phase, at: view.ended.map(|ended| ended.at), bytes }
    };
    known.map(point).collect()
}

#[cfg(test)]
mod tests {
    use candor_model::RunId;
    use candor_testkit::golden::STORIES;

    use super::*;
    use crate::view::words::tests::story;

    const WORDS: [&str; 8] = [
        "in_progress",
        "checkpoint",
        "restarting",
        "rolled_back",
        "waiting_human",
        "stopped",
        "failed",
        "complete",
    ];

    #[test]
    fn the_record_holds_at_every_moment_of_every_story() {
        // spec: orchestrator SM-01 SM-02 SM-03 SM-05
        let mut seen = std::collections::BTreeSet::new();
        for (name, _) in STORIES {
            let records = story(name);
            for end in 1..=records.len() {
                let records = &records[..end];
                let state = RunState::fold(RunId::new("run_test").unwrap(), records).unwrap();
                let record = json(&state, records);
                let word = record["status"].as_str().unwrap().to_owned();
                assert!(WORDS.contains(&word.as_str()), "{name} after {end}: {word}");
                let going = matches!(state.status(), RunStatus::Preparing | RunStatus::Executing);
                match &records[end - 1].event.body {
                    EventBody::PhaseStarted { .. } if going => assert_eq!(word, "in_progress"),
                    EventBody::PhaseCompleted { .. } if going => assert_eq!(word, "checkpoint"),
                    EventBody::RolledBack { .. } if going => assert_eq!(word, "rolled_back"),
                    _ => {}
                }
                let phases: Vec<u64> = record["history"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|entry| entry["phase"].as_u64().unwrap())
                    .collect();
                assert!(
                    phases.is_sorted_by(|a, b| a < b),
                    "{name} after {end}: each once, in order: {phases:?}"
                );
                assert_eq!(
                    record["canRollback"],
                    json!(!record["rollbackTo"].as_array().unwrap().is_empty())
                );
                seen.insert(word);
            }
        }
        for word in
            ["in_progress", "checkpoint", "rolled_back", "waiting_human", "stopped", "failed", "complete"]
        {
            assert!(seen.contains(word), "{word} never came up: {seen:?}");
        }
    }
}
