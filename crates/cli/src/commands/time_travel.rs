//! Time travel: rollback, restart, fork.

use candor_app::{App, Begin, fresh_run_id, load_run};
use candor_engine::{Input, Refusal, RunState};
use candor_model::{CheckpointId, Money, Phase, Position, RunId};
use candor_planning::limits;
use candor_runtime::ForkPoint;

use super::control::AtRun;
use crate::args::{ForkArgs, GlobalOptions, RestartArgs, RollbackArgs};
use crate::drive;
use crate::failure::Failure;

pub(crate) async fn restart(global: &GlobalOptions, args: &RestartArgs) -> Result<u8, Failure> {
    let at = AtRun::find(global, &args.run).await?;
    let prompt = args.prompt.clone().map(|words| new_words(&at.app, words)).transpose()?;
    at.submit(global, Input::Restart { prompt }, &args.drive).await
}

pub(crate) async fn rollback(global: &GlobalOptions, args: &RollbackArgs) -> Result<u8, Failure> {
    let run_budget = args.budget.map(Money::from_dollars).transpose().map_err(Failure::usage)?;
    let at = AtRun::find(global, &args.run).await?;
    let to = match (&args.phase, args.checkpoint) {
        (Some(phase), _) => point(&load_run(&at.log, &at.run).await?.state, phase, args.rerun)?,
        (None, Some(number)) => checkpoint(&load_run(&at.log, &at.run).await?.state, number)?,
        (None, None) => return Err(Failure::usage("say which phase, 0 to 7, or --checkpoint NUMBER")),
    };
    at.submit(global, Input::RollBack { to, run_budget }, &args.drive).await
}

/// The point at which a phase had just been completed, or, to run it again, at which it was about to begin.
fn point(state: &RunState, given: &str, rerun: bool) -> Result<CheckpointId, Failure> {
    let phase = numbered(given);
    let completed = state.after_phase(phase);
    let found = if rerun { phase.and_then(|phase| before(state, phase)) } else { completed };
    found.ok_or_else(|| {
        let known = state.phases_to_go_back_to();
        Failure::usage(Refusal::UnknownPhase { given: given.to_owned(), known })
    })
}

/// The checkpoint of a number; a wrong one is found out before anything is touched.
fn checkpoint(state: &RunState, number: u32) -> Result<CheckpointId, Failure> {
    let (to, points) = (CheckpointId(number), state.checkpoints());
    if points.iter().any(|point| point.id == to) {
        return Ok(to);
    }
    let known: Vec<String> = points.iter().map(|point| format!("{} ({})", point.id, point.label)).collect();
    Err(Failure::usage(Refusal::UnknownCheckpoint { to, known: known.join(", ") }))
}

/// The phase of a number, 0 to 7.
fn numbered(given: &str) -> Option<Phase> {
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

/// Words to go on with, without secrets, and such that they can be worked with.
fn new_words(app: &App, words: String) -> Result<String, Failure> {
    let words = app.without_secrets(words);
    let most = app.config.limits.phase_limits().max_request_bytes;
    limits::check_request(&words, most).map_err(|problem| Failure::usage(format!("--prompt: {problem}")))?;
    Ok(words)
}

pub(crate) async fn fork(global: &GlobalOptions, args: &ForkArgs) -> Result<u8, Failure> {
    let at = match (&args.phase, args.checkpoint) {
        (Some(given), _) => ForkPoint::After(
            numbered(given)
                .ok_or_else(|| Failure::usage(format!("--phase {given}: a phase is a number from 0 to 7")))?,
        ),
        (None, Some(number)) => ForkPoint::Checkpoint(CheckpointId(number)),
        (None, None) => ForkPoint::Latest,
    };
    let new = match &args.run_id {
        Some(name) => RunId::new(name).map_err(|error| Failure::usage(format!("--run-id: {error}")))?,
        None => fresh_run_id()?,
    };
    let AtRun { app, log, run } = AtRun::find(global, &args.run).await?;
    let prompt = args.prompt.clone().map(|words| new_words(&app, words)).transpose()?;
    if !log.read(&new, Position::START).await?.is_empty() {
        return Err(Failure::usage(format!("--run-id: there is a run {new} already; choose another name")));
    }
    app.registry(&args.drive.faults)?;
    drive::drive(&app, log, Begin::Fork { from: run, at, new, prompt }, &args.drive, global).await
}
