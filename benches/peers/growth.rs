//! How costs grow: with the runs in a store, the tasks of a plan, the runs in flight and the events of a log.
//!
//! What one run costs is measured as time of the processor, because a commit waits for the disk whatever the store holds.
//! The points are kept in `growth.json` in the target folder; `docs/assets/growth.py` draws them.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use candor_model::{Event, EventBody, Position, RunId};
use candor_ports::EventLog;
use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use crate::candor::Inside;
use crate::command::Candor;
use crate::measure::{self, Sorted, millis};
use crate::scores::{Scores, Target, note};
use crate::{crowd, shapes};

/// How many runs are in the store when a run is measured.
const STORES: [u32; 3] = [1_000, 10_000, 100_000];

/// The store that commands look at has so many whole runs.
const LISTED: u32 = 10_000;

const PLANS: [usize; 4] = [10, 100, 1_000, 5_000];
const FLIGHTS: [u32; 4] = [10, 100, 1_000, 10_000];

/// How many runs are measured at each size of the store, and how often each command is called.
const RUNS: u32 = 60;
const CALLS: usize = 5;

/// How many appends wait at the same time while a store is filled.
const AT_ONCE: usize = 512;

/// Sizes, and what was measured at each.
type Points = Vec<(f64, f64)>;

type Curves = BTreeMap<&'static str, Points>;

/// Measures all of it.
pub(crate) fn compare(candor: &Candor, scores: &mut Scores) -> Result<()> {
    let mut curves = Curves::new();
    curves.insert("runs in the store, ms of CPU for one run", stores(scores)?);
    commands(candor, scores)?;
    let (tasks, events) = plans(candor)?;
    curves.insert("tasks of a plan, µs for one task", tasks);
    curves.insert("events of a log, ms of `candor status`", events);
    curves.insert("runs in flight, runs a second", flights()?);
    let path = measure::target_folder()?.join("growth.json");
    std::fs::write(&path, serde_json::to_string(&curves)?)?;
    note(format!("the curves are in {}", path.display()));
    Ok(())
}

/// What one run costs in stores of different sizes. Most runs in them are only a beginning and an outcome: what a start
/// reads is there, and a hundred thousand of them fit on a disk.
fn stores(scores: &mut Scores) -> Result<Points> {
    let folder = measure::folder()?;
    let tokio = Builder::new_current_thread().enable_all().build()?;
    let inside = Inside::open(folder.path(), None)?;
    let mut events = template(&tokio, &inside)?;
    events.retain(|event| {
        matches!(event.body, EventBody::RunStarted { .. } | EventBody::OutcomeRecorded(_))
            || event.body.is_end()
    });
    let (mut points, mut filled) = (Vec::new(), 0);
    for size in STORES {
        tokio.block_on(fill(&inside, &events, filled..size))?;
        filled = size;
        let one = one_run(&tokio, &inside, size)?;
        note(format!("a run with {size} runs in the store: {one:.2} ms of CPU"));
        points.push((f64::from(size), one));
    }
    if let (Some((_, few)), Some((_, many))) = (points.first(), points.last()) {
        let what = "a run with 100,000 runs in the store, beside 1,000";
        scores.judge(what, many / few, "times", Target::AtMost(1.1));
    }
    Ok(points)
}

/// The events of a run that has ended.
fn template(tokio: &Runtime, inside: &Inside) -> Result<Vec<Event>> {
    let run = RunId::new("run_template")?;
    tokio.block_on(inside.run(run.clone(), shapes::paris()?))?;
    let recorded = tokio.block_on(inside.log.read(&run, Position::START))?;
    Ok(recorded.into_iter().map(|recorded| recorded.event).collect())
}

async fn fill(inside: &Inside, events: &[Event], numbers: std::ops::Range<u32>) -> Result<()> {
    let events: std::sync::Arc<[Event]> = events.into();
    let mut appends = JoinSet::new();
    for n in numbers {
        if appends.len() >= AT_ONCE
            && let Some(done) = appends.join_next().await
        {
            done??;
        }
        let (log, events) = (inside.log.clone(), std::sync::Arc::clone(&events));
        let run = RunId::new(format!("run_filler_{n:06}"))?;
        appends.spawn(async move { log.append(&run, Position::START, &events).await });
    }
    while let Some(done) = appends.join_next().await {
        done??;
    }
    Ok(())
}

fn one_run(tokio: &Runtime, inside: &Inside, size: u32) -> Result<f64> {
    let mut times = Vec::new();
    for n in 0..RUNS {
        let before = cpu();
        tokio.block_on(inside.run(RunId::new(format!("run_at_{size}_{n}"))?, shapes::paris()?))?;
        times.push(millis(cpu().saturating_sub(before)));
    }
    Ok(Sorted::new(times)?.median())
}

fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// How soon the commands answer that look at many runs.
fn commands(candor: &Candor, scores: &mut Scores) -> Result<()> {
    let folder = measure::folder()?;
    let tokio = Builder::new_current_thread().enable_all().build()?;
    {
        let inside = Inside::open(folder.path(), None)?;
        let events = template(&tokio, &inside)?;
        note(format!("{LISTED} runs of {} events", events.len()));
        tokio.block_on(fill(&inside, &events, 0..LISTED))?;
    }
    let first = measure::timed(candor.command(folder.path()).arg("metrics"))?;
    note(format!(
        "candor metrics, {LISTED} runs, the first time after an update: {:.1} s",
        first.as_secs_f64()
    ));
    for (words, target) in
        [(&["metrics"][..], 500.0), (&["list"][..], 100.0), (&["status", "run_filler_000007"][..], 100.0)]
    {
        let call = || measure::timed(candor.command(folder.path()).args(words)).map(millis);
        let times: Result<Vec<f64>> = (0..CALLS).map(|_| call()).collect();
        let what = format!("candor {}, {LISTED} runs", words.first().copied().unwrap_or_default());
        scores.judge(&what, Sorted::new(times?)?.median(), "ms", Target::AtMost(target));
    }
    Ok(())
}

/// Plans of different sizes: what a task costs, and how long it takes to look at the run.
fn plans(candor: &Candor) -> Result<(Points, Points)> {
    let (mut tasks, mut events) = (Vec::new(), Vec::new());
    for size in PLANS {
        let folder = measure::folder()?;
        let (plan, config) = (folder.path().join("plan.json"), folder.path().join("candor.toml"));
        std::fs::write(&plan, shapes::layers(size).to_string())?;
        std::fs::write(&config, shapes::config())?;
        let mut run = candor.command(folder.path());
        run.args(["run", "--run-id", "run_grown", "--plan"]).arg(&plan).arg("--config").arg(&config);
        let took = measure::timed(&mut run)?;
        tasks.push((size as f64, took.as_secs_f64() / size as f64 * 1e6));
        let status = measure::timed(candor.command(folder.path()).args(["status", "run_grown"]))?;
        events.push((count(folder.path())?, millis(status)));
    }
    Ok((tasks, events))
}

fn count(folder: &Path) -> Result<f64> {
    let connection = rusqlite::Connection::open(folder.join("candor.db")).context("the log of the run")?;
    Ok(connection.query_row("SELECT count(*) FROM events", [], |row| row.get(0))?)
}

fn flights() -> Result<Points> {
    let rate = |runs: u32| crowd::rate(2, runs).map(|rate| (f64::from(runs), rate));
    FLIGHTS.into_iter().map(rate).collect()
}
