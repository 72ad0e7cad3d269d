//! A chain of no-op tasks, beside raw durable commits and beside LangGraph in mode "sync".
//!
//! A raw commit writes one row as large as what Candor appends per task, with the same settings of SQLite, in
//! the same folder. Chain and commits take turns in one process.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use candor_model::{Position, Recorded, RunId};
use candor_ports::{EventLog, Reader};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use tokio::runtime::Builder;

use crate::candor::Inside;
use crate::langgraph::LangGraph;
use crate::measure::{self, Sorted};
use crate::scores::{Scores, Target, note};
use crate::shapes;

const TASKS: usize = 100;

/// How often each process has its turn, and how many chains it makes then.
const TURNS: usize = 3;
const CHAINS: usize = 9;

/// What one turn of ours brought.
#[derive(Serialize, Deserialize)]
struct Turn {
    /// Whole runs, from the start to the end.
    runs: Vec<f64>,
    /// The same, without what comes before the first task is dispatched.
    executions: Vec<f64>,
    /// As many raw commits as there are tasks.
    commits: Vec<f64>,
    /// How often a run appended.
    appends: usize,
    /// What it appended per task.
    bytes: usize,
}

/// Notes when something became durable, and where the log ended then.
#[derive(Default)]
struct Appends(Mutex<Vec<(Instant, Position)>>);

impl Appends {
    fn take(&self) -> Vec<(Instant, Position)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Reader for Appends {
    fn told(&self, _: &RunId, events: &[Recorded]) {
        let end = events.last().map_or(Position::START, |last| last.position);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((Instant::now(), end));
    }
}

/// Measures chains and raw commits in this process, and prints them for the process that compares.
pub(crate) fn measure(tasks: usize, chains: usize) -> Result<()> {
    let folder = measure::folder()?;
    let tokio = Builder::new_current_thread().enable_all().build()?;
    let appends = Arc::new(Appends::default());
    let inside = Inside::open(folder.path(), Some(Arc::<Appends>::clone(&appends)))?;
    let chain = |n: usize| -> Result<(Duration, Vec<(Instant, Position)>)> {
        let (run_id, plan) = (RunId::new(format!("run_{n:06}"))?, shapes::chain(tasks)?);
        let started = Instant::now();
        tokio.block_on(inside.run(run_id, plan))?;
        Ok((started.elapsed(), appends.take()))
    };
    let (_, warm_up) = chain(0)?;
    let (_, start) = warm_up.first().context("the run appended nothing")?;
    let events = tokio.block_on(inside.log.read(&RunId::new("run_000000")?, *start))?;
    let size: usize =
        events.iter().filter_map(|recorded| recorded.event.to_json().ok()).map(|text| text.len()).sum();
    let raw = Raw::open(folder.path(), size / tasks)?;
    raw.commit(tasks)?;
    let mut turn = Turn {
        runs: vec![],
        executions: vec![],
        commits: vec![],
        appends: warm_up.len(),
        bytes: size / tasks,
    };
    for n in 1..=chains {
        let (took, appends) = chain(n)?;
        turn.runs.push(took.as_secs_f64());
        if let [(first, _), .., (last, _)] = appends.as_slice() {
            turn.executions.push(last.duration_since(*first).as_secs_f64());
        }
        turn.commits.push(raw.commit(tasks)?.as_secs_f64());
    }
    println!("{}", serde_json::to_string(&turn)?);
    Ok(())
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
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let turn: Turn = measure::in_own_process(&["chain", &TASKS.to_string(), &CHAINS.to_string()])?;
        ours.push(turn);
        if let Some(peer) = peer {
            theirs.extend(peer.chain(TASKS, CHAINS)?.seconds);
        }
    }
    let all = |of: fn(&Turn) -> &[f64]| ours.iter().flat_map(move |turn| of(turn).iter().copied());
    let runs = Sorted::new(all(|turn| &turn.runs))?.median();
    let executions = Sorted::new(all(|turn| &turn.executions))?.median();
    let commits = Sorted::new(all(|turn| &turn.commits))?.median();
    let per_task = |seconds: f64| seconds / TASKS as f64 * 1e6;
    if let Some(turn) = ours.first() {
        note(format!(
            "a chain of {TASKS} tasks: {:.0} µs per task, {:.0} µs without what comes before the first; {} appends, {} \
             bytes per task",
            per_task(runs),
            per_task(executions),
            turn.appends,
            turn.bytes
        ));
    }
    note(format!("a raw durable commit of one such row: {:.0} µs", per_task(commits)));
    // Side by side: each chain against the commits right after it.
    let pairs =
        |of: fn(&Turn) -> &[f64]| Sorted::new(all(of).zip(all(|turn| &turn.commits)).map(|(a, b)| a / b));
    let (whole, inner) = (pairs(|turn| &turn.runs)?, pairs(|turn| &turn.executions)?);
    note(format!("without what comes before the first task: {:.2} raw commits per task", inner.median()));
    let what = format!("a chain of {TASKS}, per task");
    scores.judge(&what, whole.median(), "raw commits", Target::AtMost(1.5));
    if !theirs.is_empty() {
        let theirs = Sorted::new(theirs)?.median();
        note(format!("LangGraph, SqliteSaver, sync: {:.0} µs per task", per_task(theirs)));
        let what = format!("a chain of {TASKS}, beside LangGraph");
        scores.judge(&what, theirs / runs, "times", Target::AtLeast(4.0));
    }
    Ok(())
}
