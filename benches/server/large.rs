//! Much to show: the page of a run of 10,000 tasks, and a list of 100,000 runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use candor_model::{Event, EventBody, Position, RunId, RunSettings, Timestamp};
use candor_ports::EventLog;
use candor_store::{OpenOptions, SqliteLog};
use serde_json::Value;

use crate::client::{Server, folder, plan};
use crate::{at, judge};

const TASKS: usize = 10_000;
const RUNS: usize = 100_000;
const WRITERS: usize = 64;
const TURNS: usize = 7;

pub(crate) fn page(binary: &PathBuf) -> Result<()> {
    let folder = folder()?;
    let server = Server::start(binary, folder.path())?;
    let run = server.begin(&plan(TASKS, "worker", false))?;
    server.wait(&run)?;
    let (mut times, path) = (Vec::new(), format!("/runs/{run}"));
    let mut size = 0;
    for _ in 0..TURNS {
        let began = Instant::now();
        let (status, body) = server.request("GET", &path, None)?;
        ensure!(status == 200, "{status}");
        times.push(began.elapsed().as_secs_f64() * 1e3);
        size = body.len();
    }
    println!("server:   the page of {TASKS} tasks has {:.0} KB", size as f64 / 1e3);
    judge("page of 10,000 tasks, median", at(&mut times, 0.5), "ms", 1000.0);
    chromium(&server, folder.path(), &path)
}

/// The same page in a browser, beside an empty one, which costs the browser's own start.
fn chromium(server: &Server, folder: &Path, path: &str) -> Result<()> {
    let open = |url: &str| -> Result<f64> {
        let began = Instant::now();
        let mut command = Command::new("chromium");
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]);
        command.arg(format!("--user-data-dir={}", folder.join("browser").display())).arg(url);
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        ensure!(status.success(), "chromium ended with {status}");
        Ok(began.elapsed().as_secs_f64() * 1e3)
    };
    if let Err(error) = open(&server.link) {
        println!("server:   not measured in Chromium: {error}");
        return Ok(());
    }
    let (mut empty, mut full) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        empty.push(open("about:blank")?);
        full.push(open(&format!("http://{}{path}", server.address))?);
    }
    let opening = at(&mut full, 0.5) - at(&mut empty, 0.5);
    judge("page of 10,000 tasks in Chromium, beyond an empty page", opening, "ms", 1000.0);
    Ok(())
}

pub(crate) fn list(binary: &PathBuf) -> Result<()> {
    let folder = folder()?;
    // The server makes the folder as it wants it.
    drop(Server::start(binary, folder.path())?);
    fill(&folder.path().join("data/candor.db"))?;
    let server = Server::start(binary, folder.path())?;
    let (mut times, mut next) = (Vec::new(), String::new());
    for _ in 0..20 {
        let began = Instant::now();
        let (status, body) = server.request("GET", &format!("/api/v1/runs?limit=50{next}"), None)?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
        ensure!(status == 200, "{status}: {body}");
        let body: Value = serde_json::from_str(&body)?;
        next = format!("&cursor={}", body.get("next").context("there are more")?);
    }
    println!("server:   slowest of 20 pages one after the other {:.1} ms", at(&mut times, 1.0));
    judge("a page of 100,000 runs, median", at(&mut times, 0.5), "ms", 100.0);
    let began = Instant::now();
    server.request("GET", "/api/v1/runs?limit=50&q=number+99", None)?;
    println!("server:   a search through all of them {:.1} ms", began.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

/// Writes the beginnings of as many runs.
fn fill(file: &Path) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    let (log, _) = SqliteLog::open(file, OpenOptions::default())?;
    let log = Arc::new(log);
    runtime.block_on(async {
        let writing: Vec<_> =
            (0..WRITERS).map(|first| tokio::spawn(write(Arc::clone(&log), first))).collect();
        for writer in writing {
            writer.await??;
        }
        anyhow::Ok(())
    })
}

async fn write(log: Arc<SqliteLog>, first: usize) -> Result<()> {
    for n in (first..RUNS).step_by(WRITERS) {
        let run_id = RunId::new(format!("run_{n:08}"))?;
        let started = EventBody::RunStarted {
            run_id: run_id.clone(),
            request: format!("Do the thing number {n}"),
            settings: Box::new(RunSettings::default()),
            flags: Default::default(),
            material: None,
            forked_from: None,
            origin: None,
        };
        let ended = EventBody::RunCancelled { reason: "measured".to_owned() };
        let event = |body| Event::new(Timestamp::EPOCH, body);
        log.append(&run_id, Position::START, &[event(started), event(ended)]).await?;
    }
    Ok(())
}
