//! Much to show: the page of a run of 10,000 tasks, once it has ended and while it runs, and a list of 100,000 runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use candor_model::{Event, EventBody, Position, RunId, RunSettings, Timestamp};
use candor_ports::EventLog;
use candor_store::{OpenOptions, SqliteLog};
use serde_json::Value;

use crate::browser::Browser;
use crate::client::{Server, folder, plan};
use crate::{Sizes, at, judge, processor_time};

const WRITERS: usize = 64;

pub(crate) fn page(binary: &PathBuf, sizes: Sizes) -> Result<()> {
    let tasks = sizes.page_tasks;
    let folder = folder()?;
    let server = Server::start(binary, folder.path())?;
    let run = server.begin(&plan(tasks, "worker", false))?;
    server.wait(&run)?;
    let (mut times, path) = (Vec::new(), format!("/runs/{run}"));
    let mut size = 0;
    for _ in 0..sizes.pages {
        let began = Instant::now();
        let (status, body) = server.request("GET", &path, None)?;
        ensure!(status == 200, "{status}");
        times.push(began.elapsed().as_secs_f64() * 1e3);
        size = body.len();
    }
    println!("server:   the page of {tasks} tasks has {:.0} KB", size as f64 / 1e3);
    judge(&format!("page of {tasks} tasks, median"), at(&mut times, 0.5), "ms", 1000.0);
    let Some(browser) = Browser::find(&server, folder.path())? else { return Ok(()) };
    let (mut empty, mut full) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        empty.push(browser.open("about:blank", "")?);
        full.push(browser.open(&format!("http://{}{path}", server.address), "id=\"live-tasks\"")?);
    }
    let opening = at(&mut full, 0.5) - at(&mut empty, 0.5);
    judge(&format!("page of {tasks} tasks in Chromium, beyond an empty page"), opening, "ms", 1000.0);
    Ok(())
}

/// What a page costs while its run is under way: the browser that shows it, and the server beside what it costs to drive
/// the run alone.
pub(crate) fn live(binary: &PathBuf, sizes: Sizes) -> Result<()> {
    let (tasks, seconds) = (sizes.page_tasks, sizes.live.as_secs_f64());
    let folder = folder()?;
    let server = Server::start(binary, folder.path())?;
    let run = server.begin(&plan(tasks, "steady", false))?;
    let Some(browser) = Browser::find(&server, folder.path())? else { return Ok(()) };
    let driving = processor_time(server.process())?;
    std::thread::sleep(sizes.live);
    let alone = processor_time(server.process())? - driving;
    let page = browser.stay(&format!("http://{}/runs/{run}", server.address))?;
    // Its start is another figure.
    std::thread::sleep(Duration::from_secs(3));
    let (driving, shown) = (processor_time(server.process())?, page.processor_time()?);
    std::thread::sleep(sizes.live);
    let with_page = processor_time(server.process())? - driving;
    let browser = page.processor_time()? - shown;
    let (status, body) = server.request("GET", &format!("/api/v1/runs/{run}"), None)?;
    ensure!(status == 200 && body.contains("\"executing\""), "the run ended while it was watched: {body}");
    println!(
        "server:   the server took {:.1} % of a processor for the run alone, {:.1} % with its page open",
        alone / seconds * 100.0,
        with_page / seconds * 100.0
    );
    judge("the live page in Chromium", browser / seconds * 100.0, "% of a processor", 50.0);
    judge("the server for it", (with_page - alone) / seconds * 100.0, "% of a processor", 50.0);
    Ok(())
}

pub(crate) fn list(binary: &PathBuf, sizes: Sizes) -> Result<()> {
    let folder = folder()?;
    // The server makes the folder as it wants it.
    drop(Server::start(binary, folder.path())?);
    fill(&folder.path().join("data/candor.db"), sizes.listed)?;
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
    judge(&format!("a page of {} runs, median", sizes.listed), at(&mut times, 0.5), "ms", 100.0);
    let mut pages = Vec::new();
    for _ in 0..sizes.pages {
        let began = Instant::now();
        ensure!(server.request("GET", "/", None)?.0 == 200, "the page of runs");
        pages.push(began.elapsed().as_secs_f64() * 1e3);
    }
    judge("the same as a web page, median", at(&mut pages, 0.5), "ms", 100.0);
    let began = Instant::now();
    server.request("GET", "/api/v1/runs?limit=50&q=number+99", None)?;
    println!("server:   a search through all of them {:.1} ms", began.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

/// Writes the beginnings of as many runs.
fn fill(file: &Path, runs: usize) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    let (log, _) = SqliteLog::open(file, OpenOptions::default())?;
    let log = Arc::new(log);
    runtime.block_on(async {
        let writing: Vec<_> =
            (0..WRITERS).map(|first| tokio::spawn(write(Arc::clone(&log), first, runs))).collect();
        for writer in writing {
            writer.await??;
        }
        anyhow::Ok(())
    })
}

async fn write(log: Arc<SqliteLog>, first: usize, runs: usize) -> Result<()> {
    for n in (first..runs).step_by(WRITERS) {
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
