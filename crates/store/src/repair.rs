//! Building a log anew from what is intact in a damaged one.
//!
//! The damaged files are never changed and never deleted: the new log is built beside them, and only when it is
//! complete do the two change places. An interruption at any point is finished by the next repair or open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use candor_model::RunId;
use candor_ports::LogError;
use rusqlite::{Connection, TransactionBehavior, params};

use crate::OpenOptions;
use crate::check::set_end;
use crate::error::at_path;
use crate::experience::Lessons;
use crate::files::{Files, beside};
use crate::insert::{EventRow, Inserter, stored};
use crate::record::{Large, Row};
use crate::report::{RepairReport, RepairedRun};
use crate::scan::{Found, scan};
use crate::schema::{SetUpError, open_reader, open_writer};

const DOING: &str = "repair the log";

/// No log has so many events.
const HIGHEST: i64 = 1 << 52;

/// The name of a new log that is complete and waits to be put in place.
const COMPLETE: &str = ".repaired";

/// Builds a new log from the intact events of the one at `path`. With `to` the new log is made there and the old
/// one stays as it is; else it takes the old one's place, which is kept under another name.
///
/// Nobody else may have the log open.
pub fn repair(path: &Path, to: Option<&Path>) -> Result<RepairReport, LogError> {
    if let Some(holder) = open_elsewhere(path) {
        let problem =
            format!("process {holder} has it open; stop it first, for example with `kill {holder}`");
        return Err(at_path(DOING, path, problem));
    }
    let files = Files::read(path).map_err(|error| at_path(DOING, path, error))?;
    if files.file.is_empty() && files.wal.is_empty() {
        return Err(at_path(DOING, path, "there is no log, or it is empty; restore it from a backup"));
    }
    let building = to.map_or_else(|| beside(path, ".repairing"), Path::to_owned);
    let mut report = build(path, &files, &building)?;
    report.unknown_loss = files.missing_frames();
    if to.is_none() {
        rename(&building, &beside(path, COMPLETE))?;
        report.kept_as = change_places(path)?;
    }
    Ok(report)
}

fn build(path: &Path, files: &Files, building: &Path) -> Result<RepairReport, LogError> {
    for leftover in ["", "-wal", "-shm"] {
        remove_if_there(&beside(building, leftover))?;
    }
    let failed = |error| at_path(DOING, building, error);
    let (mut new, _) = open_writer(building, &OpenOptions::default()).map_err(|error| match error {
        SetUpError::Sqlite(error) => failed(error),
        SetUpError::Refused(error) => error,
    })?;
    let report = fill(&mut new, scan(&files.file, &files.wal), path).map_err(failed)?;
    new.close().map_err(|(_, error)| failed(error))?;
    Ok(report)
}

fn fill(new: &mut Connection, found: Found, old: &Path) -> rusqlite::Result<RepairReport> {
    let transaction = new.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (rows, report) = sort_out(found);
    // What was learned from runs that have been removed is nowhere else. No row of it is needed: all are tried.
    if let Ok(old) = open_reader(old, &OpenOptions::default()) {
        copy_learned(&old, &transaction)?;
    }
    let mut ends: BTreeMap<String, (u64, i64)> = BTreeMap::new();
    let mut last = 0;
    for Placed { row, apart } in rows {
        last = row.seq.max(last + 1);
        if apart {
            keep_apart(&transaction, &row, last)?;
        } else {
            keep(&transaction, row, last, &mut ends)?;
        }
    }
    for (id, (position, seq)) in &ends {
        set_end(&transaction, id, *position, *seq)?;
    }
    transaction.execute("UPDATE floor SET seq = ?1", [last])?;
    transaction.commit()?;
    Ok(report)
}

/// An intact event, and whether an event before it in its run is lost.
struct Placed {
    row: Row,
    apart: bool,
}

/// Which events go into the log: those of each run up to its first gap. In the order of their arrival.
fn sort_out(mut found: Found) -> (Vec<Placed>, RepairReport) {
    put_in_order(&mut found);
    let mut runs: BTreeMap<String, RepairedRun> = BTreeMap::new();
    let mut placed = Vec::new();
    for ((run, position), row) in found.events {
        let told = runs.entry(run).or_default();
        told.skip_to(position);
        let apart = !told.lost.is_empty();
        if apart {
            told.apart += 1;
        } else {
            told.saved += 1;
        }
        placed.push(Placed { row, apart });
    }
    for (run, end) in found.ends {
        runs.entry(run).or_default().skip_to(end.saturating_add(1));
    }
    runs.iter_mut().for_each(|(run, told)| told.run.clone_from(run));
    placed.sort_by_key(|placed| placed.row.seq);
    (placed, RepairReport { runs: runs.into_values().collect(), ..RepairReport::default() })
}

/// The number of a row is not covered by its checksum: one that is damaged must not move an event behind the one after it in
/// its run, or be so high that nothing can come after it.
fn put_in_order(found: &mut Found) {
    let mut after: Option<(&str, i64)> = None;
    for ((run, _), row) in found.events.iter_mut().rev() {
        let next = after.filter(|(of, _)| of == run).map_or(HIGHEST, |(_, seq)| seq);
        row.seq = row.seq.min(next);
        after = Some((run, row.seq));
    }
}

fn keep(
    new: &Connection,
    row: Row,
    seq: i64,
    ends: &mut BTreeMap<String, (u64, i64)>,
) -> rusqlite::Result<()> {
    let (Ok(run), position, event) = (RunId::new(&row.run), row.position, row.event().ok()) else {
        return Ok(());
    };
    let Ok(encoded) = row.encoded() else { return Ok(()) };
    let (_, prev) = ends.get(run.as_str()).copied().unwrap_or_default();
    let row = EventRow { seq, run: run.as_str(), position, prev, event: &encoded };
    Inserter::new(new)?.insert_now(&row)?;
    if let Some(event) = event {
        let mut lessons = Lessons::new(new);
        lessons.note(&run, std::slice::from_ref(&event))?;
        lessons.write()?;
    }
    ends.insert(run.as_str().to_owned(), (position, seq));
    Ok(())
}

/// Keeps an event that cannot be part of its run any more.
fn keep_apart(new: &Connection, row: &Row, seq: i64) -> rusqlite::Result<()> {
    let rest: &[u8] = if let Large::Found(rest) = &row.large { rest } else { &[] };
    let body = String::from_utf8_lossy(&[row.text.as_slice(), rest].concat()).into_owned();
    let sql = "INSERT INTO quarantine (seq, run, position, reason, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    let reason = "an event before it is lost";
    let position = stored(row.position)?;
    new.prepare_cached(sql)?.execute(params![seq, row.run, position, reason, body]).map(|_| ())
}

/// Copies what belongs to the installation, row by row, as far as it can be read.
fn copy_learned(old: &Connection, new: &Connection) -> rusqlite::Result<()> {
    for (table, columns) in [
        ("outcomes", "no, run, body"),
        ("measures", "run, agent, attempts, successes, latency_ms, cost_micros"),
        ("totals", "agent, attempts, successes, latency_ms, cost_micros"),
        ("examples", "no, run, agent, text, took_ms, cost_micros, tokens"),
        ("breakers", "id, body"),
        ("notes", "seq, stream, at, run, key, body"),
        ("quarantine", "no, seq, run, position, reason, body"),
    ] {
        let Ok(mut statement) = old.prepare(&format!("SELECT {columns} FROM {table}")) else { continue };
        let width = statement.column_count();
        let places = vec!["?"; width].join(", ");
        let mut insert =
            new.prepare(&format!("INSERT OR IGNORE INTO {table} ({columns}) VALUES ({places})"))?;
        let Ok(mut rows) = statement.query([]) else { continue };
        while let Ok(Some(row)) = rows.next() {
            let values: Result<Vec<rusqlite::types::Value>, _> = (0..width).map(|n| row.get(n)).collect();
            let Ok(values) = values else { continue };
            // A value of the wrong type is refused by the table, and is damage like any other.
            let _ = insert.execute(rusqlite::params_from_iter(values));
        }
    }
    Ok(())
}

/// Puts a complete new log in the place of the damaged one, which gets another name; returns that name.
///
/// Every step can be repeated, so that it does not matter where an interruption came.
pub(crate) fn change_places(path: &Path) -> Result<Option<PathBuf>, LogError> {
    let complete = beside(path, COMPLETE);
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

/// The process that has the log open. SQLite holds a lock on a range of the file as long as it is open.
fn open_elsewhere(path: &Path) -> Option<u32> {
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path).ok()?;
    let mut lock = rustix::process::Flock::from(rustix::process::FlockType::WriteLock);
    (lock.start, lock.length) = (0x4000_0000, 512);
    let held = rustix::process::fcntl_getlk(&file, &lock).ok()??;
    u32::try_from(held.pid?.as_raw_nonzero().get()).ok()
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
