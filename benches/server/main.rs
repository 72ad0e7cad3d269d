//! The server as programs and people meet it: how soon it starts and what it takes when idle, a durable start beside raw
//! commits, a thousand readers of one run, the page of a run of 10,000 tasks, and a list of 100,000 runs.
//!
//! `cargo xtask bench server` measures everything; `cargo bench -p candor-benches --bench server -- idle` one part, and with
//! the word `small` less of it, which shows that it works and is no measurement. What is compared takes turns on the same
//! disk. Readers and server share the machine: with few processors the readers themselves slow the run.
//! `CANDOR_BENCH_BINARY` names a binary that is built already.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

mod browser;
mod client;
mod large;
mod readers;
mod starting;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

/// The parts, in the order in which they are measured.
const PARTS: [&str; 6] = ["idle", "start", "readers", "page", "live", "list"];

/// The word for a try with little of everything.
const SMALL: &str = "small";

/// How much of everything there is.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// Starts of the server.
    starts: usize,
    /// How long an idle server is watched.
    idle: Duration,
    /// Runs that are begun one after the other.
    begun: usize,
    /// Readers of one run.
    readers: usize,
    /// Tasks of the run that is read, of 0.2 s each and up to 64 at once.
    read_tasks: usize,
    /// Runs with readers, and as many without.
    turns: usize,
    /// Tasks of the large run.
    page_tasks: usize,
    /// How often its page is asked for.
    pages: usize,
    /// How long its page is watched while it runs.
    live: Duration,
    /// Runs in the list.
    listed: usize,
}

/// What the figures are promised for.
const FULL: Sizes = Sizes {
    starts: 15,
    idle: Duration::from_secs(10),
    begun: 60,
    readers: 1000,
    read_tasks: 600,
    turns: 3,
    page_tasks: 10_000,
    pages: 7,
    live: Duration::from_secs(20),
    listed: 100_000,
};

/// Enough to see that every part works.
const LITTLE: Sizes = Sizes {
    starts: 2,
    idle: Duration::from_secs(1),
    begun: 3,
    readers: 20,
    read_tasks: 60,
    turns: 1,
    page_tasks: 1000,
    pages: 2,
    live: Duration::from_secs(1),
    listed: 2000,
};

fn main() -> Result<()> {
    // Cargo adds `--bench`, which says nothing here.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let named: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != SMALL).collect();
    let parts = if named.is_empty() { PARTS.to_vec() } else { named };
    let sizes = if words.iter().any(|word| word == SMALL) { LITTLE } else { FULL };
    let binary = binary()?;
    for part in parts {
        match part {
            "idle" => starting::idle(&binary, sizes)?,
            "start" => starting::durable(&binary, sizes)?,
            "readers" => readers::compare(&binary, sizes)?,
            "page" => large::page(&binary, sizes)?,
            "live" => large::live(&binary, sizes)?,
            "list" => large::list(&binary, sizes)?,
            other => bail!("there is no part `{other}`; there are: {}", PARTS.join(", ")),
        }
    }
    Ok(())
}

/// The binary that is measured: one that is named, or the release build.
fn binary() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("CANDOR_BENCH_BINARY") {
        return std::fs::canonicalize(&named).with_context(|| format!("{}", PathBuf::from(named).display()));
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let line = ["build", "--release", "--locked", "--quiet", "--package", "candor"];
    let status = Command::new(cargo).args(line).current_dir(env!("CARGO_MANIFEST_DIR")).status()?;
    ensure!(status.success(), "`cargo {}` failed; its own words are above", line.join(" "));
    let target = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    Ok(target.context("the target folder has no name")?.join("release/candor"))
}

/// Prints a number beside the most that it may be. A target that is missed is said to be missed.
fn judge(what: &str, value: f64, unit: &str, most: f64) {
    let verdict = if value <= most { "met" } else { "MISSED" };
    println!("server: {what}: {value:.2} {unit} (target: at most {most}): {verdict}");
}

/// The processor time that a process has used, in seconds. A tick is 10 ms on every Linux that is in use.
fn processor_time(process: u32) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok()).context("a number");
    Ok((number(11)? + number(12)?) * 0.01)
}

/// The number that this share of all numbers does not exceed.
fn at(numbers: &mut [f64], share: f64) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let last = numbers.len().saturating_sub(1);
    numbers.get((share * last as f64).ceil() as usize).copied().unwrap_or_default()
}
