//! Looking at runs: list, status, watch, report, postmortem, effects.

use std::collections::BTreeSet;
use std::time::Duration;

use candor_app::{DataFolder, LoadedRun, Log, find_run, load_run};
use candor_engine::RunState;
use candor_model::{EventBody, LedgerEntry, Recorded, RunId, RunStatus, SubTask, TaskId};
use candor_ports::{Leases, RunFilter, RunQuery};
use serde_json::json;

use crate::args::{
    DriveOptions, EffectStatus, EffectsArgs, GlobalOptions, ListArgs, ModelOptions, OneRun, ReportArgs,
    ReportFormat,
};
use crate::drive::Screen;
use crate::failure::{Failure, code};
use crate::output;
use crate::remote::{self, Remote};
use crate::view;

/// How many runs a list has without `--limit`.
pub(crate) const USUAL_RUNS: usize = 50;

/// How often `watch` looks whether somebody drives the run.
const LOOK_FOR_DRIVER: Duration = Duration::from_secs(1);

/// A data folder that has runs in it, and the one that was meant.
pub(super) struct Found {
    pub(super) data: DataFolder,
    pub(super) log: Log,
    pub(super) run: RunId,
}

pub(super) async fn find(global: &GlobalOptions, named: &str) -> Result<Found, Failure> {
    let data = DataFolder::find(global.data.as_deref())?;
    let log = data.open_if_there()?;
    let run = find_run(&data, log.as_ref(), named).await?;
    let log = log.ok_or_else(|| Failure::usage(word!("there are no runs", "no hay ejecuciones")))?;
    Ok(Found { data, log, run })
}

pub(super) async fn find_and_load(global: &GlobalOptions, named: &str) -> Result<LoadedRun, Failure> {
    if let Some(remote) = Remote::of(global)? {
        return remote.load(named).await;
    }
    let found = find(global, named).await?;
    Ok(load_run(&found.log, &found.run).await?)
}

pub(crate) async fn list(global: &GlobalOptions, args: &ListArgs) -> Result<u8, Failure> {
    if let Some(remote) = Remote::of(global)? {
        return remote::list(&remote, args).await;
    }
    let data = DataFolder::find(global.data.as_deref())?;
    // A limit counts the runs that are shown, so it is the log's business only where nothing else is left out.
    let filtered = !args.runs.is_open() || args.request.is_some() || !args.period.is_open();
    let most = args.listing.limit_or(USUAL_RUNS);
    let limit = u32::try_from(most).ok().filter(|_| !filtered);
    let mut runs = match data.open_if_there()? {
        Some(log) => log.runs(RunFilter { unfinished_only: args.unfinished, limit }).await?,
        None => Vec::new(),
    };
    let query = query(args);
    runs.retain(|entry| query.admits(entry));
    runs.truncate(most);
    let mut interrupted = BTreeSet::new();
    for entry in runs.iter().filter(|entry| needs_driver(entry.summary.status)) {
        if !data.leases().is_taken(&entry.summary.run_id).await {
            interrupted.insert(entry.summary.run_id.clone());
        }
    }
    if args.listing.json {
        output::print_json(&view::list::json(&runs, &interrupted))?;
    } else {
        output::print(&view::list::text(&runs, &interrupted, output::style()))?;
    }
    Ok(code::DONE)
}

/// Which runs are asked for.
pub(crate) fn query(args: &ListArgs) -> RunQuery {
    RunQuery { text: args.request.clone(), ..args.runs.query(&args.period) }
}

/// Whether a run only goes on while a process drives it. One that has no driver then was interrupted.
pub(super) fn needs_driver(status: RunStatus) -> bool {
    matches!(status, RunStatus::Preparing | RunStatus::Executing | RunStatus::Stopping)
}

pub(crate) async fn status(global: &GlobalOptions, args: &OneRun) -> Result<u8, Failure> {
    if let Some(remote) = Remote::of(global)? {
        // Whoever looks from elsewhere cannot see who drives it; the server resumes what it finds interrupted.
        let LoadedRun { records, state } = remote.load(&args.run).await?;
        match args.json {
            true => output::print_json(&view::status::json(&state, &records))?,
            false => output::print(&view::status::text(&state, &records, false, output::style()))?,
        }
        return Ok(code::DONE);
    }
    let Found { data, log, run } = find(global, &args.run).await?;
    let LoadedRun { records, state } = load_run(&log, &run).await?;
    let driven = data.leases().is_taken(&run).await;
    let interrupted = needs_driver(state.status()) && !driven;
    if args.json {
        let mut status = view::status::json(&state, &records);
        if let Some(fields) = status.as_object_mut() {
            fields.insert("driven".to_owned(), json!(driven));
            fields.insert("interrupted".to_owned(), json!(interrupted));
        }
        output::print_json(&status)?;
        return Ok(code::DONE);
    }
    output::print(&view::status::text(&state, &records, interrupted, output::style()))?;
    if interrupted {
        tell_interrupted(global, &run);
    }
    Ok(code::DONE)
}

fn tell_interrupted(global: &GlobalOptions, run: &RunId) {
    let more = global.words();
    tell!(
        "candor: interrupted, no active driver; resume with: candor resume {run}{more}",
        "candor: interrumpida, sin proceso que la conduzca; continuar con: candor resume {run}{more}"
    );
}

pub(crate) async fn watch(global: &GlobalOptions, args: &OneRun) -> Result<u8, Failure> {
    if let Some(remote) = Remote::of(global)? {
        return remote::watch(&remote, args).await;
    }
    let Found { data, log, run } = find(global, &args.run).await?;
    let options = DriveOptions {
        yes: false,
        json: args.json,
        plain: true,
        verbose: false,
        quiet: false,
        strict: false,
        faults: Vec::new(),
        models: ModelOptions::default(),
    };
    let mut screen = Screen::new(&options, &run);
    let mut news = log.listen()?;
    let mut loaded = load_run(&log, &run).await?;
    screen.tell(&loaded.records)?;
    let mut told = false;
    while !loaded.state.status().is_end() {
        let interrupted = needs_driver(loaded.state.status()) && !data.leases().is_taken(&run).await;
        if interrupted && !told {
            tell_interrupted(global, &run);
        }
        told = interrupted;
        // Nobody tells when a driver dies.
        match tokio::time::timeout(LOOK_FOR_DRIVER, news.changed()).await {
            Ok(changed) => changed?,
            Err(_) => continue,
        }
        screen.tell(loaded.catch_up(&log).await?)?;
    }
    Ok(code::DONE)
}

pub(crate) async fn report(global: &GlobalOptions, args: &ReportArgs) -> Result<u8, Failure> {
    let format = args.format().map_err(Failure::usage)?;
    let LoadedRun { records, state } = find_and_load(global, &args.run).await?;
    let text = match format {
        ReportFormat::Md => view::report::markdown(&state, &records),
        ReportFormat::Html => view::report::html(&state, &records),
        ReportFormat::Json => serde_json::to_string(&view::report_json(&state, &records))? + "\n",
    };
    match &args.output {
        Some(path) => std::fs::write(path, text).map_err(|error| {
            Failure::usage(say!(
                "could not write {}: {error}",
                "no se pudo escribir {}: {error}",
                path.display()
            ))
        })?,
        None => output::print(&text)?,
    }
    Ok(code::DONE)
}

/// The task that was named, if the run has one of that name or had one.
pub(super) fn known_task(
    state: &RunState,
    records: &[Recorded],
    named: Option<&str>,
) -> Result<Option<TaskId>, Failure> {
    let Some(task) = named.map(TaskId::new).transpose().map_err(Failure::usage)? else { return Ok(None) };
    let has = |tasks: &[SubTask]| tasks.iter().any(|it| it.task_id == task);
    let known = records.iter().any(|recorded| match &recorded.event.body {
        EventBody::PlanProposed { plan, .. } => has(&plan.subtasks),
        EventBody::Replanned { revision, .. } => has(&revision.new_subtasks),
        _ => false,
    });
    if known {
        return Ok(Some(task));
    }
    let run = state.run_id();
    Err(Failure::usage(say!(
        "run {run} has no task {task}; `candor status {run} --json` shows its tasks",
        "la ejecución {run} no tiene ninguna tarea {task}; `candor status {run} --json` muestra sus tareas"
    )))
}

pub(crate) async fn postmortem(global: &GlobalOptions, args: &OneRun) -> Result<u8, Failure> {
    let LoadedRun { records, state } = find_and_load(global, &args.run).await?;
    if args.json {
        output::print_json(&view::postmortem::json(&state, &records))?;
    } else {
        output::print(&view::postmortem::text(&state, &records, output::style()))?;
    }
    Ok(code::DONE)
}

pub(crate) async fn effects(global: &GlobalOptions, args: &EffectsArgs) -> Result<u8, Failure> {
    let LoadedRun { state, .. } = find_and_load(global, &args.run).await?;
    let is_wanted =
        |entry: &&LedgerEntry| args.status.is_empty() || args.status.contains(&effect_status(entry));
    let mut shown: Vec<LedgerEntry> = state.ledger().iter().filter(is_wanted).cloned().collect();
    args.listing.cut(&mut shown);
    if args.listing.json {
        output::print_json(&json!({ "run_id": state.run_id(), "effects": shown }))?;
    } else {
        output::print(&view::note_lines::ledger(&shown))?;
    }
    Ok(code::DONE)
}

fn effect_status(entry: &LedgerEntry) -> EffectStatus {
    match (&entry.receipt, &entry.undone) {
        (_, Some(undone)) if undone.success => EffectStatus::Undone,
        (None, _) => EffectStatus::Unknown,
        (Some(receipt), _) if receipt.success => EffectStatus::Done,
        (Some(_), _) => EffectStatus::Failed,
    }
}
