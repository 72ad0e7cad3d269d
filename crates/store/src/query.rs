//! What is asked of the tables: a run's events, the last sequence number, the list of runs.
//!
//! Everything here works on any connection and changes nothing.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use candor_model::{Position, Recorded, RunId, RunSummary, Timestamp};
use candor_ports::{LogError, RunEntry, RunFilter};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{storage, while_doing};
use crate::figures::Figures;
use crate::record::{Row, SELECT};
use crate::tail::{self, End};

/// Where a run's log ends.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    /// The run's number in this file.
    pub(crate) no: i64,
    /// The run's id as it is stored.
    pub(crate) id: String,
    /// The place of the last event in the run.
    pub(crate) position: u64,
    /// The row of the last event.
    pub(crate) seq: i64,
    /// When the last event happened.
    pub(crate) updated_at: Timestamp,
    /// The row of its summary; 0 if it has none.
    pub(crate) summary: i64,
    /// What moves with every task.
    pub(crate) figures: Figures,
    /// Whether the run has ended.
    pub(crate) ended: bool,
}

impl Head {
    pub(crate) const COLUMNS: &str =
        "r.no, r.id, r.position, r.seq, r.updated_at, r.summary, r.progress, r.spent, r.ended";

    pub(crate) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        let position: i64 = row.get(2)?;
        Ok(Self {
            no: row.get(0)?,
            id: row.get(1)?,
            position: u64::try_from(position).unwrap_or(0),
            seq: row.get(3)?,
            updated_at: Timestamp::from_millis(row.get(4)?),
            summary: row.get(5)?,
            figures: Figures::from_row(row.get(6)?, row.get(7)?),
            ended: row.get(8)?,
        })
    }

    /// Takes over what the run's row does not say yet.
    fn move_to(&mut self, end: &End) {
        if end.seq > self.seq {
            (self.position, self.seq) = (end.position, end.seq);
            self.updated_at = end.at.unwrap_or(self.updated_at);
            self.figures.renew(end.figures);
        }
    }
}

/// Finds where a run's log ends.
pub(crate) fn head(connection: &Connection, run: &str) -> rusqlite::Result<Option<Head>> {
    // Looked at before the row: what is settled in between is then found in both places, not in neither.
    let end = tail::ends(connection, Some(run))?.remove(run);
    let mut head = settled_head(connection, run)?;
    if let (Some(head), Some(end)) = (&mut head, end) {
        head.move_to(&end);
    }
    Ok(head)
}

/// Finds where the log of a run ends whose row is known to be settled.
pub(crate) fn settled_head(connection: &Connection, run: &str) -> rusqlite::Result<Option<Head>> {
    let sql = format!("SELECT {} FROM runs r WHERE r.id = ?1", Head::COLUMNS);
    connection.prepare_cached(&sql)?.query_row([run], Head::read).optional()
}

/// Finds where all logs end, or only those of unfinished runs. Their rows must be settled.
pub(crate) fn heads(connection: &Connection, unfinished_only: bool) -> rusqlite::Result<Vec<Head>> {
    // Written out, so that SQLite uses the index of those that are open.
    let which = if unfinished_only { "WHERE r.ended = 0" } else { "" };
    let sql = format!("SELECT {} FROM runs r {which}", Head::COLUMNS);
    connection.prepare(&sql)?.query_map([], Head::read)?.collect()
}

/// Reads the row with this sequence number.
pub(crate) fn row(connection: &Connection, seq: i64) -> rusqlite::Result<Option<Row>> {
    let sql = format!("{SELECT} WHERE e.seq = ?1");
    connection.prepare_cached(&sql)?.query_row([seq], Row::read).optional()
}

/// The highest sequence number that was ever given away.
pub(crate) fn last_seq(connection: &Connection) -> rusqlite::Result<i64> {
    let sql =
        "SELECT max(coalesce((SELECT max(seq) FROM events), 0), coalesce((SELECT max(seq) FROM floor), 0))";
    connection.prepare_cached(sql)?.query_row([], |row| row.get(0))
}

/// Reads a run's events after `after`: from its end backwards along the chain, then turned around.
pub(crate) fn read(connection: &Connection, run: &RunId, after: Position) -> Result<Vec<Recorded>, LogError> {
    const DOING: &str = "read the log of a run";
    // One snapshot: retention in another process must not remove the chain while it is walked.
    let snapshot = connection.unchecked_transaction().map_err(while_doing(DOING))?;
    let Some(head) = head(&snapshot, run.as_str()).map_err(while_doing(DOING))? else {
        return Ok(Vec::new());
    };
    let rows = chain(&snapshot, run, &head, after)?;
    rows.iter().rev().map(|row| row.recorded(run)).collect()
}

/// The rows of a run after `after`, last first. Each must be exactly where the one after it says.
fn chain(connection: &Connection, run: &RunId, head: &Head, after: Position) -> Result<Vec<Row>, LogError> {
    let mut rows = Vec::new();
    let (mut seq, mut position) = (head.seq, head.position);
    while position > after.0 {
        let Some(found) = row(connection, seq).map_err(while_doing("read the log of a run"))? else {
            return Err(LogError::Hole { run: run.clone(), position: Position(position) });
        };
        if let Err(reason) = in_place(&found, run.as_str(), position) {
            return Err(LogError::Damaged { run: run.clone(), position: Position(position), reason });
        }
        (seq, position) = (found.prev, position - 1);
        rows.push(found);
    }
    Ok(rows)
}

/// Whether a row is the one that is expected at this place.
pub(crate) fn in_place(row: &Row, run: &str, position: u64) -> Result<(), String> {
    if row.run == run && row.position == position {
        return Ok(());
    }
    Err(format!("the record found there says that it is event {} of run {}", row.position, row.run))
}

/// Lists runs, the one that changed last first.
pub(crate) fn runs(connection: &Connection, filter: RunFilter) -> Result<Vec<RunEntry>, LogError> {
    const DOING: &str = "list the runs";
    let snapshot = connection.unchecked_transaction().map_err(while_doing(DOING))?;
    let mut entries = Vec::new();
    let ended = filter.unfinished_only.then_some(false);
    for head in latest(&snapshot, i64::MAX, ended, filter.limit).map_err(while_doing(DOING))? {
        let run = RunId::new(&head.id).map_err(|error| storage(DOING, error))?;
        entries.push(entry(&snapshot, &run, &head).map_err(while_doing(DOING))?);
    }
    Ok(entries)
}

/// A run as it is listed.
pub(crate) fn entry(connection: &Connection, run: &RunId, head: &Head) -> rusqlite::Result<RunEntry> {
    let mut summary = match summary(connection, run, head)? {
        Some(summary) => summary,
        None => rebuilt(connection, run, head)?,
    };
    // The stored summary does without the time, so that it changes less often.
    summary.updated_at = Some(head.updated_at);
    head.figures.fill(&mut summary);
    Ok(RunEntry { summary, head: Position(head.position) })
}

// Conditions as the indexes of the table have them.
const OPEN: &str = "r.ended = 0";
const ENDED: &str = "r.ended = 1 ORDER BY r.seq DESC";

fn heads_that(are: &str) -> String {
    format!("SELECT {} FROM runs r WHERE r.seq < ?1 AND {are} LIMIT ?2", Head::COLUMNS)
}

/// The ends of the runs that changed last before `before`, the latest first; only those that have ended, or have not, if that
/// is asked for.
pub(crate) fn latest(
    connection: &Connection,
    before: i64,
    ended: Option<bool>,
    limit: Option<u32>,
) -> rusqlite::Result<Vec<Head>> {
    // Rows that are behind are looked up one by one: by what they say they would be in the wrong place.
    let mut behind = BTreeMap::new();
    for (run, end) in tail::ends(connection, None)? {
        if let Some(mut head) = settled_head(connection, &run)? {
            head.move_to(&end);
            behind.insert(run, head);
        }
    }
    let most = limit.map_or(-1, |limit| i64::from(limit) + behind.len() as i64);
    let mut heads = Vec::new();
    let mut read = |which: &str, limit: i64| -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(&heads_that(which))?;
        let mut rows = statement.query_map(params![before, limit], Head::read)?;
        rows.try_for_each(|head| head.map(|head| heads.push(head)))
    };
    if ended != Some(true) {
        read(OPEN, -1)?;
    }
    if ended != Some(false) {
        read(ENDED, most)?;
    }
    heads.retain(|head| !behind.contains_key(&head.id));
    let wanted = |head: &Head| head.seq < before && ended.is_none_or(|ended| ended == head.ended);
    heads.extend(behind.into_values().filter(wanted));
    heads.sort_by_key(|head| Reverse(head.seq));
    heads.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
    Ok(heads)
}

/// The stored summary of a run, unless it is missing or cannot be read.
pub(crate) fn summary(
    connection: &Connection,
    run: &RunId,
    head: &Head,
) -> rusqlite::Result<Option<RunSummary>> {
    let mut statement = connection.prepare_cached("SELECT body FROM summaries WHERE no = ?1")?;
    let stored: Option<String> = statement.query_row([head.summary], |row| row.get(0)).optional()?;
    let filled = |mut summary: RunSummary| {
        head.figures.fill(&mut summary);
        summary
    };
    Ok(stored.and_then(|text| readable(&text, run)).map(filled))
}

fn readable(text: &str, run: &RunId) -> Option<RunSummary> {
    serde_json::from_str(text).ok().filter(|summary: &RunSummary| summary.run_id == *run)
}

/// Folds as much of a run's log as can be read. A summary is a convenience: a record that is damaged or
/// newer is told by reading the run, and must not hide the run from the list.
pub(crate) fn rebuilt(connection: &Connection, run: &RunId, head: &Head) -> rusqlite::Result<RunSummary> {
    let mut rows = Vec::new();
    let (mut seq, mut position) = (head.seq, head.position);
    while let Some(found) = row(connection, seq)? {
        if position == 0 || in_place(&found, run.as_str(), position).is_err() {
            break;
        }
        (seq, position) = (found.prev, position - 1);
        rows.push(found);
    }
    let mut summary = RunSummary::new(run.clone());
    let readable = rows.iter().rev().filter_map(|row| row.event().ok());
    readable.for_each(|event| summary.absorb(&event));
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use crate::group::UPDATES;
    use crate::schema::migrate;

    use super::*;

    /// The values of a column of what SQLite says about a statement.
    fn explained(connection: &Connection, sql: &str, column: usize) -> String {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.raw_query().mapped(|row| row.get::<_, String>(column));
        rows.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
    }

    #[test]
    fn the_latest_runs_are_found_by_indexes_that_a_run_which_goes_on_does_not_touch() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        for (which, index) in [(OPEN, "runs_open"), (ENDED, "runs_ended")] {
            let plan = explained(&connection, &format!("EXPLAIN QUERY PLAN {}", heads_that(which)), 3);
            assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{plan}");
        }
        let [going_on, ending] = UPDATES.map(|sql| explained(&connection, &format!("EXPLAIN {sql}"), 1));
        assert!(ending.contains("IdxInsert"), "{ending}");
        // The index of those that have ended is named, and is written for none that has not.
        assert_eq!(going_on.matches("IdxInsert").count(), 1, "{going_on}");
    }
}
