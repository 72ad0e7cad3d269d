//! The handle to a log: how it is opened, and what can be asked of it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use candor_model::{Breaker, Event, EventBody, Position, Recorded, RunId, RunSummary, Timestamp};
use candor_ports::{
    BoxFuture, EventLog, Experience, Listener, LogError, LogPages, LoggedEvent, Notifier, Retention,
    RunEntry, RunFilter, RunPage, RunQuery, Seq, Stream, StreamNote, Streams, private,
};
use rusqlite::Connection;

use crate::OpenOptions;
use crate::browse;
use crate::check::check;
use crate::checkpoint::Checkpointer;
use crate::error::{at_path, is_damage, storage, while_doing};
use crate::experience::{self, Outcomes};
use crate::figures::Figures;
use crate::files;
use crate::group::{Append, Work};
use crate::lookout::Lookout;
use crate::notes;
use crate::patience::Patience;
use crate::query;
use crate::readers::Readers;
use crate::record::Encoded;
use crate::repair;
use crate::report::OpenReport;
use crate::schema::{SetUpError, is_busy, open_writer};
use crate::writer::Writer;

/// The event log in one SQLite file. A clone is another handle to the same log.
///
/// Several processes may have the same file open. Dropping the last handle finishes the appends that are
/// queued and closes the file.
#[derive(Clone)]
pub struct SqliteLog(Arc<Inner>);

// The order matters: whoever reads closes before the writer, which then leaves one tidy file behind.
struct Inner {
    lookout: Lookout,
    readers: Readers,
    writer: Writer,
    large_body: usize,
    outcomes: Arc<Mutex<Outcomes>>,
}

impl std::fmt::Debug for SqliteLog {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SqliteLog").finish_non_exhaustive()
    }
}

impl SqliteLog {
    /// Opens the log at `path`, or makes a new one, and checks it.
    ///
    /// A log that SQLite cannot use, or that has lost commits, is refused with [`LogError::DamagedFile`] and left as it
    /// is; [`crate::repair`] saves what is intact. This call reads the disk and blocks while it does.
    pub fn open(path: &Path, options: OpenOptions) -> Result<(Self, OpenReport), LogError> {
        Self::open_telling(path, options, &mut || {})
    }

    /// The same; calls `waits` once if another process is in the way for more than two seconds.
    pub fn open_telling(
        path: &Path,
        options: OpenOptions,
        waits: &mut dyn FnMut(),
    ) -> Result<(Self, OpenReport), LogError> {
        make_place(path)?;
        let repaired = repair::change_places(path)?;
        if let Some(reason) = files::lost_commits(path) {
            return Err(LogError::DamagedFile { path: path.to_owned(), reason });
        }
        let patience = Patience::new(options.open_timeout, waits);
        Self::open_patiently(path, options, repaired, patience).map_err(|error| refusal(path, error))
    }

    fn open_patiently(
        path: &Path,
        options: OpenOptions,
        repaired: Option<PathBuf>,
        mut patience: Patience<'_>,
    ) -> Result<(Self, OpenReport), SetUpError> {
        let Ready { connection, report, last_seq } = open_and_check(path, &options, repaired, &mut patience)?;
        let readers = Readers::start(path, &options, &mut patience)?;
        let checkpointer = patience.retry(|| Ok(Checkpointer::open(path, &options)?))?;
        let writer =
            Writer::start(path, connection, checkpointer, &options, last_seq).map_err(SetUpError::Refused)?;
        let lookout = Lookout::new(path, options, writer.written());
        let inner =
            Inner { lookout, readers, writer, large_body: options.large_body, outcomes: Arc::default() };
        Ok((Self(Arc::new(inner)), report))
    }

    async fn write(
        &self,
        run: &RunId,
        expected: Position,
        events: &[Event],
        written: Vec<String>,
    ) -> Result<Position, LogError> {
        if events.is_empty() {
            return Err(LogError::Empty { run: run.clone() });
        }
        if events.len() != written.len() {
            return Err(storage("write events", "there is not one text for each of them"));
        }
        let encoded = (1..)
            .zip(written)
            .map(|(n, text)| Encoded::new(run, expected.plus(n), text, self.0.large_body))
            .collect();
        // The first event of a run sets when it began; most others do not concern its summary.
        let moves = |body: &EventBody| RunSummary::is_moved_by(body) && RunSummary::figure(body).is_none();
        let moving =
            |&(at, event): &(usize, &Event)| (at == 0 && expected == Position::START) || moves(&event.body);
        let append = Append {
            run: run.clone(),
            expected,
            moving: events.iter().enumerate().filter(moving).map(|(_, event)| event.clone()).collect(),
            figures: Figures::of(events),
            last_at: events.last().map_or(Timestamp::EPOCH, |event| event.at),
            encoded,
        };
        self.0.writer.write(Work::Append(append)).await.map(Position)
    }
}

impl EventLog for SqliteLog {
    fn append<'a>(
        &'a self,
        run: &'a RunId,
        expected: Position,
        events: &'a [Event],
    ) -> BoxFuture<'a, Result<Position, LogError>> {
        // Written out here and not in the writer's thread, which everyone waits for.
        let written: Result<Vec<String>, _> = events.iter().map(Event::to_json).collect();
        match written {
            Ok(written) => self.append_written(run, expected, events, written),
            Err(error) => Box::pin(async { Err(storage("write an event as JSON", error)) }),
        }
    }

    fn append_written<'a>(
        &'a self,
        run: &'a RunId,
        expected: Position,
        events: &'a [Event],
        written: Vec<String>,
    ) -> BoxFuture<'a, Result<Position, LogError>> {
        Box::pin(self.write(run, expected, events, written))
    }

    fn read<'a>(&'a self, run: &'a RunId, after: Position) -> BoxFuture<'a, Result<Vec<Recorded>, LogError>> {
        let run = run.clone();
        Box::pin(self.0.readers.ask(move |connection| query::read(connection, &run, after)))
    }

    fn runs<'a>(&'a self, filter: RunFilter) -> BoxFuture<'a, Result<Vec<RunEntry>, LogError>> {
        Box::pin(self.0.readers.ask(move |connection| query::runs(connection, filter)))
    }
}

impl LogPages for SqliteLog {
    fn page(&self, query: RunQuery) -> BoxFuture<'_, Result<RunPage, LogError>> {
        Box::pin(self.0.readers.ask(move |connection| browse::page(connection, &query)))
    }

    fn named<'a>(&'a self, beginning: &'a str, limit: u32) -> BoxFuture<'a, Result<Vec<RunId>, LogError>> {
        let beginning = beginning.to_owned();
        Box::pin(self.0.readers.ask(move |connection| browse::named(connection, &beginning, limit)))
    }

    fn head<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Position, LogError>> {
        let run = run.clone();
        let head = move |connection: &Connection| match query::head(connection, run.as_str()) {
            Ok(head) => Ok(Position(head.map_or(0, |head| head.position))),
            Err(error) => Err(while_doing("find the end of a run's log")(error)),
        };
        Box::pin(self.0.readers.ask(head))
    }

    fn events<'a>(
        &'a self,
        run: &'a RunId,
        after: Position,
        limit: u32,
    ) -> BoxFuture<'a, Result<Vec<LoggedEvent>, LogError>> {
        let run = run.clone();
        Box::pin(self.0.readers.ask(move |connection| browse::events(connection, &run, after, limit)))
    }

    fn tail(&self, after: Seq, limit: u32) -> BoxFuture<'_, Result<Vec<LoggedEvent>, LogError>> {
        Box::pin(self.0.readers.ask(move |connection| browse::tail(connection, after, limit)))
    }

    fn end(&self) -> BoxFuture<'_, Result<Seq, LogError>> {
        let end = |connection: &Connection| match query::last_seq(connection) {
            Ok(seq) => Ok(Seq(seq.unsigned_abs())),
            Err(error) => Err(while_doing("find the end of the log")(error)),
        };
        Box::pin(self.0.readers.ask(end))
    }
}

impl Notifier for SqliteLog {
    fn listen(&self) -> Result<Box<dyn Listener>, LogError> {
        self.0.lookout.listen()
    }
}

impl Streams for SqliteLog {
    fn keep_breaker(&self, breaker: Breaker) -> BoxFuture<'_, Result<(), LogError>> {
        Box::pin(async { self.0.writer.write(Work::KeepBreaker(Box::new(breaker))).await.map(|_| ()) })
    }

    fn append_note(&self, note: StreamNote) -> BoxFuture<'_, Result<(), LogError>> {
        Box::pin(async { self.0.writer.write(Work::Note(Box::new(note))).await.map(|_| ()) })
    }

    fn notes(&self, stream: Stream, since: Timestamp) -> BoxFuture<'_, Result<Vec<StreamNote>, LogError>> {
        Box::pin(self.0.readers.ask(move |connection| notes::read(connection, stream, since)))
    }

    fn experience(&self) -> BoxFuture<'_, Result<Experience, LogError>> {
        let known = Arc::clone(&self.0.outcomes);
        Box::pin(self.0.readers.ask(move |connection| {
            experience::read(connection, &mut known.lock().unwrap_or_else(PoisonError::into_inner))
        }))
    }
}

impl Retention for SqliteLog {
    fn remove_ended_before(&self, before: Timestamp, keep: u32) -> BoxFuture<'_, Result<u64, LogError>> {
        Box::pin(self.0.writer.write(Work::RemoveEndedBefore { before, keep }))
    }
}

/// Makes sure that there can be a file at `path`.
fn make_place(path: &Path) -> Result<(), LogError> {
    if path.is_dir() {
        return Err(at_path("open the log", path, "it is a folder; a log is a file"));
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => private::create_dir_all(folder)
            .map_err(|error| at_path("make the folder of the log", folder, error)),
        _ => Ok(()),
    }
}

/// A log that can be used.
struct Ready {
    connection: Connection,
    report: OpenReport,
    last_seq: i64,
}

fn open_and_check(
    path: &Path,
    options: &OpenOptions,
    repaired: Option<PathBuf>,
    patience: &mut Patience<'_>,
) -> Result<Ready, SetUpError> {
    let created = std::fs::metadata(path).map_or(true, |file| file.len() == 0);
    let (mut connection, migrated_from) = patience.retry(|| open_writer(path, &options.while_opening()))?;
    let mut report = OpenReport { created, migrated_from, repaired, ..OpenReport::default() };
    patience.retry(|| Ok(check(&mut connection, &mut report)?))?;
    let last_seq = patience.retry(|| Ok(query::last_seq(&connection)?))?;
    Ok(Ready { connection, report, last_seq })
}

fn refusal(path: &Path, error: SetUpError) -> LogError {
    match error {
        SetUpError::Sqlite(error) if is_damage(&error) => {
            LogError::DamagedFile { path: path.to_owned(), reason: error.to_string() }
        }
        SetUpError::Sqlite(error) if is_busy(&error) => LogError::Locked { path: path.to_owned() },
        SetUpError::Sqlite(error) => at_path("open the log", path, error),
        SetUpError::Refused(error) => error,
    }
}
