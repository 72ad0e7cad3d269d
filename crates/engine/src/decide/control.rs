//! Commands of a person: start, pause, resume, cancel, roll back, restart.

use std::collections::BTreeSet;

use candor_model::{AfterStop, CheckpointId, ConfidenceCause, EventBody, Money, RunSettings, StartMaterial};

use super::draft::Draft;
use super::{ending, phases, proposal, schedule};
use crate::Refusal;
use crate::state::{Resume, Stage, first_phases};

pub(super) fn start(
    draft: &mut Draft<'_>,
    request: String,
    settings: Box<RunSettings>,
    material: Option<Box<StartMaterial>>,
) -> Result<(), Refusal> {
    if request.trim().is_empty() {
        return Err(Refusal::EmptyRequest);
    }
    let run_id = draft.state.run_id().clone();
    draft.say(EventBody::RunStarted { run_id, request, settings, flags: BTreeSet::new(), material });
    phases::begin(draft, first_phases());
    Ok(())
}

pub(super) fn pause(draft: &mut Draft<'_>, reason: String) -> Result<(), Refusal> {
    match draft.state.stage() {
        Stage::Stopping { .. } => Err(Refusal::Stopping),
        _ if draft.state.paused_by_person() => Err(Refusal::AlreadyPaused),
        _ => {
            draft.say(EventBody::RunPaused { reason });
            Ok(())
        }
    }
}

pub(super) fn resume(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    if !draft.state.paused_by_person() {
        return Err(Refusal::NotPaused);
    }
    draft.say(EventBody::RunResumed {});
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
    stop_then(draft, AfterStop::RollBack { to, run_budget })
}

pub(super) fn restart(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    let first = draft.state.checkpoints().first().map(|point| point.id);
    roll_back(draft, first.ok_or(Refusal::NotStarted)?, None)
}

/// Stops everything that runs, then does what was asked for; at once if nothing runs.
fn stop_then(draft: &mut Draft<'_>, then: AfterStop) -> Result<(), Refusal> {
    if matches!(draft.state.stage(), Stage::Stopping { .. }) {
        return Err(Refusal::Stopping);
    }
    draft.say(EventBody::StopRequested { then: Box::new(then) });
    go_on_when_stopped(draft);
    Ok(())
}

/// Once no attempt is left, does what the stop was for.
pub(super) fn go_on_when_stopped(draft: &mut Draft<'_>) {
    let ahead = draft.ahead();
    let Stage::Stopping { then } = ahead.stage() else {
        return;
    };
    if ahead.work().is_some_and(|work| work.in_flight_count() > 0) {
        return;
    }
    match then.as_ref().clone() {
        AfterStop::Cancel { reason } => draft.say(EventBody::RunCancelled { reason }),
        AfterStop::Abort { error, suggestion } => ending::aborted(draft, error, suggestion),
        AfterStop::RollBack { to, run_budget } => go_back(draft, to, run_budget),
    }
}

fn go_back(draft: &mut Draft<'_>, to: CheckpointId, run_budget: Option<Money>) {
    let ahead = draft.ahead();
    let Some(point) = ahead.checkpoint(to) else { return };
    let resume = point.resume.clone();
    let restored = point.work.as_ref().map(|work| work.confidence);
    if let (Some(before), Some(after)) = (ahead.confidence(), restored)
        && before != after
    {
        draft.say(EventBody::ConfidenceChanged { before, after, cause: ConfidenceCause::RolledBack });
    }
    draft.say(EventBody::RolledBack { to, run_budget });
    match resume {
        Resume::Phases(phases) => phases::begin(draft, phases),
        Resume::Plan => proposal::enter_execution(draft),
    }
}
