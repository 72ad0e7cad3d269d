//! Commands of a person: start, pause, resume, cancel, roll back, restart.

use std::collections::BTreeSet;

use candor_model::{
    AfterStop, CheckpointId, ConfidenceCause, EventBody, Money, Phase, PromptSource, RunOrigin, RunSettings,
    StartMaterial,
};
use candor_planning::limits;

use super::draft::Draft;
use super::{ending, guard, phases, proposal, schedule, talk, undo};
use crate::Refusal;
use crate::state::{GUARDED, Resume, Stage};

pub(super) fn start(
    draft: &mut Draft<'_>,
    request: String,
    settings: Box<RunSettings>,
    material: Option<Box<StartMaterial>>,
    origin: Option<Box<RunOrigin>>,
) -> Result<(), Refusal> {
    check_words(&request, settings.phase_limits().max_request_bytes)?;
    let run_id = draft.state.run_id().clone();
    let flags = BTreeSet::from([GUARDED]);
    let forked_from = None;
    draft.emit(EventBody::RunStarted { run_id, request, settings, flags, material, forked_from, origin });
    Ok(())
}

/// Words that cannot be worked with never begin a run, and leave no trace.
pub(super) fn check_words(words: &str, most: u64) -> Result<(), Refusal> {
    limits::check_request(words, most).map_err(|reason| match words.trim() {
        "" => Refusal::EmptyRequest,
        _ => Refusal::BadRequest { reason },
    })
}

pub(super) fn pause(draft: &mut Draft<'_>, reason: String) -> Result<(), Refusal> {
    match draft.state.stage() {
        Stage::Stopping { .. } => Err(Refusal::Stopping),
        _ if draft.state.paused_by_person() => Err(Refusal::AlreadyPaused),
        _ => {
            draft.emit(EventBody::RunPaused { reason });
            Ok(())
        }
    }
}

pub(super) fn resume(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    if draft.state.can_resume() {
        draft.emit(EventBody::RunResumed {});
        proposal::enter_execution(draft);
        return Ok(());
    }
    if !draft.state.paused_by_person() {
        return Err(Refusal::NotPaused);
    }
    draft.emit(EventBody::RunResumed {});
    schedule::after_change(draft);
    Ok(())
}

pub(super) fn cancel(draft: &mut Draft<'_>, reason: String) -> Result<(), Refusal> {
    stop_then(draft, AfterStop::Cancel { reason })
}

pub(super) fn roll_back(
    draft: &mut Draft<'_>,
    to: CheckpointId,
    run_budget: Option<Money>,
) -> Result<(), Refusal> {
    if draft.state.checkpoint(to).is_none() {
        let points = draft.state.checkpoints().iter();
        let known: Vec<String> = points.map(|point| format!("{} ({})", point.id, point.label)).collect();
        return Err(Refusal::UnknownCheckpoint { to, known: known.join(", ") });
    }
    stop_then(draft, AfterStop::RollBack { to, run_budget, prompt: None })
}

/// The point at which the phase with this number had just been completed.
pub(super) fn checkpoint_of(draft: &Draft<'_>, number: &str) -> Result<CheckpointId, Refusal> {
    let phase = number.trim().parse().ok().and_then(Phase::numbered);
    draft.state.after_phase(phase).ok_or_else(|| Refusal::UnknownPhase {
        given: number.trim().to_owned(),
        known: draft.state.phases_to_go_back_to(),
    })
}

pub(super) fn restart(draft: &mut Draft<'_>, prompt: Option<String>) -> Result<(), Refusal> {
    if let Some(words) = &prompt {
        check_words(words, draft.state.settings().phase_limits().max_request_bytes)?;
        // The plan would be carried out under a title that it has nothing to do with.
        if draft.state.material().is_some_and(|material| material.plan.is_some()) {
            return Err(Refusal::OwnPlan);
        }
    }
    let first = draft.state.checkpoints().first().map(|point| point.id);
    let to = first.ok_or(Refusal::NotStarted)?;
    stop_then(draft, AfterStop::RollBack { to, run_budget: None, prompt })
}

/// Stops everything that runs, then does what was asked for; at once if nothing runs.
fn stop_then(draft: &mut Draft<'_>, then: AfterStop) -> Result<(), Refusal> {
    if matches!(draft.state.stage(), Stage::Stopping { .. }) {
        return Err(Refusal::Stopping);
    }
    talk::close_all(draft, "the run is being stopped");
    draft.emit(EventBody::StopRequested { then: Box::new(then) });
    go_on_when_stopped(draft);
    Ok(())
}

/// Once no attempt is left, does what the stop was for.
pub(super) fn go_on_when_stopped(draft: &mut Draft<'_>) {
    let ahead = draft.projected();
    let Stage::Stopping { then } = ahead.stage() else {
        return;
    };
    if ahead.work().is_some_and(|work| work.in_flight_count() > 0) {
        return;
    }
    match then.as_ref().clone() {
        AfterStop::Cancel { reason } => draft.emit(EventBody::RunCancelled { reason }),
        AfterStop::Abort { error, suggestion } => ending::aborted(draft, error, suggestion),
        AfterStop::RollBack { to, run_budget, prompt } => go_back(draft, to, run_budget, prompt),
    }
}

fn go_back(draft: &mut Draft<'_>, to: CheckpointId, run_budget: Option<Money>, prompt: Option<String>) {
    let ahead = draft.projected();
    let Some(point) = ahead.checkpoint(to) else { return };
    let resume = point.resume.clone();
    let restored = point.work.as_ref().map(|work| work.confidence);
    if let (Some(before), Some(after)) = (ahead.confidence(), restored)
        && before != after
    {
        draft.emit(EventBody::ConfidenceChanged { before, after, cause: ConfidenceCause::RolledBack });
    }
    draft.emit(EventBody::RolledBack { to, run_budget });
    if let Some(words) = prompt {
        guard::change_words(draft, words, PromptSource::Restarted, None);
        undo::offer(draft);
        return;
    }
    // What was chosen goes on from here.
    if undo::offer(draft) {
        return;
    }
    match resume {
        Resume::Phases(_) => phases::proceed(draft),
        Resume::Plan => proposal::enter_execution(draft),
    }
}
