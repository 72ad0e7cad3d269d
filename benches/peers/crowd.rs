//! A thousand Paris-shaped runs at once in one process, beside LangGraph with its checkpoints in SQLite.
//!
//! Both sides answer to the same question: how many runs per second are on disk when their last one ends.
//! LangGraph gets fewer runs, because it takes minutes for a thousand; its runs per second do not depend on
//! how many there are.

use std::time::Instant;

use anyhow::Result;
use candor_model::RunId;
use serde::{Deserialize, Serialize};
use tokio::runtime::Builder;
use tokio::task::JoinSet;

use crate::candor::Inside;
use crate::langgraph::{Crowd as PeerCrowd, Dbos, LangGraph};
use crate::measure::{self, MEGABYTE, Sorted};
use crate::scores::{Scores, Target, note};
use crate::shapes;

const RUNS: u32 = 1_000;
const PEER_RUNS: u32 = 150;
const DBOS_RUNS: u32 = 50;
const MANY_RUNS: u32 = 10_000;

/// How often each side has its turn.
const ROUNDS: usize = 3;

/// Over how many threads runs are spread, of one executor or of their own: as `candor run` has them, and as a server
/// with two cores does.
const THREADS: [usize; 2] = [1, 2];

/// What came of many runs at once.
#[derive(Serialize, Deserialize)]
struct Crowd {
    runs_per_second: f64,
    peak_bytes: Option<u64>,
}

/// Measures our side in this process, and prints it for the process that compares.
pub(crate) fn measure(threads: usize, runs: u32) -> Result<()> {
    let folder = measure::folder()?;
    let executor = Builder::new_current_thread().enable_all().build()?;
    let mut inside = Inside::open(folder.path(), None)?;
    if threads > 1 {
        inside = inside.spread_over(threads)?;
    }
    let started = Instant::now();
    executor.block_on(all_at_once(&inside, runs))?;
    let runs_per_second = f64::from(runs) / started.elapsed().as_secs_f64();
    let crowd = Crowd { runs_per_second, peak_bytes: measure::own_peak_bytes() };
    println!("{}", serde_json::to_string(&crowd)?);
    Ok(())
}

/// Our runs per second with so many at once, in a process of their own.
pub(crate) fn rate(threads: usize, runs: u32) -> Result<f64> {
    let crowd: Crowd = measure::in_own_process(&["crowd", &threads.to_string(), &runs.to_string()])?;
    Ok(crowd.runs_per_second)
}

async fn all_at_once(inside: &Inside, runs: u32) -> Result<()> {
    let plan = shapes::paris()?;
    let mut crowd = JoinSet::new();
    for n in 0..runs {
        let (inside, plan) = (inside.clone(), plan.clone());
        let run_id = RunId::new(format!("run_{n:06}"))?;
        crowd.spawn(async move { inside.run(run_id, plan).await });
    }
    while let Some(ended) = crowd.join_next().await {
        ended??;
    }
    Ok(())
}

/// Lets both sides take turns, and prints how they compare.
pub(crate) fn compare(peer: Option<&LangGraph>, dbos: Option<&Dbos>, scores: &mut Scores) -> Result<()> {
    let (mut ours, mut theirs, mut of_dbos) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for threads in THREADS {
            let crowd: Crowd = measure::in_own_process(&["crowd", &threads.to_string(), &RUNS.to_string()])?;
            ours.push((threads, crowd));
        }
        if let Some(peer) = peer {
            theirs.push(peer.crowd(PEER_RUNS, true)?);
        }
        if let Some(dbos) = dbos {
            of_dbos.push(dbos.crowd(DBOS_RUNS)?);
        }
    }
    let (threads, best) = best(&ours)?;
    let [one, two] = THREADS.map(|threads| median(&ours, threads));
    scores.judge(
        &format!("{RUNS} runs at once, two threads beside one"),
        two? / one?,
        "times",
        Target::AtLeast(1.7),
    );
    if let Some(peer) = peer {
        let each = rates("LangGraph, AsyncSqliteSaver", &theirs)?;
        let free = peer.crowd(PEER_RUNS, false)?;
        note(format!("LangGraph without a checkpointer: {:.0} runs/s", f64::from(free.runs) / free.seconds));
        let what = format!("{RUNS} runs at once, beside LangGraph");
        scores.judge(&what, best / each.median(), "times", Target::AtLeast(20.0));
    }
    if !of_dbos.is_empty() {
        let each = rates("DBOS, SQLite", &of_dbos)?;
        let what = format!("{RUNS} runs at once, beside DBOS on SQLite");
        scores.judge(&what, best / each.median(), "times", Target::AtLeast(20.0));
    }
    if let Some(peak) =
        ours.iter().filter(|(of, _)| *of == threads).filter_map(|(_, one)| one.peak_bytes).max()
    {
        let peak = peak as f64 / MEGABYTE;
        scores.judge(&format!("{RUNS} runs at once, memory"), peak, "MB", Target::AtMost(100.0));
    }
    let many: Crowd = measure::in_own_process(&["crowd", &threads.to_string(), &MANY_RUNS.to_string()])?;
    note(format!("Candor, {threads} threads, {MANY_RUNS} runs at once: {:.0} runs/s", many.runs_per_second));
    if let Some(peak) = many.peak_bytes {
        let what = format!("{MANY_RUNS} runs at once, memory");
        scores.judge(&what, peak as f64 / MEGABYTE, "MB", Target::AtMost(600.0));
    }
    Ok(())
}

/// Prints a peer's runs per second and returns them.
fn rates(name: &str, crowds: &[PeerCrowd]) -> Result<Sorted> {
    let each = Sorted::new(crowds.iter().map(|crowd| f64::from(crowd.runs) / crowd.seconds))?;
    let memory = crowds.iter().filter_map(|crowd| crowd.peak_bytes).max();
    let runs = crowds.first().map_or(0, |crowd| crowd.runs);
    note(format!(
        "{name}, {runs} runs at once: {:.0} runs/s ({:.0} to {:.0}){}",
        each.median(),
        each.at(0.0),
        each.at(1.0),
        megabytes(memory)
    ));
    Ok(each)
}

fn median(ours: &[(usize, Crowd)], threads: usize) -> Result<f64> {
    let of_this = ours.iter().filter(|(of, _)| *of == threads).map(|(_, crowd)| crowd.runs_per_second);
    Ok(Sorted::new(of_this)?.median())
}

/// Prints our runs per second for each number of threads; returns the better one.
fn best(ours: &[(usize, Crowd)]) -> Result<(usize, f64)> {
    let mut best = (0, 0.0);
    for threads in THREADS {
        let of_this = || ours.iter().filter(|(of, _)| *of == threads).map(|(_, crowd)| crowd);
        let each = Sorted::new(of_this().map(|crowd| crowd.runs_per_second))?;
        let memory = of_this().filter_map(|crowd| crowd.peak_bytes).max();
        note(format!(
            "Candor, {threads} threads, {RUNS} runs at once: {:.0} runs/s ({:.0} to {:.0}){}",
            each.median(),
            each.at(0.0),
            each.at(1.0),
            megabytes(memory)
        ));
        if each.median() > best.1 {
            best = (threads, each.median());
        }
    }
    note(format!("the better of the two: {} threads", best.0));
    Ok(best)
}

fn megabytes(peak: Option<u64>) -> String {
    peak.map(|peak| format!(", at most {:.0} MB", peak as f64 / MEGABYTE)).unwrap_or_default()
}
