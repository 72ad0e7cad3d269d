//! Points of a run that one can go back to, and the words to go on with.

use candor_engine::{Refusal, RunState};
use candor_model::{CheckpointId, Phase};
use candor_planning::limits;

use crate::error::AppError;
use crate::wiring::App;

/// The point at which a phase had just been completed, or, to run it again, at which it was about to begin.
pub fn point(state: &RunState, given: &str, rerun: bool) -> Result<CheckpointId, AppError> {
    let phase = numbered(given);
    let completed = state.after_phase(phase);
    let found = if rerun { phase.and_then(|phase| before(state, phase)) } else { completed };
    found.ok_or_else(|| {
        let known = state.phases_to_go_back_to();
        AppError::refused(Refusal::UnknownPhase { given: given.to_owned(), known })
    })
}

/// The checkpoint of a number; a wrong one is found out before anything is touched.
pub fn checkpoint(state: &RunState, number: u32) -> Result<CheckpointId, AppError> {
    let (to, points) = (CheckpointId(number), state.checkpoints());
    if points.iter().any(|point| point.id == to) {
        return Ok(to);
    }
    let known: Vec<String> = points.iter().map(|point| format!("{} ({})", point.id, point.label)).collect();
    Err(AppError::refused(Refusal::UnknownCheckpoint { to, known: known.join(", ") }))
}

/// The phase of a number, 0 to 7.
#[must_use]
pub fn numbered(given: &str) -> Option<Phase> {
    given.trim().parse().ok().and_then(Phase::numbered)
}

/// Where a phase was about to begin: the first two are side by side, so that whichever ended first does not wait
/// for the other.
fn before(state: &RunState, phase: Phase) -> Option<CheckpointId> {
    let start = state.checkpoints().first().map(|point| point.id);
    let (zero, one) =
        (state.after_phase(Some(Phase::PreAnalysis)), state.after_phase(Some(Phase::Evaluation)));
    match phase {
        Phase::PreAnalysis => start,
        Phase::Evaluation => zero.filter(|zero| one.is_none_or(|one| *zero < one)).or(start),
        Phase::Context => zero.zip(one).map(|(zero, one)| zero.max(one)),
        _ => Phase::numbered(phase.number().checked_sub(1)?).and_then(|it| state.after_phase(Some(it))),
    }
}

impl App {
    /// Words to go on with, without secrets, and such that they can be worked with.
    pub fn new_words(&self, words: String) -> Result<String, AppError> {
        let words = self.without_secrets(words);
        let most = self.config.limits.phase_limits().max_request_bytes;
        limits::check_request(&words, most)
            .map_err(|problem| AppError::usage(format!("--prompt: {problem}")))?;
        Ok(words)
    }
}
