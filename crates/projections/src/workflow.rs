//! A run as a record of its way through the phases, with the documented names.

use candor_engine::RunState;
use candor_model::{
    CheckpointId, EventBody, Phase, PromptSource, Recorded, RunId, RunStatus, Seconds, Timestamp,
};
use serde::Serialize;

use crate::phases::{self, PhaseView};

/// The record `workflow_state.json` of a run.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Workflow<'a> {
    /// Id of the run, under the key of the record's format.
    pub task_id: &'a RunId,
    /// The words that it began with.
    pub original_prompt: &'a str,
    /// The words that hold now.
    pub current_prompt: &'a str,
    /// True when `original_prompt` and `current_prompt` differ.
    pub prompt_enhanced: bool,
    /// The number of the first phase that is at work, or of the last one that was completed.
    pub current_phase: u8,
    /// The last phase up to which all are completed.
    pub last_completed_phase: Option<u8>,
    /// Where it stands: `in_progress`, `checkpoint`, `restarting`, `rolled_back`, `waiting_human`, `stopped`,
    /// `failed` or `complete`.
    pub status: &'static str,
    /// What happened last on the way through the phases: `planning_started`.
    pub checkpoint: String,
    /// Whether it can begin anew.
    pub can_restart: bool,
    /// Whether there is a phase to go back to.
    pub can_rollback: bool,
    /// The numbers of those phases.
    pub rollback_to: Vec<u8>,
    /// One entry for each phase whose result holds.
    pub history: Vec<HistoryEntry>,
    /// Moment of the first event.
    pub created: Option<Timestamp>,
    /// When something last happened.
    pub updated: Option<Timestamp>,
}

/// A phase whose result holds.
#[derive(Debug, Clone, Serialize)]
pub struct HistoryEntry {
    /// Number from 0 to 7.
    pub phase: u8,
    /// `completed`: others are not listed.
    pub status: &'static str,
    /// How long it took.
    pub duration: Option<Seconds>,
    /// How many tokens models took in it.
    pub tokens: u64,
    /// The checkpoint at its end.
    pub snapshot: Option<CheckpointId>,
    /// How well the words said what is wanted: of the evaluation only.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub quality: Option<PromptQuality>,
}

/// How well the words said what is wanted, before and after they were changed.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptQuality {
    /// Of the first words, 0 to 100.
    pub prompt_quality: Option<u8>,
    /// Whether they were changed.
    pub enhanced: bool,
    /// Of the new words.
    pub new_prompt_quality: Option<u8>,
}

impl<'a> Workflow<'a> {
    /// The record of a run.
    #[must_use]
    pub fn of(state: &'a RunState, records: &[Recorded]) -> Self {
        let original = state.prompts().first().map_or(state.request(), |prompt| prompt.text.as_str());
        let rollback_to = back_to(state);
        Self {
            task_id: state.run_id(),
            original_prompt: original,
            current_prompt: state.request(),
            prompt_enhanced: state.request() != original,
            current_phase: current(state),
            last_completed_phase: last_completed(state),
            status: status_word(state, records),
            checkpoint: checkpoint(records),
            can_restart: !state.checkpoints().is_empty(),
            can_rollback: !rollback_to.is_empty(),
            rollback_to,
            history: phases::of(state, records).iter().filter_map(|view| entry(state, view)).collect(),
            created: records.first().map(|recorded| recorded.event.at),
            updated: records.last().map(|recorded| recorded.event.at),
        }
    }
}

/// The numbers of the phases whose results the run can go back to.
fn back_to(state: &RunState) -> Vec<u8> {
    let known = Phase::ALL.iter().filter(|phase| state.after_phase(Some(**phase)).is_some());
    known.map(|phase| phase.number()).collect()
}

/// The last phase up to which all are completed: a run that is resumed goes on after it.
fn last_completed(state: &RunState) -> Option<u8> {
    let completed = state.completed_phases();
    Phase::ALL.iter().take_while(|phase| completed.contains(phase)).last().map(|phase| phase.number())
}

fn current(state: &RunState) -> u8 {
    let at_work = phases::at_work(state).into_iter().map(Phase::number).min();
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

fn entry(state: &RunState, view: &PhaseView<'_>) -> Option<HistoryEntry> {
    let ended = view.ended?;
    Some(HistoryEntry {
        phase: view.phase.number(),
        status: "completed",
        duration: ended.metrics.map(|metrics| metrics.duration),
        tokens: ended.metrics.map_or(ended.handoff.context.tokens_consumed, |metrics| metrics.tokens_used),
        snapshot: state.after_phase(Some(view.phase)),
        quality: (view.phase == Phase::Evaluation).then(|| quality(state)),
    })
}

/// How well the words said what is wanted, before and after they were changed.
fn quality(state: &RunState) -> PromptQuality {
    let prompts = state.prompts();
    let now = prompts.iter().rev().find(|prompt| prompt.text == state.request());
    let enhanced = prompts.len() > 1 && now.is_some_and(|prompt| prompt.source.is_some());
    PromptQuality {
        prompt_quality: prompts.first().and_then(|prompt| prompt.score),
        enhanced,
        new_prompt_quality: now.filter(|_| enhanced).and_then(|prompt| prompt.score),
    }
}

/// Words of the run.
#[derive(Debug, Clone, Serialize)]
pub struct Prompt<'a> {
    /// Wording of the request.
    pub text: &'a str,
    /// Where they come from.
    pub source: &'static str,
    /// The letter of the variant that was chosen.
    pub variant: Option<&'a str>,
    /// How well they say what is wanted, 0 to 100.
    pub score: Option<u8>,
    /// Since when they hold.
    pub at: Timestamp,
}

/// All words of the run from the first on.
#[must_use]
pub fn prompts(state: &RunState) -> Vec<Prompt<'_>> {
    let prompts = state.prompts().iter();
    let told = prompts.map(|prompt| Prompt {
        text: &prompt.text,
        source: prompt.source.map_or("original", PromptSource::as_str),
        variant: prompt.variant.as_deref(),
        score: prompt.score,
        at: prompt.at,
    });
    told.collect()
}

/// A point that the run can go back to.
#[derive(Debug, Clone, Serialize)]
pub struct Point {
    /// The phase that had just ended.
    pub name: Phase,
    /// The same by its number.
    pub phase: u8,
    /// Moment at which the phase ended.
    pub at: Option<Timestamp>,
    /// How large what the phase handed over is.
    pub bytes: u64,
}

/// The phases that the run can go back to, with when they ended and how much each left.
#[must_use]
pub fn points(state: &RunState, records: &[Recorded]) -> Vec<Point> {
    let views = phases::of(state, records);
    let known = views.iter().filter(|view| state.after_phase(Some(view.phase)).is_some());
    let point = |view: &PhaseView<'_>| {
        let left = view.ended.and_then(|ended| serde_json::to_vec(ended.handoff).ok());
        let bytes = left.map_or(0, |left| u64::try_from(left.len()).unwrap_or(u64::MAX));
        let at = view.ended.map(|ended| ended.at);
        Point { name: view.phase, phase: view.phase.number(), at, bytes }
    };
    known.map(point).collect()
}

#[cfg(test)]
mod tests {
    use candor_model::RunId;
    use candor_testkit::golden::{STORIES, story};
    use serde_json::json;

    use super::*;

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
                let record = serde_json::to_value(Workflow::of(&state, records)).unwrap();
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
