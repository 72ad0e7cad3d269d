//! A thousand readers of one busy run: each gets every event in order, soon after it was appended, and the run is hardly slower.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::{Arc, Barrier};
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, ensure};

use crate::client::{Server, folder, plan};
use crate::{Sizes, at, judge};

/// A reader needs little.
const STACK: usize = 128 * 1024;
/// How far their threads stand behind those of the server: they stand for other machines, whose processors the server does not
/// share.
const BEHIND: i32 = 10;
/// How much is read at once.
const BUFFER: usize = 32 * 1024;
/// What stands before the time of an event.
const AT: &[u8] = b"\"at\":\"";
/// A day in milliseconds.
const DAY: f64 = 86_400_000.0;

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

/// Reads events to the run's end; the delay of each that was appended while it read, in milliseconds. Nothing is copied or parsed
/// that need not be: readers share the machine with the server, and what a thousand of them do would slow the run.
fn follow(server: &Server, path: &str, ready: &Barrier) -> Result<Vec<f64>> {
    rustix::process::nice(BEHIND)?;
    let stream = server.sent("GET", path, None);
    // Whoever cannot connect must not keep the others waiting.
    let opened = now_of_day()?;
    ready.wait();
    let mut stream = BufReader::with_capacity(BUFFER, stream?);
    let (mut delays, mut last, mut line, mut ends) = (Vec::new(), 0_u64, Vec::new(), false);
    while stream.read_until(b'\n', &mut line)? > 0 {
        if let Some(id) = line.strip_prefix(b"id: ") {
            let id: u64 = std::str::from_utf8(id)?.trim().parse()?;
            ensure!(id == last + 1, "event {id} came after {last}");
            last = id;
        }
        // The run is a task of the stream.
        ends |= line.starts_with(b"event: task_completed");
        if line.starts_with(b"data: ") {
            let appended = time_of(&line).context("an event without a time")?;
            if appended > opened {
                delays.push(now_of_day()? - appended);
            }
            if ends {
                return Ok(delays);
            }
        }
        line.clear();
    }
    anyhow::bail!("the stream ended before the run did")
}

/// The present, in milliseconds of this day. All of a turn happens on one day.
fn now_of_day() -> Result<f64> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(now.as_secs_f64() * 1e3 % DAY)
}

/// When an event happened, in milliseconds of its day; its time stands near its beginning.
fn time_of(data: &[u8]) -> Option<f64> {
    let at = data.windows(AT.len()).position(|part| part == AT)?;
    // The hour stands behind the date: 2026-11-19T03:04:05.678Z, with a fraction if there is one.
    let clock = data.get(at + AT.len() + 11..)?.split(|byte| *byte == b'Z').next()?;
    let clock = std::str::from_utf8(clock).ok()?;
    let mut parts = clock.split(':').map(|part| part.parse::<f64>().ok());
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    Some(((hours * 60.0 + minutes) * 60.0 + seconds) * 1e3)
}
