//! What the tests of the log share.

use std::path::{Path, PathBuf};

use candor_model::{Event, EventBody, Position, Recorded, RunId, Timestamp};
use candor_ports::{EventLog, LogError};
use candor_store::{OpenOptions, OpenReport, SqliteLog};
use rusqlite::Connection;
use tempfile::TempDir;

/// A folder of its own with the path of a log in it.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    pub(crate) path: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.db");
        Self { folder, path }
    }

    pub(crate) fn open(&self) -> SqliteLog {
        self.open_with(OpenOptions::default()).0
    }

    pub(crate) fn open_with(&self, options: OpenOptions) -> (SqliteLog, OpenReport) {
        SqliteLog::open(&self.path, options).unwrap()
    }

    pub(crate) fn raw(&self) -> Connection {
        let connection = Connection::open(&self.path).unwrap();
        // What is deleted is overwritten, as damage does; else a repair finds it in the page.
        connection.pragma_update(None, "secure_delete", "ON").unwrap();
        connection
    }
}

pub(crate) fn open(path: &Path) -> (SqliteLog, OpenReport) {
    SqliteLog::open(path, OpenOptions::default()).unwrap()
}

pub(crate) fn run(name: &str) -> RunId {
    RunId::new(name).unwrap()
}

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// An event that is told apart from others by its number.
pub(crate) fn numbered(n: u64) -> Event {
    paused(n, &format!("number {n}"))
}

pub(crate) fn paused(n: u64, reason: &str) -> Event {
    Event::new(at(n as i64), EventBody::RunPaused { reason: reason.to_owned() })
}

pub(crate) fn ended(millis: i64) -> Event {
    Event::new(at(millis), EventBody::RunCancelled { reason: "enough".to_owned() })
}

pub(crate) fn events_of(recorded: &[Recorded]) -> Vec<Event> {
    recorded.iter().map(|recorded| recorded.event.clone()).collect()
}

/// Appends events one append at a time, after what is there.
pub(crate) async fn fill(log: &SqliteLog, run: &RunId, count: u64) {
    let mut position = Position(log.read(run, Position::START).await.unwrap().len() as u64);
    for _ in 0..count {
        position = log.append(run, position, &[numbered(position.0 + 1)]).await.unwrap();
    }
}

/// What can be read of a run; damage is no panic.
pub(crate) async fn readable(log: &SqliteLog, run: &RunId) -> Result<Vec<Event>, LogError> {
    Ok(events_of(&log.read(run, Position::START).await?))
}
