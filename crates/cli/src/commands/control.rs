//! Commands to a run: go on, pause, cancel.

use candor_app::{App, AppError, Begin, Log, find_run, first_input, load_run};
use candor_engine::Input;
use candor_model::{RunId, TaskId};
use candor_ports::Leases;

use crate::args::{DriveArgs, DriveOptions, GlobalOptions, ReasonArgs, ReplanArgs};
use crate::drive;
use crate::failure::{Failure, code};

/// An app with its log open, and the run that was meant.
pub(super) struct AtRun {
    pub(super) app: App,
    pub(super) log: Log,
    pub(super) run: RunId,
}

impl AtRun {
    pub(super) async fn find(global: &GlobalOptions, named: &str) -> Result<Self, Failure> {
        let mut app = App::build(global)?.discover_agents().await;
        let log = app.data.open_if_there()?;
        let run = find_run(&app.data, log.as_ref(), named).await?;
        let log = log.ok_or_else(|| Failure::usage(word!("there are no runs", "no hay ejecuciones")))?;
        if let Some(limit) = load_run(&log, &run).await?.state.settings().code_timeout {
            app.config.code.timeout = limit;
        }
        Ok(Self { app, log, run })
    }

    /// Gives the run an input: drives it on here, or tells the process that drives it.
    pub(super) async fn submit(
        self,
        global: &GlobalOptions,
        input: Input,
        options: &DriveOptions,
    ) -> Result<u8, Failure> {
        let Self { app, log, run } = self;
        if app.data.leases().is_taken(&run).await {
            let status = app.runtime(log, &[], None)?.submit(run.clone(), input).await?;
            tell!(
                "candor: told the process that drives run {run}; it is {status}",
                "candor: avisado el proceso que conduce la ejecución {run}; está {status}"
            );
            return Ok(code::DONE);
        }
        drive::drive(&app, log, Begin::Resume { run, first: Some(input) }, options, global).await
    }
}

pub(crate) async fn resume(global: &GlobalOptions, args: &DriveArgs) -> Result<u8, Failure> {
    let AtRun { app, log, run } = AtRun::find(global, &args.run).await?;
    let first = first_input(&load_run(&log, &run).await?.state)?;
    drive::drive(&app, log, Begin::Resume { run, first }, &args.drive, global).await
}

/// Another approach to one task, or to one step of its agent: by a model if there is one, else by the rules.
pub(crate) async fn replan(global: &GlobalOptions, args: &ReplanArgs) -> Result<u8, Failure> {
    let at = AtRun::find(global, &args.run).await?;
    let task_id = TaskId::new(args.task.as_str()).map_err(Failure::usage)?;
    let note = args.note.as_deref().map(str::trim).filter(|note| !note.is_empty()).map(str::to_owned);
    at.submit(global, Input::Replan { task_id, step: args.step.clone(), note }, &args.drive).await
}

pub(crate) async fn pause(global: &GlobalOptions, args: &ReasonArgs) -> Result<u8, Failure> {
    let at = AtRun::find(global, &args.run).await?;
    let input = Input::Pause { reason: args.reason.clone() };
    let status = at.app.runtime(at.log, &[], None)?.submit(at.run.clone(), input).await?;
    tell!(
        "candor: run {} is {status}; go on with: candor resume {}",
        "candor: la ejecución {} está {status}; continuar con: candor resume {}",
        at.run,
        at.run
    );
    Ok(code::DONE)
}

/// A run without an active driver is cancelled here; the process that drives one does it itself, and this command
/// returns when everything has stopped.
pub(crate) async fn cancel(global: &GlobalOptions, args: &ReasonArgs) -> Result<u8, Failure> {
    let AtRun { app, log, run } = AtRun::find(global, &args.run).await?;
    let input = Input::Cancel { reason: args.reason.clone() };
    let runtime = app.runtime(log.clone(), &[], None)?;
    let leases = app.data.leases();
    if leases.is_taken(&run).await {
        runtime.submit(run.clone(), input).await?;
        tokio::select! {
            ended = until_end(&log, &run) => ended?,
            () = leases.released(&run) => {}
        }
    } else {
        let lease = leases.take(&run).await.map_err(AppError::from)?;
        let stopped = app.stop_orphans(&run)?;
        if stopped > 0 {
            tell!(
                "candor: stopped {stopped} processes that were left running",
                "candor: detenidos {stopped} procesos que seguían en marcha"
            );
        }
        runtime.resume(run.clone(), Some(input), Some(lease)).await?.ended().await?;
    }
    tell!(
        "candor: run {run} is {}",
        "candor: la ejecución {run} está {}",
        load_run(&log, &run).await?.state.status()
    );
    Ok(code::DONE)
}

/// Returns when a run that another process drives has ended.
async fn until_end(log: &Log, run: &RunId) -> Result<(), Failure> {
    let mut news = log.listen()?;
    let mut loaded = load_run(log, run).await?;
    while !loaded.state.status().is_end() {
        news.changed().await?;
        loaded.catch_up(log).await?;
    }
    Ok(())
}
