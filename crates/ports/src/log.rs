//! The event log: append, read, list; and what removes old runs from it.

use std::path::PathBuf;
use std::pin::Pin;

use candor_model::{Event, Position, Recorded, RunId, RunSummary, Timestamp};

/// A future that can be stored and sent; it keeps the traits usable behind `dyn`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The append-only log of all runs. What [`EventLog::append`] has accepted survives a crash.
pub trait EventLog: Send + Sync {
    /// Appends `events` to a run whose log ends at `expected`; all of them or none.
    ///
    /// Returns the new end. A writer that has not seen the latest events is refused with
    /// [`LogError::Stale`], and nothing is written.
    fn append<'a>(
        &'a self,
        run: &'a RunId,
        expected: Position,
        events: &'a [Event],
    ) -> BoxFuture<'a, Result<Position, LogError>>;

    /// The same for events that were written as JSON already; `written` has the text of each, in their order.
    fn append_written<'a>(
        &'a self,
        run: &'a RunId,
        expected: Position,
        events: &'a [Event],
        _written: Vec<String>,
    ) -> BoxFuture<'a, Result<Position, LogError>> {
        self.append(run, expected, events)
    }

    /// Reads a run's events that come after `after`, in order. A run that is not known has none.
    fn read<'a>(&'a self, run: &'a RunId, after: Position) -> BoxFuture<'a, Result<Vec<Recorded>, LogError>>;

    /// Lists runs, the most recently changed first, without folding their logs.
    fn runs<'a>(&'a self, filter: RunFilter) -> BoxFuture<'a, Result<Vec<RunEntry>, LogError>>;
}

/// Removes what is no longer wanted from a log.
pub trait Retention: Send + Sync {
    /// Removes every run that has ended and whose last event is older than `before`, but for the `keep` that changed
    /// last of all that have ended; returns how many.
    fn remove_ended_before(&self, before: Timestamp, keep: u32) -> BoxFuture<'_, Result<u64, LogError>>;
}

/// Which runs to list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only those that have not come to their end.
    pub unfinished_only: bool,
    /// At most so many.
    pub limit: Option<u32>,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEntry {
    /// The run in one line.
    pub summary: RunSummary,
    /// Where its log ends.
    pub head: Position,
}

/// Why the log could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Someone else has appended in the meantime.
    #[error(
        "run {run} was changed by someone else: expected its log to end at {expected}, it ends at {actual}; \
         read the new events and decide again"
    )]
    Stale {
        /// The run.
        run: RunId,
        /// Where the writer thought the log ended.
        expected: Position,
        /// Where it ends.
        actual: Position,
    },
    /// An event is missing in the middle.
    #[error(
        "the log of run {run} has a hole: the event at position {position} is missing; `candor repair` keeps what is before it"
    )]
    Hole {
        /// The run.
        run: RunId,
        /// The place where an event should be.
        position: Position,
    },
    /// An event cannot be read.
    #[error(
        "the log of run {run} is damaged at position {position}: {reason}; `candor repair` keeps what is before it"
    )]
    Damaged {
        /// The run.
        run: RunId,
        /// The place.
        position: Position,
        /// What is wrong.
        reason: String,
    },
    /// The file or its write-ahead log cannot be used.
    #[error(
        "the log {} is damaged: {reason}\n`candor doctor` shows what is damaged; `candor repair` saves what is intact",
        path.display()
    )]
    DamagedFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Other processes kept the file to themselves for as long as opening it may take.
    #[error("the log {} is locked: other processes are writing to it", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// An event was written by a newer program.
    #[error(
        "the log of run {run} has an event of format version {found} at position {position}: use a newer Candor"
    )]
    NewerEvent {
        /// The run.
        run: RunId,
        /// The place.
        position: Position,
        /// The version.
        found: u64,
    },
    /// The whole store was written by a newer program.
    #[error("the store has schema version {found}, this program knows up to {known}: use a newer Candor")]
    NewerSchema {
        /// The version it has.
        found: i64,
        /// The newest version known here.
        known: i64,
    },
    /// An append without events.
    #[error("nothing to append to run {run}: an append needs at least one event")]
    Empty {
        /// The run.
        run: RunId,
    },
    /// The storage underneath failed.
    #[error("could not {doing}: {source}")]
    Storage {
        /// What was being done.
        doing: &'static str,
        /// What the storage said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The log's writer is gone; the process must open the log again.
    #[error("the log was closed while it was in use; open it again")]
    Closed,
}
