//! What the rows of runs do not say yet.
//!
//! When many runs append at once, their rows are not written with every commit but now and then: they lie on
//! many pages. `floor.unsettled` then names the first event that may be missing from them, and whoever asks
//! where a run ends looks at the events from there on. They are never many.

use std::collections::BTreeMap;

use candor_model::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::figures::Figures;
use crate::insert::stored;
use crate::record::{Row, SELECT};

/// The end of a run as its latest events have it.
#[derive(Debug, Default)]
pub(crate) struct End {
    pub(crate) position: u64,
    pub(crate) seq: i64,
    /// When the last event happened; none if it cannot be read.
    pub(crate) at: Option<Timestamp>,
    pub(crate) figures: Figures,
}

impl End {
    fn absorb(&mut self, row: &Row) {
        (self.position, self.seq) = (row.position, row.seq);
        // An event that cannot be read is still the run's last: reading the run tells of it.
        self.at = row.event().ok().map(|event| {
            self.figures.renew(Figures::of(std::slice::from_ref(&event)));
            event.at
        });
    }
}

/// The first event that may be missing from the rows of runs; 0 if none is.
pub(crate) fn unsettled(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT coalesce(max(unsettled), 0) FROM floor";
    connection.prepare_cached(sql)?.query_row([], |row| row.get(0))
}

/// Says from which event on the rows of runs may be behind.
pub(crate) fn set_unsettled(connection: &Connection, seq: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("UPDATE floor SET unsettled = ?1")?.execute([seq]).map(|_| ())
}

/// The ends of the runs whose rows may be behind, or of one of them.
pub(crate) fn ends(connection: &Connection, only: Option<&str>) -> rusqlite::Result<BTreeMap<String, End>> {
    let mut ends: BTreeMap<String, End> = BTreeMap::new();
    let first = unsettled(connection)?;
    if first == 0 {
        return Ok(ends);
    }
    let sql = format!("{SELECT} WHERE e.seq >= ?1 AND (?2 IS NULL OR e.run = ?2) ORDER BY e.seq");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![first, only])?;
    while let Some(row) = rows.next()? {
        let row = Row::read(row)?;
        ends.entry(row.run.clone()).or_default().absorb(&row);
    }
    Ok(ends)
}

/// Writes the rows of all runs that are behind; returns the events that belong to no run. The caller has begun
/// a transaction.
pub(crate) fn settle(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut strays = Vec::new();
    for (run, end) in ends(connection, None)? {
        let known = connection
            .prepare_cached("SELECT seq FROM runs WHERE id = ?1")?
            .query_row([&run], |row| row.get::<_, i64>(0))
            .optional()?;
        match known {
            None => strays.push(end.seq),
            Some(seq) if seq >= end.seq => {}
            Some(_) => write(connection, &run, &end)?,
        }
    }
    set_unsettled(connection, 0)?;
    Ok(strays)
}

fn write(connection: &Connection, run: &str, end: &End) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached(
        "UPDATE runs SET position = ?2, seq = ?3, updated_at = coalesce(?4, updated_at),
         progress = coalesce(?5, progress), spent = coalesce(?6, spent) WHERE id = ?1",
    )?;
    let (position, at) = (stored(end.position)?, end.at.map(Timestamp::as_millis));
    let (progress, spent) = (end.figures.progress, end.figures.spent_micros());
    update.execute(params![run, position, end.seq, at, progress, spent]).map(|_| ())
}
