//! Saving what can be read from a file that SQLite cannot use any more.
//!
//! The damaged file is never changed and never deleted: a new log is built beside it, and only when that is
//! complete do the two change places. An interruption at any point is finished by the next open. Do not
//! open a damaged log from two processes at once: both would build a new one.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use candor_model::RunId;
use candor_ports::LogError;
use rusqlite::{Connection, TransactionBehavior};

use crate::OpenOptions;
use crate::check::{quarantine, set_end};
use crate::error::at_path;
use crate::insert::{EventRow, Inserter};
use crate::query;
use crate::record::{Row, SELECT, Unreadable};
use crate::report::Salvage;
use crate::schema::{SetUpError, open_reader, open_writer};

const DOING: &str = "save what can be read from a damaged log";

/// How many sequence numbers in a row may be unreadable before the rest is given up. One lost inner page
/// of the tree hides some thousand events.
const MAX_GAP: usize = 100_000;

/// Builds a new log from what can be read, and puts it in the place of the damaged one.
pub(crate) fn salvage(path: &Path, options: &OpenOptions, reason: String) -> Result<Salvage, LogError> {
    let building = beside(path, ".salvaging");
    for leftover in [building.clone(), beside(&building, "-wal"), beside(&building, "-shm")] {
        remove_if_there(&leftover)?;
    }
    let (mut new, _) = open_writer(&building, options).map_err(|error| match error {
        SetUpError::Sqlite(error) => at_path(DOING, &building, error),
        SetUpError::Refused(error) => error,
    })?;
    if let Ok(old) = open_reader(path, options) {
        copy(&old, &mut new).map_err(|error| at_path(DOING, &building, error))?;
    }
    new.close().map_err(|(_, error)| at_path(DOING, &building, error))?;
    rename(&building, &beside(path, SALVAGED))?;
    let kept_as = change_places(path)?.ok_or(LogError::Closed)?;
    Ok(Salvage { kept_as, reason, events: 0, runs: 0, set_aside: 0 })
}

/// The name of a new log that is complete and waits to be put in place.
const SALVAGED: &str = ".salvaged";

/// Puts a complete new log in the place of the damaged one, which gets another name; returns that name.
///
/// Every step can be repeated, so that it does not matter where an interruption came.
pub(crate) fn change_places(path: &Path) -> Result<Option<PathBuf>, LogError> {
    let complete = beside(path, SALVAGED);
    if !complete.exists() {
        return Ok(None);
    }
    let (mut kept_as, mut last) = (numbered(path, 1), None);
    for n in 2.. {
        if !kept_as.exists() {
            break;
        }
        last = Some(std::mem::replace(&mut kept_as, numbered(path, n)));
    }
    // The write-ahead log goes first: it must never meet the new file.
    if beside(path, "-wal").exists() {
        rename(&beside(path, "-wal"), &beside(&kept_as, "-wal"))?;
    }
    remove_if_there(&beside(path, "-shm"))?;
    let kept_as = if path.exists() {
        rename(path, &kept_as)?;
        kept_as
    } else {
        last.unwrap_or(kept_as)
    };
    rename(&complete, path)?;
    Ok(Some(kept_as))
}

/// Fills in how much there is in the new log.
pub(crate) fn count(connection: &Connection, salvage: &mut Salvage) -> rusqlite::Result<()> {
    let count = |table: &str| {
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))
    };
    let counted = |n: i64| u64::try_from(n).unwrap_or(0);
    salvage.events = counted(count("events")?);
    salvage.runs = counted(count("runs")?);
    salvage.set_aside = counted(count("quarantine")?);
    Ok(())
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

fn numbered(path: &Path, n: u32) -> PathBuf {
    beside(path, &format!(".damaged-{n}"))
}

fn rename(from: &Path, to: &Path) -> Result<(), LogError> {
    std::fs::rename(from, to).map_err(|error| at_path(DOING, from, error))
}

fn remove_if_there(path: &Path) -> Result<(), LogError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(at_path(DOING, path, error)),
        _ => Ok(()),
    }
}

/// Copies every event that can be read, in order, in one transaction.
fn copy(old: &Connection, new: &mut Connection) -> rusqlite::Result<()> {
    let transaction = new.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let last = last_seq(old);
    let mut sink =
        Sink { new: &transaction, events: Inserter::new(&transaction)?, last: 0, ends: BTreeMap::new() };
    loop {
        // Reading on may fail at any row; what failed was on the old side unless the sink says so.
        if scan(old, &mut sink)? {
            break;
        }
        let gap = (sink.last + 1..=last).take(MAX_GAP);
        let Some(row) = gap.filter_map(|seq| query::row(old, seq).ok().flatten()).next() else {
            break;
        };
        sink.take(row)?;
    }
    for (id, (position, seq)) in &sink.into_ends() {
        set_end(&transaction, id, *position, *seq)?;
    }
    transaction.commit()
}

/// The highest sequence number that the old log knows of, in whichever table can still say so.
fn last_seq(old: &Connection) -> i64 {
    let highest =
        |table: &str| old.query_row(&format!("SELECT max(seq) FROM {table}"), [], |row| row.get(0)).ok();
    highest("events").max(highest("runs")).unwrap_or(i64::MAX)
}

/// Reads on from where the sink is; returns whether the end was reached.
fn scan(old: &Connection, sink: &mut Sink<'_>) -> rusqlite::Result<bool> {
    let Ok(mut statement) = old.prepare(&format!("{SELECT} WHERE e.seq > ?1 ORDER BY e.seq")) else {
        // Not even the table is known any more: no other way of asking would find a row in it.
        return Ok(true);
    };
    let Ok(mut rows) = statement.query([sink.last]) else {
        return Ok(false);
    };
    loop {
        match rows.next().and_then(|row| row.map(Row::read).transpose()) {
            Ok(Some(row)) => sink.take(row)?,
            Ok(None) => return Ok(true),
            Err(_) => return Ok(false),
        }
    }
}

/// Where saved events go.
struct Sink<'a> {
    new: &'a Connection,
    events: Inserter<'a>,
    last: i64,
    ends: BTreeMap<String, (u64, i64)>,
}

impl Sink<'_> {
    /// Where each run ends.
    fn into_ends(self) -> BTreeMap<String, (u64, i64)> {
        self.ends
    }

    /// Takes an event if it is sound and follows what was saved of its run; else it is set aside.
    fn take(&mut self, row: Row) -> rusqlite::Result<()> {
        // A damaged tree may lead around in circles.
        if row.seq <= self.last {
            return Ok(());
        }
        self.last = row.seq;
        let (position, prev) = self.ends.get(&row.run).copied().unwrap_or_default();
        match wrong_with(&row, position + 1) {
            Some(reason) => quarantine(self.new, &row, &reason),
            None => self.keep(row, position + 1, prev),
        }
    }

    fn keep(&mut self, row: Row, position: u64, prev: i64) -> rusqlite::Result<()> {
        let seq = row.seq;
        let (Ok(run), id) = (RunId::new(&row.run), row.run.clone()) else {
            return Ok(());
        };
        let Ok(encoded) = row.encoded() else { return Ok(()) };
        self.events.insert_now(&EventRow { seq, run: run.as_str(), position, prev, event: &encoded })?;
        self.ends.insert(id, (position, seq));
        Ok(())
    }
}

fn wrong_with(row: &Row, expected: u64) -> Option<String> {
    if let Err(Unreadable::Damaged(reason)) = row.event() {
        return Some(reason);
    }
    if RunId::new(&row.run).is_err() {
        return Some("it does not say which run it belongs to".to_owned());
    }
    (row.position != expected).then(|| format!("event {expected} of its run could not be read"))
}
