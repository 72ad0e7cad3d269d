//! Time travel: rollback, restart, fork.

use candor_app::time_travel::{checkpoint, numbered, point};
use candor_app::{Begin, fresh_run_id, load_run};
use candor_engine::Input;
use candor_model::{CheckpointId, Money, Position, RunId};
use candor_runtime::ForkPoint;

use super::control::AtRun;
use crate::args::{ForkArgs, GlobalOptions, RestartArgs, RollbackArgs};
use crate::drive;
use crate::failure::Failure;

pub(crate) async fn restart(global: &GlobalOptions, args: &RestartArgs) -> Result<u8, Failure> {
    let at = AtRun::find(global, &args.run).await?;
    let prompt = args.prompt.clone().map(|words| at.app.new_words(words)).transpose()?;
    at.submit(global, Input::Restart { prompt }, &args.drive).await
}

pub(crate) async fn rollback(global: &GlobalOptions, args: &RollbackArgs) -> Result<u8, Failure> {
    let run_budget = args.budget.map(Money::from_dollars).transpose().map_err(Failure::usage)?;
    let at = AtRun::find(global, &args.run).await?;
    let to = match (&args.phase, args.checkpoint) {
        (Some(phase), _) => point(&load_run(&at.log, &at.run).await?.state, phase, args.rerun)?,
        (None, Some(number)) => checkpoint(&load_run(&at.log, &at.run).await?.state, number)?,
        (None, None) => {
            return Err(Failure::usage(word!(
                "say which phase, 0 to 7, or --checkpoint NUMBER",
                "indicar qué fase, de 0 a 7, o --checkpoint NUMBER"
            )));
        }
    };
    at.submit(global, Input::RollBack { to, run_budget }, &args.drive).await
}

pub(crate) async fn fork(global: &GlobalOptions, args: &ForkArgs) -> Result<u8, Failure> {
    let at = match (&args.phase, args.checkpoint) {
        (Some(given), _) => ForkPoint::After(numbered(given).ok_or_else(|| {
            Failure::usage(say!(
                "--phase {given}: a phase is a number from 0 to 7",
                "--phase {given}: una fase es un número de 0 a 7"
            ))
        })?),
        (None, Some(number)) => ForkPoint::Checkpoint(CheckpointId(number)),
        (None, None) => ForkPoint::Latest,
    };
    let new = match &args.run_id {
        Some(name) => RunId::new(name).map_err(|error| Failure::usage(format!("--run-id: {error}")))?,
        None => fresh_run_id()?,
    };
    let AtRun { app, log, run } = AtRun::find(global, &args.run).await?;
    let prompt = args.prompt.clone().map(|words| app.new_words(words)).transpose()?;
    if !log.read(&new, Position::START).await?.is_empty() {
        return Err(Failure::usage(say!(
            "--run-id: there is a run {new} already; choose another name",
            "--run-id: ya hay una ejecución {new}; elegir otro nombre"
        )));
    }
    app.registry(&args.drive.faults)?;
    drive::drive(&app, log, Begin::Fork { from: run, at, new, prompt }, &args.drive, global).await
}
