//! The check on open: is the end of every unfinished run what was written? It changes nothing that is damaged;
//! [`crate::verify`] looks at everything, and [`crate::repair`] puts things in order.

use candor_model::{Position, RunId};
use rusqlite::{Connection, TransactionBehavior, params};

use crate::group::write_summary;
use crate::insert::stored;
use crate::query::{self, Head};
use crate::record::{Row, Unreadable};
use crate::report::{Finding, OpenReport};
use crate::retention::{forget, keep_floor};
use crate::tail;

/// Checks a log, and brings the rows of its runs up to date.
pub(crate) fn check(connection: &mut Connection, report: &mut OpenReport) -> rusqlite::Result<()> {
    every_table(connection)?;
    settle(connection, report)?;
    let snapshot = connection.transaction()?;
    for head in query::heads(&snapshot, true)? {
        if let Some(reason) = problem_at_end(&snapshot, &head)? {
            report.damaged.push(Finding { run: head.id, position: Position(head.position), reason });
        }
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
        report.damaged.push(Finding { run: stray.run, position: Position(stray.position), reason });
    }
    transaction.commit()
}

/// Fails if a table or one of its columns is not there; it need not be run for that.
fn every_table(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "SELECT r.summary, s.body, e.blob, b.hash, q.reason, f.unsettled
               FROM runs r, summaries s, events e, blobs b, quarantine q, floor f";
    connection.prepare(sql).map(|_| ())
}

/// What is wrong with the end of a run.
pub(crate) fn problem_at_end(connection: &Connection, head: &Head) -> rusqlite::Result<Option<String>> {
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
