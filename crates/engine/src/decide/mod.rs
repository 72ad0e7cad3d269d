//! What follows from an input: one file per kind of input, and the `match` that leads there.

mod answers;
mod breakers;
mod choices;
mod consult;
mod control;
mod critique;
mod discussion;
mod draft;
mod ending;
mod failure;
mod guard;
mod looking;
mod notes;
mod outcome;
mod phases;
mod proposal;
mod revision;
mod rework;
mod routing;
mod schedule;
mod talk;
mod tick;
mod undo;

use candor_model::{Event, Timestamp};

use self::draft::Draft;
pub(crate) use self::schedule::would_start;
use crate::state::Stage;
use crate::{Input, Refusal, RunState};

/// Decides what follows from `input` at the time `now`.
///
/// Pure: the same state, input and time always give the same events. A refusal changes nothing.
pub fn decide(state: &RunState, input: Input, now: Timestamp) -> Result<Vec<Event>, Refusal> {
    decide_ahead(state, input, now).map(|(events, _)| events)
}

/// The same, with the state after the events where the decision had to look at it: whoever goes on from there need not
/// apply them again.
pub fn decide_ahead(
    state: &RunState,
    input: Input,
    now: Timestamp,
) -> Result<(Vec<Event>, Option<Box<RunState>>), Refusal> {
    check_stage(state, &input)?;
    let mut draft = Draft::new(state, now);
    match input {
        Input::Start { request, settings, material, origin } => {
            control::start(&mut draft, request, settings, material, origin)?;
        }
        Input::Guarded { attempt, report } => guard::guarded(&mut draft, attempt, report)?,
        Input::PhaseDone { phase, attempt, report } => phases::done(&mut draft, phase, attempt, *report)?,
        Input::PhaseFailed { phase, attempt, reason } => phases::failed(&mut draft, phase, attempt, reason)?,
        Input::Routed { task_id, ranking } => routing::routed(&mut draft, &task_id, ranking)?,
        Input::Replan { task_id, step: None, note } => revision::replan(&mut draft, &task_id, note)?,
        Input::Replan { task_id, step: Some(step), note } => {
            notes::replan_step(&mut draft, &task_id, step, note)?;
        }
        Input::Revised { task_id, number, proposal } => {
            revision::revised(&mut draft, &task_id, number, proposal.map(|proposal| *proposal))?;
        }
        Input::AgentReported { task_id, attempt, feedback } => {
            outcome::reported(&mut draft, &task_id, attempt, *feedback)?;
        }
        Input::AgentStopped { task_id, attempt } => outcome::stopped(&mut draft, &task_id, attempt)?,
        Input::AgentNotStarted { task_id, attempt, reason } => {
            outcome::not_started(&mut draft, &task_id, attempt, &reason)?;
        }
        Input::Spent { account, payee, amount } => outcome::spent(&mut draft, account, payee, amount),
        Input::Consulting { ask, tier, model, reserved } => {
            consult::consulting(&mut draft, ask, tier, model, reserved)?;
        }
        Input::Consulted { ask, number, step } => consult::consulted(&mut draft, ask, number, *step)?,
        Input::Breaker { agent_type, opened } => breakers::agent(&mut draft, agent_type, opened),
        Input::ModelBreaker { model, opened } => breakers::model(&mut draft, model, opened),
        Input::Broadcast { message, rules } => talk::broadcast(&mut draft, &message, &rules),
        Input::Query { query } => talk::query(&mut draft, *query)?,
        Input::QueryAnswered { response } => talk::answered(&mut draft, *response)?,
        Input::Flagged { finding } => guard::flagged(&mut draft, finding),
        Input::FilesRead { files } => looking::files(&mut draft, files),
        Input::ResultsChecked { attempt, results } => looking::checked(&mut draft, attempt, results)?,
        Input::Noted { task_id, attempt, note } => notes::noted(&mut draft, &task_id, attempt, note)?,
        Input::AgentAsks { task_id, attempt, request } => {
            notes::asks(&mut draft, &task_id, attempt, *request)?;
        }
        Input::Undone { key, undone } => undo::undone(&mut draft, key, undone)?,
        Input::Answered { gate, answer } => answers::answered(&mut draft, &gate, answer)?,
        Input::Pause { reason } => control::pause(&mut draft, reason)?,
        Input::Resume => control::resume(&mut draft)?,
        Input::Cancel { reason } => control::cancel(&mut draft, reason)?,
        Input::RollBack { to, run_budget } => control::roll_back(&mut draft, to, run_budget)?,
        Input::Restart { prompt } => control::restart(&mut draft, prompt)?,
        Input::TakenUp => tick::taken_up(&mut draft),
        Input::Tick => tick::tick(&mut draft),
    }
    Ok(draft.into_events())
}

/// What can be taken at all in this part of the run's life.
fn check_stage(state: &RunState, input: &Input) -> Result<(), Refusal> {
    match (state.stage(), input) {
        (Stage::New, Input::Start { .. } | Input::Tick) => Ok(()),
        (Stage::New, _) => Err(Refusal::NotStarted),
        (_, Input::Start { .. }) => Err(Refusal::AlreadyStarted),
        (Stage::Ended(_), Input::Resume) if state.can_resume() => Ok(()),
        (Stage::Ended(_), Input::RollBack { .. } | Input::Restart { .. } | Input::TakenUp | Input::Tick) => {
            Ok(())
        }
        // What was spent is a fact, whenever it is heard of; so is what was seen before the run goes back.
        (Stage::Ended(_), Input::Spent { .. } | Input::FilesRead { .. }) => Ok(()),
        (Stage::Ended(_), Input::Consulted { step, .. }) if step.call.is_some() => Ok(()),
        (Stage::Ended(status), _) => Err(Refusal::Ended { status: *status }),
        _ => Ok(()),
    }
}
