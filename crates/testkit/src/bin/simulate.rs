//! Runs the simulator over many seeds: `simulate [--seeds N] [--from SEED]`.

use std::process::ExitCode;
use std::time::Instant;

use candor_testkit::sim::{Failure, Stats, run_seed};

fn main() -> ExitCode {
    let (seeds, from) = match arguments(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("{problem}\nusage: simulate [--seeds N] [--from SEED]");
            return ExitCode::from(2);
        }
    };
    let started = Instant::now();
    let failures = run(seeds, from);
    eprintln!("{} s", started.elapsed().as_secs());
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn arguments(mut words: impl Iterator<Item = String>) -> Result<(u64, u64), String> {
    let (mut seeds, mut from) = (20_000, 0);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a number"))?;
        let number = value.parse().map_err(|_| format!("{word} needs a number, not `{value}`"))?;
        match word.as_str() {
            "--seeds" => seeds = number,
            "--from" => from = number,
            other => return Err(format!("unknown argument `{other}`")),
        }
    }
    Ok((seeds, from))
}

/// As many threads as there are cores, two if that is unknown; seeds share nothing.
fn run(seeds: u64, from: u64) -> Vec<Failure> {
    let threads = std::thread::available_parallelism().map_or(2, usize::from) as u64;
    let results: Vec<Result<Stats, Failure>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| {
                scope.spawn(move || {
                    let mine = (from..from.saturating_add(seeds)).skip(usize::try_from(worker).unwrap_or(0));
                    mine.step_by(usize::try_from(threads).unwrap_or(1)).map(guarded).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    summarise(results)
}

/// A panic is a failure of its seed like any other.
fn guarded(seed: u64) -> Result<Stats, Failure> {
    std::panic::catch_unwind(|| run_seed(seed)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic".to_owned());
        Err(Failure { seed, what: format!("panicked: {what}"), tail: Vec::new() })
    })
}

fn summarise(results: Vec<Result<Stats, Failure>>) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut total = Stats::default();
    let mut endings = std::collections::BTreeMap::new();
    let passed = results.iter().filter(|result| result.is_ok()).count();
    for result in results {
        match result {
            Ok(stats) => {
                total.events += stats.events;
                total.crashes += stats.crashes;
                total.refusals += stats.refusals;
                total.revisions += stats.revisions;
                total.questions += stats.questions;
                total.rollbacks += stats.rollbacks;
                total.calls += stats.calls;
                total.tried += stats.tried;
                *endings.entry(stats.ended.map_or("none", |status| status.as_str())).or_insert(0u64) += 1;
            }
            Err(failure) => failures.push(failure),
        }
    }
    failures.sort_by_key(|failure| failure.seed);
    for failure in failures.iter().take(5) {
        eprintln!("{failure}\n");
    }
    eprintln!(
        "{} events, {} crashes, {} refusals, {} revisions, {} questions, {} rollbacks, {} calls of models, {} \
         agents tried again; endings: {endings:?}",
        total.events,
        total.crashes,
        total.refusals,
        total.revisions,
        total.questions,
        total.rollbacks,
        total.calls,
        total.tried
    );
    eprintln!("simulate: {passed} passed, {} failed", failures.len());
    failures
}
