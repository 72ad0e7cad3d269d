//! The server as programs and people meet it: how soon it starts and what it takes when idle, a durable start beside raw
//! commits, a thousand readers of one run, the page of a run of 10,000 tasks, and a list of 100,000 runs.
//!
//! `cargo xtask bench server` measures everything; `cargo bench -p candor-benches --bench server -- idle` one part. What is
//! compared takes turns on the same disk. Readers and server share the machine: with few processors the readers
//! themselves slow the run. `CANDOR_BENCH_BINARY` names a binary that is built already.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

mod client;
mod large;
mod readers;
mod starting;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// The parts, in the order in which they are measured.
const PARTS: [&str; 5] = ["idle", "start", "readers", "page", "list"];

fn main() -> Result<()> {
    // Cargo adds `--bench`, which says nothing here.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let named: Vec<&str> = words.iter().map(String::as_str).collect();
    let parts = if named.is_empty() { PARTS.to_vec() } else { named };
    let binary = binary()?;
    for part in parts {
        match part {
            "idle" => starting::idle(&binary)?,
            "start" => starting::durable(&binary)?,
            "readers" => readers::compare(&binary)?,
            "page" => large::page(&binary)?,
            "list" => large::list(&binary)?,
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

/// The number that this share of all numbers does not exceed.
fn at(numbers: &mut [f64], share: f64) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let last = numbers.len().saturating_sub(1);
    numbers.get((share * last as f64).ceil() as usize).copied().unwrap_or_default()
}
