//! Candor beside its peers: runs per second against LangGraph and DBOS, a chain against raw SQLite commits, large
//! plans, the command as a person meets it, and how costs grow.
//!
//! Whatever is compared is measured in one run of this bench, taking turns, because absolute times on a busy
//! machine mean little. A target that is missed is said to be missed; it does not fail the bench. LangGraph
//! lives in a virtual environment under `target/`; without Python or a registry its half is left out, and
//! that is said too.
//!
//! `cargo xtask bench peers` measures everything; `cargo bench -p candor-benches --bench peers -- crowd` one
//! part of it. Measurements whose memory counts run in a process of their own: this program again, told what
//! to measure.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

mod candor;
mod chain;
mod command;
mod crowd;
mod growth;
mod langgraph;
mod large_plan;
mod measure;
mod scores;
mod shapes;

use anyhow::{Result, bail};

use mimalloc::MiMalloc;

use crate::langgraph::{Dbos, LangGraph};
use crate::scores::Scores;

/// The command's own.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The parts, in the order in which they are measured.
const PARTS: [&str; 5] = ["crowd", "chain", "plan", "command", "growth"];

fn main() -> Result<()> {
    // Cargo adds `--bench`, which says nothing here.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["measure", "crowd", threads, runs] => crowd::measure(threads.parse()?, runs.parse()?),
        ["measure", "chain"] => chain::measure(),
        [] => compare(&PARTS),
        parts => compare(parts),
    }
}

fn compare(parts: &[&str]) -> Result<()> {
    if let Some(unknown) = parts.iter().find(|part| !PARTS.contains(part)) {
        bail!("there is no part `{unknown}`; there are: {}", PARTS.join(", "));
    }
    let has = |part| parts.contains(&part);
    let mut scores = Scores::default();
    let peer = if has("crowd") || has("chain") { LangGraph::prepare() } else { None };
    if has("crowd") {
        crowd::compare(peer.as_ref(), Dbos::prepare().as_ref(), &mut scores)?;
    }
    if has("chain") {
        chain::compare(peer.as_ref(), &mut scores)?;
    }
    if has("plan") || has("command") || has("growth") {
        let candor = command::Candor::build()?;
        if has("plan") {
            large_plan::compare(&candor, &mut scores)?;
        }
        if has("command") {
            command::compare(&candor, &mut scores)?;
        }
        if has("growth") {
            growth::compare(&candor, &mut scores)?;
        }
    }
    scores.close();
    Ok(())
}
