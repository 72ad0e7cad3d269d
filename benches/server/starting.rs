//! How soon a server answers, what it takes while nobody asks, and what a durable start costs beside raw commits.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rusqlite::Connection;
use serde_json::json;

use crate::client::{Server, folder};
use crate::{Sizes, at, judge, processor_time};

/// About what the start of a run writes.
const ROW_BYTES: usize = 1500;

pub(crate) fn idle(binary: &PathBuf, sizes: Sizes) -> Result<()> {
    let folder = folder()?;
    let mut starts = Vec::new();
    for _ in 0..sizes.starts {
        starts.push(Server::start(binary, folder.path())?.took.as_secs_f64() * 1e3);
    }
    judge("start-up to the first answer, median", at(&mut starts, 0.5), "ms", 50.0);
    let server = Server::start(binary, folder.path())?;
    std::thread::sleep(Duration::from_secs(2));
    let before = processor_time(server.process())?;
    std::thread::sleep(sizes.idle);
    let used = processor_time(server.process())? - before;
    judge("idle", used / sizes.idle.as_secs_f64() * 100.0, "% of a processor", 0.2);
    let own = memory(server.process(), "RssAnon")?;
    println!("server:   of its memory {own:.1} MB are its own; the rest is the program's file, shared");
    judge("idle memory", memory(server.process(), "VmRSS")?, "MB", 40.0);
    Ok(())
}

fn memory(process: u32, name: &str) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find(|line| line.starts_with(name)).context("a line")?;
    let kilobytes: f64 = line.split_whitespace().nth(1).context("a number")?.parse()?;
    Ok(kilobytes * 1024.0 / 1e6)
}

/// Begins runs one after the other, each beside a raw commit of a row of the same size.
pub(crate) fn durable(binary: &PathBuf, sizes: Sizes) -> Result<()> {
    let folder = folder()?;
    let server = Server::start(binary, folder.path())?;
    let raw = Connection::open(folder.path().join("raw.db"))?;
    raw.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE log (text TEXT)")?;
    let text = "x".repeat(ROW_BYTES);
    let goal = json!({"goal": "Write a letter to the beekeepers", "unattended": true});
    let (mut begun, mut commits) = (Vec::new(), Vec::new());
    let mut connection = server.connected()?;
    for _ in 0..sizes.begun {
        let began = Instant::now();
        raw.execute("INSERT INTO log VALUES (?1)", [&text])?;
        commits.push(began.elapsed().as_secs_f64() * 1e3);
        let began = Instant::now();
        let run = server.begin_on(&mut connection, &goal)?;
        begun.push(began.elapsed().as_secs_f64() * 1e3);
        // What the run does then is not part of its start.
        let (_, answer) = server.request("POST", &format!("/api/v1/runs/{run}/cancel"), Some(&json!({})))?;
        drop(answer);
        std::thread::sleep(Duration::from_millis(50));
    }
    let (start, commit) = (at(&mut begun, 0.5), at(&mut commits, 0.5));
    println!(
        "server:   a raw commit {commit:.3} ms, POST /runs {start:.3} ms on a connection that is kept, medians of {}",
        sizes.begun
    );
    judge("POST /runs to its durable acknowledgement", start / commit, "raw commits", 1.5);
    Ok(())
}
