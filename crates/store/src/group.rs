//! One group commit: the work of many runs in one transaction.
//!
//! It owns what is known of the ends of runs between two commits, and refuses an append whose writer has
//! not seen the latest events.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use candor_model::{Breaker, Event, Position, RunId, RunSummary, Timestamp};
use candor_ports::{LogError, StreamNote};
use rusqlite::{CachedStatement, Connection, params};

use crate::experience::{self, Lessons};
use crate::figures::Figures;
use crate::insert::{EventRow, Inserter, stored};
use crate::notes;
use crate::query::{self, Head};
use crate::record::Encoded;
use crate::retention;
use crate::tail;
use crate::transaction::Transaction;

/// How many runs are remembered; beyond this everything is forgotten and read again when needed.
const MAX_REMEMBERED: usize = 10_000;

/// Up to how many runs in one commit have their rows written with it.
const FEW_RUNS: usize = 16;

/// How many events the rows of runs may be behind by, when many runs append at once.
const MOST_UNSETTLED: i64 = 512;

/// One append that waits to be written.
#[derive(Debug)]
pub(crate) struct Append {
    /// Run that the events belong to.
    pub(crate) run: RunId,
    /// Where its writer thinks that the log ends.
    pub(crate) expected: Position,
    /// Those of its events that move the run's summary.
    pub(crate) moving: Vec<Event>,
    /// The figures that they set.
    pub(crate) figures: Figures,
    /// When the last event happened.
    pub(crate) last_at: Timestamp,
    /// All events as they are written.
    pub(crate) encoded: Vec<Encoded>,
}

/// Something that waits to be written.
#[derive(Debug)]
pub(crate) enum Work {
    /// Events of a run.
    Append(Append),
    /// The removal of old runs.
    RemoveEndedBefore { before: Timestamp, keep: u32 },
    /// A breaker as it stands.
    KeepBreaker(Box<Breaker>),
    /// A note on a stream of the installation.
    Note(Box<StreamNote>),
}

/// What became of it: where the run's log ends now, or how many runs were removed.
pub(crate) type Answer = Result<u64, LogError>;

/// The end of a run as of the last commit.
#[derive(Debug)]
struct Known {
    /// Its number in this file; none until it is first written.
    no: Option<i64>,
    position: u64,
    seq: i64,
    /// Without the time of the last event, which changes always and is kept beside it.
    summary: RunSummary,
    /// The row of the summary; 0 if it has none.
    stored_summary: i64,
    /// What its row says about its end.
    ended: bool,
    updated_at: Timestamp,
    figures: Figures,
    /// Whether its row is not written yet.
    changed: bool,
    /// Whether its summary is not written yet.
    summary_changed: bool,
}

/// What is known of the file from the last commit. It holds only as long as nobody else writes.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    data_version: Option<i64>,
    last_seq: i64,
    /// The first event that the rows of runs do not say yet; 0 if they say everything.
    unsettled: i64,
    known: HashMap<RunId, Known>,
    /// The runs whose rows are not written yet.
    changed: Vec<RunId>,
    /// The first event of the commit at hand, and how many runs it has changed.
    first_seq: i64,
    touched: usize,
}

impl Memory {
    /// The sequence number of the last event.
    pub(crate) const fn last_seq(&self) -> i64 {
        self.last_seq
    }

    /// The sequence number of the last event before the last commit.
    pub(crate) const fn found_seq(&self) -> i64 {
        self.first_seq - 1
    }

    /// Forgets everything; it is read again when needed.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Forgets what another process may have changed. Call it with the write lock held.
    fn refresh(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let version = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if self.data_version != Some(version) || self.known.len() > MAX_REMEMBERED {
            self.forget();
            self.last_seq = query::last_seq(connection)?;
            self.data_version = Some(version);
            // Whose rows are behind, only the file knows now.
            if tail::unsettled(connection)? > 0 {
                tail::settle(connection)?;
            }
        }
        (self.first_seq, self.touched) = (self.last_seq + 1, 0);
        Ok(())
    }

    /// Writes one append, unless its writer is behind.
    fn append<'a>(
        &mut self,
        connection: &Connection,
        (inserter, lessons): (&mut Inserter<'a>, &mut Lessons<'_>),
        append: &'a Append,
    ) -> rusqlite::Result<Answer> {
        let mut seq = self.last_seq;
        let known = self.known(connection, &append.run)?;
        let Append { run, expected, moving, figures, last_at, encoded } = append;
        if known.position != expected.0 {
            let actual = Position(known.position);
            return Ok(Err(LogError::Stale { run: run.clone(), expected: *expected, actual }));
        }
        for event in encoded {
            seq += 1;
            let (position, prev) = (known.position + 1, known.seq);
            inserter.insert(EventRow { seq, run: run.as_str(), position, prev, event })?;
            (known.position, known.seq) = (known.position + 1, seq);
        }
        known.absorb(moving, *figures, *last_at);
        lessons.note(run, moving)?;
        let end = known.position;
        if !std::mem::replace(&mut known.changed, true) {
            self.changed.push(run.clone());
        }
        self.last_seq = seq;
        self.touched += 1;
        Ok(Ok(end))
    }

    /// Removes old runs; what is known of them goes too.
    fn remove_ended_before(
        &mut self,
        connection: &Connection,
        before: Timestamp,
        keep: u32,
    ) -> rusqlite::Result<Answer> {
        self.settle(connection)?;
        self.known.clear();
        retention::remove_ended_before(connection, before, keep).map(Ok)
    }

    /// Writes the rows of the runs that changed: all of them, unless so many change together that it is
    /// cheaper to leave them behind for a while.
    fn write_changed(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let behind = self.last_seq - self.unsettled;
        if self.touched <= FEW_RUNS || (self.unsettled > 0 && behind >= MOST_UNSETTLED) {
            return self.settle(connection);
        }
        self.write_rows(connection, |known| known.summary_changed || known.no.is_none())?;
        if self.unsettled == 0 && !self.changed.is_empty() {
            self.unsettled = self.first_seq;
            tail::set_unsettled(connection, self.unsettled)?;
        }
        Ok(())
    }

    /// Writes every row that is not written yet.
    fn settle(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.write_rows(connection, |_| true)?;
        if std::mem::take(&mut self.unsettled) > 0 {
            tail::set_unsettled(connection, 0)?;
        }
        Ok(())
    }

    /// Writes the rows of some of the runs that changed, once each.
    fn write_rows(
        &mut self,
        connection: &Connection,
        which: impl Fn(&Known) -> bool,
    ) -> rusqlite::Result<()> {
        let mut update = Update::prepare(connection)?;
        let mut left = Vec::new();
        for run in self.changed.drain(..) {
            match self.known.get_mut(&run) {
                Some(known) if which(known) => {
                    known.changed = false;
                    known.write(connection, &mut update)?;
                }
                Some(_) => left.push(run),
                None => {}
            }
        }
        self.changed = left;
        Ok(())
    }

    fn known(&mut self, connection: &Connection, run: &RunId) -> rusqlite::Result<&mut Known> {
        match self.known.entry(run.clone()) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => Ok(place.insert(Known::load(connection, run)?)),
        }
    }
}

/// Write the row of a run that goes on, and of one that has ended or goes on after all: setting what stays as it is would write an
/// index, too.
pub(crate) const UPDATES: [&str; 2] = [
    "UPDATE runs SET position = ?2, seq = ?3, updated_at = ?5, summary = ?6, progress = ?7, spent = ?8
     WHERE no = ?1",
    "UPDATE runs SET position = ?2, seq = ?3, ended = ?4, updated_at = ?5, summary = ?6, progress = ?7,
     spent = ?8 WHERE no = ?1",
];

/// What writes the row of a run.
struct Update<'a> {
    going_on: CachedStatement<'a>,
    ending: CachedStatement<'a>,
}

impl<'a> Update<'a> {
    fn prepare(connection: &'a Connection) -> rusqlite::Result<Self> {
        let [going_on, ending] = UPDATES;
        Ok(Self {
            going_on: connection.prepare_cached(going_on)?,
            ending: connection.prepare_cached(ending)?,
        })
    }
}

impl Known {
    /// Reads a run that is not in memory. Its row is settled: those that are not are all in memory.
    fn load(connection: &Connection, run: &RunId) -> rusqlite::Result<Self> {
        let Some(head) = query::settled_head(connection, run.as_str())? else {
            return Ok(Self::unknown(run));
        };
        let stored = query::summary(connection, run, &head)?;
        let summary_changed = stored.is_none();
        let mut summary = stored.map_or_else(|| query::rebuilt(connection, run, &head), Ok)?;
        summary.updated_at = None;
        let Head { no, position, seq, updated_at, summary: stored_summary, figures, ended, .. } = head;
        Ok(Self {
            no: Some(no),
            position,
            seq,
            summary,
            stored_summary,
            ended,
            updated_at,
            figures,
            changed: false,
            summary_changed,
        })
    }

    fn unknown(run: &RunId) -> Self {
        Self {
            no: None,
            position: 0,
            seq: 0,
            summary: RunSummary::new(run.clone()),
            stored_summary: 0,
            ended: false,
            updated_at: Timestamp::EPOCH,
            figures: Figures::default(),
            changed: false,
            summary_changed: true,
        }
    }

    fn absorb(&mut self, moving: &[Event], figures: Figures, last_at: Timestamp) {
        self.updated_at = last_at;
        self.figures.renew(figures);
        if moving.is_empty() {
            return;
        }
        let before = self.summary.clone();
        moving.iter().for_each(|event| self.summary.absorb(event));
        self.summary.updated_at = None;
        self.summary_changed |= before != self.summary;
    }

    /// Writes the run's row, and its summary if that changed.
    fn write(&mut self, connection: &Connection, update: &mut Update<'_>) -> rusqlite::Result<()> {
        if std::mem::take(&mut self.summary_changed) {
            self.stored_summary = write_summary(connection, self.stored_summary, &self.summary)?;
        }
        let (position, ended) = (stored(self.position)?, self.summary.status.is_end());
        let (at, summary) = (self.updated_at.as_millis(), self.stored_summary);
        let (progress, spent) = (self.figures.progress, self.figures.spent_micros());
        if let Some(no) = self.no {
            let update = if ended == self.ended { &mut update.going_on } else { &mut update.ending };
            update.execute(params![no, position, self.seq, ended, at, summary, progress, spent])?;
        } else {
            let id = self.summary.run_id.as_str();
            let mut insert = connection.prepare_cached(
                "INSERT INTO runs (id, position, seq, ended, updated_at, summary, progress, spent)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            self.no =
                Some(insert.insert(params![id, position, self.seq, ended, at, summary, progress, spent])?);
        }
        self.ended = ended;
        Ok(())
    }
}

/// Does the work of a group in one transaction. Each piece gets its own answer; an error is everyone's, and
/// then nothing is written.
pub(crate) fn commit<'a>(
    connection: &mut Connection,
    memory: &mut Memory,
    group: impl ExactSizeIterator<Item = &'a Work>,
) -> rusqlite::Result<Vec<Answer>> {
    let transaction = Transaction::begin(connection)?;
    let connection = transaction.connection();
    memory.refresh(connection)?;
    let mut events = Inserter::new(connection)?;
    let mut lessons = Lessons::new(connection);
    let mut answers = Vec::with_capacity(group.len());
    for work in group {
        answers.push(match work {
            Work::Append(append) => memory.append(connection, (&mut events, &mut lessons), append)?,
            Work::RemoveEndedBefore { before, keep } => {
                events.finish()?;
                memory.remove_ended_before(connection, *before, *keep)?
            }
            Work::KeepBreaker(breaker) => experience::keep_breaker(connection, breaker).map(|()| Ok(0))?,
            Work::Note(note) => notes::append(connection, note).map(|()| Ok(0))?,
        });
    }
    events.finish()?;
    drop(events);
    lessons.write()?;
    memory.write_changed(connection)?;
    transaction.commit()?;
    Ok(answers)
}

/// Stores a run's summary in the place of the one in row `old`; returns its row.
///
/// It is a new row at the end rather than a changed one: summaries of runs that are at work then lie
/// together, however long ago the runs began.
pub(crate) fn write_summary(
    connection: &Connection,
    old: i64,
    summary: &RunSummary,
) -> rusqlite::Result<i64> {
    let body = serde_json::to_string(summary)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    if old != 0 {
        connection.prepare_cached("DELETE FROM summaries WHERE no = ?1")?.execute([old])?;
    }
    connection.prepare_cached("INSERT INTO summaries (body) VALUES (?1)")?.insert([body])
}
