//! A thousand readers of one busy run: each gets every event in order, soon after it was appended, and the run is hardly slower.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::{Arc, Barrier};
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::client::{Server, folder, plan};
use crate::{Sizes, at, judge};

/// A reader needs little.
const STACK: usize = 128 * 1024;

pub(crate) fn compare(binary: &PathBuf, sizes: Sizes) -> Result<()> {
    let Sizes { readers, turns, read_tasks, .. } = sizes;
    let (mut alone, mut read, mut delays) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..turns {
        alone.push(turn(binary, read_tasks, 0, &mut Vec::new())?);
        read.push(turn(binary, read_tasks, readers, &mut delays)?);
    }
    println!(
        "server:   {} events were delivered in order to {readers} readers in {turns} turns",
        delays.len()
    );
    judge("delay of an event, p95", at(&mut delays, 0.95), "ms", 100.0);
    let (alone, read) = (at(&mut alone, 0.5), at(&mut read, 0.5));
    println!("server:   the run took {alone:.2} s alone and {read:.2} s with its readers");
    judge("slowdown of the run", (read / alone - 1.0) * 100.0, "%", 5.0);
    Ok(())
}

/// One run with so many readers; how long it took, in seconds.
fn turn(binary: &PathBuf, tasks: usize, readers: usize, delays: &mut Vec<f64>) -> Result<f64> {
    let folder = folder()?;
    let server = Server::start(binary, folder.path())?;
    let run = server.begin(&plan(tasks, "slow", true))?;
    let server = Arc::new(server);
    let ready = Arc::new(Barrier::new(readers + 1));
    let reading: Vec<_> = (0..readers)
        .map(|_| {
            let (server, ready, path) =
                (Arc::clone(&server), Arc::clone(&ready), format!("/api/v1/runs/{run}/events/stream"));
            let builder = std::thread::Builder::new().stack_size(STACK);
            builder.spawn(move || follow(&server, &path, &ready))
        })
        .collect::<Result<_, _>>()?;
    ready.wait();
    let began = Instant::now();
    std::fs::write(folder.path().join("go"), "")?;
    server.wait(&run)?;
    let took = began.elapsed().as_secs_f64();
    for reader in reading {
        delays.extend(reader.join().map_err(|_| anyhow::anyhow!("a reader broke down"))??);
    }
    Ok(took)
}

/// Reads events to the run's end; the delay of each that was appended while it read, in milliseconds.
fn follow(server: &Server, path: &str, ready: &Barrier) -> Result<Vec<f64>> {
    let stream = server.sent("GET", path, None);
    // Whoever cannot connect must not keep the others waiting.
    let opened = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs_f64() * 1e3;
    ready.wait();
    let (mut delays, mut last) = (Vec::new(), 0_u64);
    for line in BufReader::new(stream?).lines() {
        let line = line?;
        if let Some(id) = line.strip_prefix("id: ") {
            let id: u64 = id.parse()?;
            ensure!(id == last + 1, "event {id} came after {last}");
            last = id;
        }
        let Some(data) = line.strip_prefix("data: ") else { continue };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs_f64() * 1e3;
        let appended = time_of(data).context("an event without a time")?;
        if appended > opened {
            delays.push(now - appended);
        }
        if data.contains("\"run_completed\"") {
            return Ok(delays);
        }
    }
    anyhow::bail!("the stream ended before the run did")
}

/// When an event happened, in milliseconds of this day; found without reading all of it, which a thousand readers
/// would have to do. All of a turn happens on one day, or two.
fn time_of(data: &str) -> Option<f64> {
    let (_, rest) = data.split_once("\"at\":\"")?;
    let at: Value = Value::from(rest.split_once('"')?.0);
    let at: candor_model::Timestamp = serde_json::from_value(at).ok()?;
    Some(at.as_millis() as f64)
}
