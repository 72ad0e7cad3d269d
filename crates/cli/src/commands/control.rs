//! Commands to a run: go on, pause, cancel.

use candor_engine::{Input, RunState};
use candor_model::{RunId, RunStatus};
use candor_store::SqliteLog;

use crate::app::App;
use crate::args::{DriveArgs, DriveOptions, GlobalOptions, ReasonArgs};
use crate::data::{self, find_run};
use crate::drive::{self, Begin};
use crate::failure::{Failure, code};

/// A app with its log open, and the run that was meant.
pub(super) struct AtRun {
    pub(super) app: App,
    pub(super) log: SqliteLog,
    pub(super) run: RunId,
}

impl AtRun {
    pub(super) async fn find(global: &GlobalOptions, named: &str) -> Result<Self, Failure> {
        let app = App::build(global)?.meet().await;
        let log = app.data.open_if_there()?;
        let run = find_run(&app.data, log.as_ref(), named).await?;
        let log = log.ok_or_else(|| Failure::usage("there are no runs"))?;
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
        if app.data.is_driven(&run) {
            let status = app.runtime(log, &[], None)?.submit(run.clone(), input).await?;
            eprintln!("candor: told the process that drives run {run}; it is {status}");
            return Ok(code::DONE);
        }
        drive::drive(&app, log, Begin::TakeUp { run, first: Some(input) }, options, global).await
    }
}

pub(crate) async fn resume(global: &GlobalOptions, args: &DriveArgs) -> Result<u8, Failure> {
    let AtRun { app, log, run } = AtRun::find(global, &args.run).await?;
    let first = way_on(&data::look(&log, &run).await?.state)?;
    drive::drive(&app, log, Begin::TakeUp { run, first }, &args.drive, global).await
}

/// What a run that goes on is given first, if it needs to be given anything; a run that has ended does not go on.
pub(crate) fn way_on(state: &RunState) -> Result<Option<Input>, Failure> {
    let run = state.run_id();
    if state.status().is_end() {
        return Err(Failure::usage(format!(
            "run {run} has ended ({}); `candor rollback {run} PHASE`, `candor restart {run}` or `candor fork {run}` can begin again",
            state.status()
        )));
    }
    Ok((state.status() == RunStatus::Paused).then_some(Input::Resume))
}

pub(crate) async fn pause(global: &GlobalOptions, args: &ReasonArgs) -> Result<u8, Failure> {
    let at = AtRun::find(global, &args.run).await?;
    let input = Input::Pause { reason: args.reason.clone() };
    let status = at.app.runtime(at.log, &[], None)?.submit(at.run.clone(), input).await?;
    eprintln!("candor: run {} is {status}; go on with: candor resume {}", at.run, at.run);
    Ok(code::DONE)
}

/// A run that nobody drives is cancelled here; the process that drives one does it itself, and this command
/// returns when everything has stopped.
pub(crate) async fn cancel(global: &GlobalOptions, args: &ReasonArgs) -> Result<u8, Failure> {
    let AtRun { app, log, run } = AtRun::find(global, &args.run).await?;
    let input = Input::Cancel { reason: args.reason.clone() };
    let runtime = app.runtime(log.clone(), &[], None)?;
    if app.data.is_driven(&run) {
        runtime.submit(run.clone(), input).await?;
        while app.data.is_driven(&run) && !data::look(&log, &run).await?.state.status().is_end() {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    } else {
        let lease = app.data.lease(&run)?;
        let stopped = candor_agents::stop_orphans(&app.data.attempts(), &run)?;
        if stopped > 0 {
            eprintln!("candor: stopped {stopped} processes that were left running");
        }
        runtime.resume(run.clone(), Some(input), Some(lease)).await?.ended().await?;
    }
    eprintln!("candor: run {run} is {}", data::look(&log, &run).await?.state.status());
    Ok(code::DONE)
}
