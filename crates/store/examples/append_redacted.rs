//! What looking for secrets costs beside an append: `append_redacted FILE ROUNDS [write|look|append]`.
//!
//! `FILE` has events, one JSON line each: the column `body` of a log (`sqlite3 candor.db "SELECT body FROM events"`).
//! Without a third argument it prints the time of each: writing the events as JSON, writing and looking, and appending
//! one event at a time. With one it does only that, to be counted in instructions under callgrind.
#![allow(clippy::print_stdout, reason = "a measuring program prints what it measured")]

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use candor_model::redact::Redactor;
use candor_model::{Event, Position, RunId};
use candor_ports::EventLog;
use candor_store::{OpenOptions, SqliteLog};

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let file = words.next().ok_or("name a file with events")?;
    let rounds: u32 = words.next().as_deref().unwrap_or("200").parse()?;
    let text = std::fs::read_to_string(file)?;
    let events: Vec<Event> = text.lines().map(Event::from_json).collect::<Result<_, _>>()?;
    let of = |time: Duration| time / (rounds * u32::try_from(events.len()).unwrap_or(u32::MAX)).max(1);
    let redactor = Redactor::default();
    match words.next().as_deref() {
        Some("write") => write(&events, rounds)?,
        Some("look") => look(&redactor, &events, rounds)?,
        Some("append") => append(&events, rounds)?,
        Some(other) => return Err(format!("{other} is none of write, look and append").into()),
        None => {
            let written = of(timed(|| write(&events, rounds))?);
            let looked = of(timed(|| look(&redactor, &events, rounds))?);
            let appended = of(timed(|| append(&events, rounds))?);
            let share = 100.0 * looked.saturating_sub(written).as_secs_f64() / appended.as_secs_f64();
            println!(
                "{} events of {} bytes: written in {written:?}, written and looked at in {looked:?}, appended in \
                 {appended:?}; looking takes {share:.2} % of an append",
                events.len(),
                text.len() / events.len().max(1),
            );
        }
    }
    Ok(())
}

fn timed(work: impl FnOnce() -> Result<(), Failure>) -> Result<Duration, Failure> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

fn write(events: &[Event], rounds: u32) -> Result<(), Failure> {
    for event in (0..rounds).flat_map(|_| events) {
        black_box(serde_json::to_string(black_box(event))?);
    }
    Ok(())
}

fn look(redactor: &Redactor, events: &[Event], rounds: u32) -> Result<(), Failure> {
    let mut buffer = Vec::new();
    for event in (0..rounds).flat_map(|_| events) {
        black_box(redactor.written(black_box(event), &mut buffer)?);
    }
    Ok(())
}

/// One run after the other, one event per append, on a log of its own.
fn append(events: &[Event], rounds: u32) -> Result<(), Failure> {
    let folder = tempfile::tempdir_in(Path::new("."))?;
    let (log, _) = SqliteLog::open(&folder.path().join("candor.db"), OpenOptions::default())?;
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    executor.block_on(async {
        for round in 0..rounds {
            let run = RunId::new(format!("run_{round}"))?;
            let mut position = Position::START;
            for event in events {
                let written = event.to_json()?;
                position =
                    log.append_written(&run, position, std::slice::from_ref(event), vec![written]).await?;
            }
        }
        Ok(())
    })
}
