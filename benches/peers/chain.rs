//! A chain of no-op tasks, beside raw durable commits and beside LangGraph in mode "sync".
//!
//! A raw commit writes one row as large as what Candor appends per task, with the same settings of SQLite, in
//! the same folder. Chain and commits take turns in one process.
//!
//! A write-ahead log costs more while it grows: every fsync then also writes the file's new size. Later it
//! is written over in place. All sides are therefore compared twice, with new files and with files that have
//! been in use; a quick fsync on one side only would decide the comparison by itself.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use candor_model::{Position, Recorded, RunId};
use candor_ports::{EventLog, Observer};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use tokio::runtime::{Builder, Runtime};

use crate::candor::Inside;
use crate::langgraph::{Chains, LangGraph};
use crate::measure::{self, Sorted};
use crate::scores::{Scores, Target, note};
use crate::shapes;

const TASKS: usize = 100;

/// How often each process has its turn.
const TURNS: usize = 3;

/// Chains that are measured while the files are new, and again when they are not; and those in between.
const CHAINS: usize = 6;
const BETWEEN: usize = 15;

/// Raw commits in between: enough for its write-ahead log to have its full size too.
const COMMITS_BETWEEN: usize = 6_000;

/// What one turn of ours brought.
#[derive(Serialize, Deserialize)]
struct Turn {
    new: Vec<Pair>,
    used: Vec<Pair>,
    /// How often a run appended.
    appends: usize,
    /// What it appended per task.
    bytes: usize,
}

/// One chain, and right after it as many raw commits as it has tasks; in seconds.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Pair {
    /// The whole run, from the start to the end.
    run: f64,
    /// The same, without what comes before the first task is dispatched.
    execution: f64,
    commits: f64,
}

/// When something became durable, and where the log ended then.
type Told = Vec<(Instant, Position)>;

/// Notes every append.
#[derive(Default)]
struct Appends(Mutex<Told>);

impl Appends {
    fn take(&self) -> Told {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Appends {
    fn on_events(&self, _: &RunId, events: &[Recorded]) {
        let end = events.last().map_or(Position::START, |last| last.position);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((Instant::now(), end));
    }
}

/// Measures chains and raw commits in this process, and prints them for the process that compares.
pub(crate) fn measure() -> Result<()> {
    let folder = measure::folder()?;
    let mut bench = Bench::open(folder.path())?;
    let (first, _, told) = bench.chain()?;
    let bytes = bench.appended_after_start(&first, &told)? / TASKS;
    let raw = Raw::open(folder.path(), bytes)?;
    raw.commit(TASKS)?;
    let new = bench.pairs(&raw)?;
    for _ in 0..BETWEEN {
        bench.chain()?;
    }
    raw.commit(COMMITS_BETWEEN)?;
    let used = bench.pairs(&raw)?;
    println!("{}", serde_json::to_string(&Turn { new, used, appends: told.len(), bytes })?);
    Ok(())
}

/// Candor, making chains one after the other.
struct Bench {
    tokio: Runtime,
    inside: Inside,
    appends: Arc<Appends>,
    chains: u32,
}

impl Bench {
    fn open(folder: &Path) -> Result<Self> {
        let tokio = Builder::new_current_thread().enable_all().build()?;
        let appends = Arc::new(Appends::default());
        let inside = Inside::open(folder, Some(Arc::<Appends>::clone(&appends)))?;
        Ok(Self { tokio, inside, appends, chains: 0 })
    }

    /// Makes a chain: the run, its time, and when its appends became durable.
    fn chain(&mut self) -> Result<(RunId, Duration, Told)> {
        self.chains += 1;
        let run_id = RunId::new(format!("run_{:06}", self.chains))?;
        let plan = shapes::chain(TASKS)?;
        let started = Instant::now();
        self.tokio.block_on(self.inside.run(run_id.clone(), plan))?;
        Ok((run_id, started.elapsed(), self.appends.take()))
    }

    fn pairs(&mut self, raw: &Raw) -> Result<Vec<Pair>> {
        let mut pair = || {
            let (_, run, told) = self.chain()?;
            let (first, last) = told.first().zip(told.last()).context("the run appended nothing")?;
            let execution = last.0.duration_since(first.0).as_secs_f64();
            Ok(Pair { run: run.as_secs_f64(), execution, commits: raw.commit(TASKS)?.as_secs_f64() })
        };
        (0..CHAINS).map(|_| pair()).collect()
    }

    /// How many bytes of events a run wrote after its first append, which holds the plan.
    fn appended_after_start(&self, run_id: &RunId, told: &[(Instant, Position)]) -> Result<usize> {
        let (_, start) = told.first().context("the run appended nothing")?;
        let events = self.tokio.block_on(self.inside.log.read(run_id, *start))?;
        let texts: Result<Vec<String>, _> = events.iter().map(|recorded| recorded.event.to_json()).collect();
        Ok(texts?.iter().map(String::len).sum())
    }
}

/// The simplest table there is.
struct Raw {
    connection: Connection,
    row: String,
}

impl Raw {
    fn open(folder: &Path, bytes: usize) -> Result<Self> {
        let connection = Connection::open(folder.join("raw.db"))?;
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
             CREATE TABLE raw (id INTEGER PRIMARY KEY, body TEXT);",
        )?;
        Ok(Self { connection, row: "x".repeat(bytes) })
    }

    /// Commits row by row.
    fn commit(&self, rows: usize) -> Result<Duration> {
        let mut insert = self.connection.prepare_cached("INSERT INTO raw (body) VALUES (?1)")?;
        let started = Instant::now();
        for _ in 0..rows {
            insert.execute([&self.row])?;
        }
        Ok(started.elapsed())
    }
}

/// Lets all take turns, and prints how they compare.
pub(crate) fn compare(peer: Option<&LangGraph>, scores: &mut Scores) -> Result<()> {
    let (mut turns, mut theirs) = (Vec::<Turn>::new(), Vec::<Chains>::new());
    for _ in 0..TURNS {
        turns.push(measure::in_own_process(&["chain"])?);
        if let Some(peer) = peer {
            theirs.push(peer.chain(TASKS, CHAINS, BETWEEN)?);
        }
    }
    if let Some(turn) = turns.first() {
        let (appends, bytes) = (turn.appends, turn.bytes);
        note(format!("a chain of {TASKS} tasks: {appends} appends, {bytes} bytes per task"));
    }
    let ours = |of: fn(&Turn) -> &Vec<Pair>| -> Vec<Pair> { turns.iter().flat_map(of).copied().collect() };
    let peers = |of: fn(&Chains) -> &Vec<f64>| -> Vec<f64> { theirs.iter().flat_map(of).copied().collect() };
    judge(scores, "new files", &ours(|turn| &turn.new), &peers(|chains| &chains.new))?;
    judge(scores, "files in use", &ours(|turn| &turn.used), &peers(|chains| &chains.used))
}

fn judge(scores: &mut Scores, files: &str, ours: &[Pair], theirs: &[f64]) -> Result<()> {
    let sorted = |of: fn(&Pair) -> f64| Sorted::new(ours.iter().map(of));
    let micros = |seconds: f64| seconds / TASKS as f64 * 1e6;
    let (run, execution) = (sorted(|pair| pair.run)?.median(), sorted(|pair| pair.execution)?.median());
    let commit = micros(sorted(|pair| pair.commits)?.median());
    note(format!("{files}: {:.0} µs per task, a raw commit {commit:.0} µs", micros(run)));
    note(format!(
        "{files}: in execution alone {:.0} µs per task, {:.2} raw commits",
        micros(execution),
        sorted(|pair| pair.execution / pair.commits)?.median()
    ));
    let ratio = sorted(|pair| pair.run / pair.commits)?;
    note(format!("{files}: half of the chains between {:.2} and {:.2}", ratio.at(0.25), ratio.at(0.75)));
    let what = format!("a chain of {TASKS}, {files}, per task");
    scores.judge(&what, ratio.median(), "raw commits", Target::AtMost(1.5));
    if !theirs.is_empty() {
        let theirs = Sorted::new(theirs.iter().copied())?.median();
        note(format!("{files}: LangGraph, SqliteSaver, sync: {:.0} µs per task", micros(theirs)));
        let what = format!("a chain of {TASKS}, {files}, beside LangGraph");
        scores.judge(&what, theirs / run, "times", Target::AtLeast(5.0));
    }
    Ok(())
}
