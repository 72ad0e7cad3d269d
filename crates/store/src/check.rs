//! The check on open: is the end of every unfinished run what was written? With a full check: is everything?
//!
//! It moves what cannot be trusted at the end of a run to the table `quarantine` and tells of it. Damage
//! before the end is told and left alone: cutting off good events would make it worse.

use std::collections::BTreeMap;

use candor_model::{Position, RunId};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::error::damage;
use crate::group::write_summary;
use crate::insert::stored;
use crate::query::{self, Head};
use crate::record::{Large, Row, SELECT, Unreadable};
use crate::report::{Finding, OpenReport};
use crate::retention::{forget, keep_floor};
use crate::tail;

/// Checks a log and puts the end of its runs in order.
pub(crate) fn check(
    connection: &mut Connection,
    full: bool,
    report: &mut OpenReport,
) -> rusqlite::Result<()> {
    every_table(connection)?;
    if full {
        quick_check(connection)?;
    }
    settle(connection, report)?;
    let suspects = suspects(connection, !full)?;
    if !suspects.is_empty() {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        keep_floor(&transaction)?;
        for id in &suspects {
            report.quarantined.extend(repair_end(&transaction, id)?);
        }
        transaction.commit()?;
    }
    if full {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        report.damaged = every_record(&transaction)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Brings the rows of runs up to date. A record that belongs to no run is what is left of a damaged one.
fn settle(connection: &mut Connection, report: &mut OpenReport) -> rusqlite::Result<()> {
    if tail::unsettled(connection)? == 0 {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    keep_floor(&transaction)?;
    for seq in tail::settle(&transaction)? {
        let Some(stray) = query::row(&transaction, seq)? else { continue };
        let reason = "it names a run that is not there".to_owned();
        quarantine(&transaction, &stray, &reason)?;
        remove(&transaction, seq)?;
        report.quarantined.push(Finding { run: stray.run, position: Position(stray.position), reason });
    }
    transaction.commit()
}

/// Fails if a table or one of its columns is not there; it need not be run for that.
fn every_table(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "SELECT r.summary, s.body, e.blob, b.hash, q.reason, f.unsettled
               FROM runs r, summaries s, events e, blobs b, quarantine q, floor f";
    connection.prepare(sql).map(|_| ())
}

fn quick_check(connection: &Connection) -> rusqlite::Result<()> {
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(damage(verdict)) }
}

/// The runs whose end is not as it should be. Looked for without the write lock: mostly there are none.
fn suspects(connection: &mut Connection, unfinished_only: bool) -> rusqlite::Result<Vec<String>> {
    let snapshot = connection.transaction()?;
    let mut suspects = Vec::new();
    for head in query::heads(&snapshot, unfinished_only)? {
        if problem_at_end(&snapshot, &head)?.is_some() {
            suspects.push(head.id);
        }
    }
    Ok(suspects)
}

fn problem_at_end(connection: &Connection, head: &Head) -> rusqlite::Result<Option<String>> {
    let Some(last) = query::row(connection, head.seq)? else {
        return Ok(Some("the event is missing".to_owned()));
    };
    match query::in_place(&last, &head.id, head.position) {
        Ok(()) => problem_of(connection, &last),
        Err(reason) => Ok(Some(reason)),
    }
}

/// What is wrong with a row, or with its link to the one before. An event of a newer version is sound.
fn problem_of(connection: &Connection, row: &Row) -> rusqlite::Result<Option<String>> {
    if let Err(Unreadable::Damaged(reason)) = row.event() {
        return Ok(Some(reason));
    }
    if row.position <= 1 {
        return Ok((row.position == 0).then(|| "it has no place in its run".to_owned()));
    }
    let before = query::row(connection, row.prev)?;
    let linked = before.is_some_and(|before| query::in_place(&before, &row.run, row.position - 1).is_ok());
    Ok((!linked).then(|| "the event before it is missing".to_owned()))
}

/// Moves a run's end back to its last sound event.
fn repair_end(connection: &Connection, id: &str) -> rusqlite::Result<Vec<Finding>> {
    let Some(head) = query::head(connection, id)? else {
        return Ok(Vec::new());
    };
    // Another process may have put it in order before us.
    let Some(reason) = problem_at_end(connection, &head)? else {
        return Ok(Vec::new());
    };
    let mut findings = Vec::new();
    if let Some(misnamed) =
        query::row(connection, head.seq)?.filter(|row| row.run != id && row.event().is_err())
    {
        quarantine(connection, &misnamed, &reason)?;
        remove(connection, misnamed.seq)?;
    }
    let mut bound = i64::MAX;
    let last = loop {
        let Some(row) = last_before(connection, id, bound)? else {
            break None;
        };
        let Some(reason) = problem_of(connection, &row)? else {
            break Some(row);
        };
        quarantine(connection, &row, &reason)?;
        remove(connection, row.seq)?;
        bound = row.seq;
        findings.push(Finding { run: id.to_owned(), position: Position(row.position), reason });
    };
    if findings.is_empty() {
        findings.push(Finding { run: id.to_owned(), position: Position(head.position), reason });
    }
    match last {
        Some(row) => set_end(connection, id, row.position, row.seq)?,
        None => forget(connection, head.no)?,
    }
    Ok(findings)
}

/// The last row of a run before a sequence number. It looks at rows one by one, backwards: the price of
/// having no index, paid only for a run that is damaged.
fn last_before(connection: &Connection, id: &str, bound: i64) -> rusqlite::Result<Option<Row>> {
    let sql = format!("{SELECT} WHERE e.run = ?1 AND e.seq < ?2 ORDER BY e.seq DESC LIMIT 1");
    connection.prepare_cached(&sql)?.query_row(params![id, bound], Row::read).optional()
}

fn remove(connection: &Connection, seq: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM events WHERE seq = ?1")?.execute([seq]).map(|_| ())
}

/// Keeps a copy of a row that cannot be trusted.
pub(crate) fn quarantine(connection: &Connection, row: &Row, reason: &str) -> rusqlite::Result<()> {
    let rest: &[u8] = if let Large::Found(rest) = &row.large { rest } else { &[] };
    let body = String::from_utf8_lossy(&[row.text.as_slice(), rest].concat()).into_owned();
    let sql = "INSERT INTO quarantine (seq, run, position, reason, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    let position = stored(row.position)?;
    connection.prepare_cached(sql)?.execute(params![row.seq, row.run, position, reason, body]).map(|_| ())
}

/// Makes an event the last one of its run, and folds the run's summary anew.
pub(crate) fn set_end(connection: &Connection, id: &str, position: u64, seq: i64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO runs (id, position, seq, ended, updated_at, summary) VALUES (?1, ?2, ?3, 0, 0, 0)
               ON CONFLICT (id) DO UPDATE SET position = excluded.position, seq = excluded.seq";
    connection.prepare_cached(sql)?.execute(params![id, stored(position)?, seq])?;
    let Some(head) = query::head(connection, id)? else {
        return Ok(());
    };
    let Ok(run) = RunId::new(id) else {
        return forget(connection, head.no);
    };
    let mut summary = query::rebuilt(connection, &run, &head)?;
    let at = summary.updated_at.take().unwrap_or(head.updated_at).as_millis();
    let stored = write_summary(connection, head.summary, &summary)?;
    // The summary that was just made has the figures too.
    let sql = "UPDATE runs SET ended = ?2, updated_at = ?3, summary = ?4, progress = NULL, spent = NULL WHERE no = ?1";
    connection.prepare_cached(sql)?.execute(params![head.no, summary.status.is_end(), at, stored]).map(|_| ())
}

/// How far a run could be followed.
#[derive(Default)]
struct Track {
    position: u64,
    seq: i64,
    broken: bool,
}

/// Looks at every record, tells what is wrong, and puts runs back on the list that are missing there.
fn every_record(connection: &Connection) -> rusqlite::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut tracks: BTreeMap<String, Track> = BTreeMap::new();
    let mut statement = connection.prepare(&format!("{SELECT} ORDER BY e.seq"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let row = Row::read(row)?;
        let track = tracks.entry(row.run.clone()).or_default();
        if let Some(reason) = follow(track, &row) {
            findings.push(Finding { run: row.run, position: Position(row.position), reason });
        }
    }
    drop(rows);
    for (id, track) in tracks.iter().filter(|(_, track)| !track.broken) {
        let listed = query::head(connection, id)?;
        if listed.is_none_or(|head| (head.position, head.seq) != (track.position, track.seq)) {
            set_end(connection, id, track.position, track.seq)?;
            let reason = "the list of runs did not end the run here; it does now".to_owned();
            findings.push(Finding { run: id.clone(), position: Position(track.position), reason });
        }
    }
    Ok(findings)
}

fn follow(track: &mut Track, row: &Row) -> Option<String> {
    let expected = track.position + 1;
    let in_order = row.position == expected && row.prev == track.seq;
    (track.position, track.seq) = (row.position, row.seq);
    let problem = match row.event() {
        Err(Unreadable::Damaged(reason)) => Some(reason),
        _ if !in_order => {
            Some(format!("it does not follow the event before it: event {expected} was expected here"))
        }
        _ => None,
    };
    track.broken |= problem.is_some();
    problem
}
