//! Removing what is no longer needed: whole runs that have ended, never a part of one.

use std::path::Path;

use candor_model::Timestamp;
use candor_ports::LogError;
use rusqlite::{Connection, params};

use crate::OpenOptions;
use crate::error::at_path;
use crate::query;
use crate::schema::open_beside_writer;

/// Removes every run that has ended and whose last event is older than `before`, with the large payloads
/// that only they refer to; returns how many runs there were. The caller has begun a transaction.
pub(crate) fn remove_ended_before(
    connection: &Connection,
    before: Timestamp,
    keep: u32,
) -> rusqlite::Result<u64> {
    keep_floor(connection)?;
    let doomed = doomed(connection, before, keep)?;
    for run in &doomed {
        remove(connection, run)?;
    }
    remove_unused_blobs(connection)?;
    Ok(doomed.len() as u64)
}

/// Gives the space of removed runs back to the file system; returns how many bytes the file has become shorter.
///
/// What was removed is then nowhere in the file any more, not even for a repair to find.
pub fn compact(path: &Path) -> Result<u64, LogError> {
    let failed = |error| at_path("compact the log", path, error);
    let size = || std::fs::metadata(path).map_or(0, |file| file.len());
    let connection = open_beside_writer(path, &OpenOptions::default()).map_err(failed)?;
    let empty =
        |connection: &Connection| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    empty(&connection).map_err(failed)?;
    let before = size();
    connection.execute_batch("VACUUM").and_then(|()| empty(&connection)).map_err(failed)?;
    Ok(before.saturating_sub(size()))
}

/// Remembers the highest sequence number, so that it is not given away again: whoever
/// looks for other processes' events would take the new one for one that was seen.
pub(crate) fn keep_floor(connection: &Connection) -> rusqlite::Result<()> {
    let last = query::last_seq(connection)?;
    connection.execute("UPDATE floor SET seq = ?1", [last])?;
    Ok(())
}

struct Doomed {
    no: i64,
    id: String,
    position: i64,
    seq: i64,
}

fn doomed(connection: &Connection, before: Timestamp, keep: u32) -> rusqlite::Result<Vec<Doomed>> {
    let sql = "SELECT no, id, position, seq FROM runs WHERE ended = 1 AND updated_at < ?1
               AND no NOT IN (SELECT no FROM runs WHERE ended = 1 ORDER BY seq DESC LIMIT ?2)";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map(params![before.as_millis(), keep], |row| {
        Ok(Doomed { no: row.get(0)?, id: row.get(1)?, position: row.get(2)?, seq: row.get(3)? })
    })?;
    rows.collect()
}

/// Removes a run along its chain; only a chain that is broken needs a look at every event.
fn remove(connection: &Connection, run: &Doomed) -> rusqlite::Result<()> {
    let sql = "DELETE FROM events WHERE seq IN (
        WITH RECURSIVE chain (seq, prev) AS (
            SELECT seq, prev FROM events WHERE seq = ?1 AND run = ?2
            UNION
            SELECT e.seq, e.prev FROM chain c JOIN events e ON e.seq = c.prev WHERE e.run = ?2
        ) SELECT seq FROM chain)";
    let removed = connection.prepare_cached(sql)?.execute(params![run.seq, run.id])?;
    if i64::try_from(removed) != Ok(run.position) {
        connection.execute("DELETE FROM events WHERE run = ?1", [&run.id])?;
    }
    forget(connection, run.no)
}

/// Removes a run and its summary from the list.
pub(crate) fn forget(connection: &Connection, run_no: i64) -> rusqlite::Result<()> {
    let sql = "DELETE FROM summaries WHERE no = (SELECT summary FROM runs WHERE no = ?1)";
    connection.prepare_cached(sql)?.execute([run_no])?;
    connection.prepare_cached("DELETE FROM runs WHERE no = ?1")?.execute([run_no]).map(|_| ())
}

/// Removes large payloads that no event refers to.
pub(crate) fn remove_unused_blobs(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "DELETE FROM blobs WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.blob = blobs.hash)";
    connection.execute(sql, []).map(|_| ())
}
