//! Pages: of the list of runs, of a run's events, and of all events in the order in which they were appended.

use candor_model::{Position, RunId};
use candor_ports::{LogError, LoggedEvent, RunEntry, RunPage, RunQuery, Seq};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{storage, while_doing};
use crate::query::{self, Head};
use crate::record::{Row, SELECT};

/// How many runs one page looks at: a filter that admits few must not hold a reader up.
const LOOKED_AT: u32 = 5_000;

/// A page of the list of runs.
pub(crate) fn page(connection: &Connection, query: &RunQuery) -> Result<RunPage, LogError> {
    const DOING: &str = "list the runs";
    let snapshot = connection.unchecked_transaction().map_err(while_doing(DOING))?;
    let heads = candidates(&snapshot, query).map_err(while_doing(DOING))?;
    let exhausted = heads.len() < LOOKED_AT as usize;
    let mut page = RunPage::default();
    let mut last = None;
    for head in heads {
        if page.runs.len() >= query.limit as usize {
            page.next = last;
            return Ok(page);
        }
        let run = RunId::new(&head.id).map_err(|error| storage(DOING, error))?;
        let entry = query::entry(&snapshot, &run, &head).map_err(while_doing(DOING))?;
        last = Some(Seq(head.seq.unsigned_abs()));
        page.runs.extend(Some(entry).filter(|entry: &RunEntry| query.admits(entry)));
    }
    page.next = last.filter(|_| !exhausted);
    Ok(page)
}

/// The ends of runs that may be on a page, the one that changed last first.
fn candidates(connection: &Connection, query: &RunQuery) -> rusqlite::Result<Vec<Head>> {
    let before = query.before.map_or(i64::MAX, |before| i64::try_from(before.0).unwrap_or(i64::MAX));
    let ended = query.statuses.iter().filter(|status| status.is_end()).count();
    let only = match (query.statuses.len(), ended) {
        (all, ended) if all > 0 && ended == all => Some(true),
        (all, 0) if all > 0 => Some(false),
        _ => query.asking.then_some(false),
    };
    query::latest(connection, before, only, Some(LOOKED_AT))
}

/// The runs whose name begins so.
pub(crate) fn named(connection: &Connection, beginning: &str, limit: u32) -> Result<Vec<RunId>, LogError> {
    const DOING: &str = "find a run by its name";
    // A range of the index: no name goes on with a character above this one.
    let sql = "SELECT id FROM runs WHERE id >= ?1 AND id < ?1 || char(1114111) ORDER BY id LIMIT ?2";
    let mut statement = connection.prepare_cached(sql).map_err(while_doing(DOING))?;
    let rows = statement.query_map(params![beginning, limit], |row| row.get::<_, String>(0));
    let names: Vec<String> = rows.and_then(Iterator::collect::<Result<_, _>>).map_err(while_doing(DOING))?;
    Ok(names.iter().filter_map(|name| RunId::new(name).ok()).collect())
}

/// At most `limit` events of a run after `after`.
pub(crate) fn events(
    connection: &Connection,
    run: &RunId,
    after: Position,
    limit: u32,
) -> Result<Vec<LoggedEvent>, LogError> {
    const DOING: &str = "read the log of a run";
    let snapshot = connection.unchecked_transaction().map_err(while_doing(DOING))?;
    let Some(head) = query::head(&snapshot, run.as_str()).map_err(while_doing(DOING))? else {
        return Ok(Vec::new());
    };
    let seqs = seqs(&snapshot, run, &head, after, limit)?;
    let mut events = Vec::with_capacity(seqs.len());
    for seq in seqs.into_iter().rev() {
        let hole = || LogError::Hole { run: run.clone(), position: after };
        let row = query::row(&snapshot, seq).map_err(while_doing(DOING))?.ok_or_else(hole)?;
        let position = Position(row.position);
        events.push(logged(&row, run.clone()).map_err(|it| it.into_error(run.clone(), position))?);
    }
    Ok(events)
}

/// The rows of the `limit` events of a run after `after`, last first. Events know only the one before them: the chain is
/// walked from its end, without reading what the events say.
fn seqs(
    connection: &Connection,
    run: &RunId,
    head: &Head,
    after: Position,
    limit: u32,
) -> Result<Vec<i64>, LogError> {
    const DOING: &str = "read the log of a run";
    let last = after.0.saturating_add(u64::from(limit));
    let mut statement = connection
        .prepare_cached("SELECT prev FROM events WHERE seq = ?1 AND position = ?2")
        .map_err(while_doing(DOING))?;
    let mut seqs = Vec::new();
    let (mut seq, mut position) = (head.seq, head.position);
    while position > after.0 {
        if position <= last {
            seqs.push(seq);
        }
        let at = i64::try_from(position).unwrap_or(i64::MAX);
        let prev = statement.query_row(params![seq, at], |row| row.get(0)).optional();
        let hole = || LogError::Hole { run: run.clone(), position: Position(position) };
        seq = prev.map_err(while_doing(DOING))?.ok_or_else(hole)?;
        position -= 1;
    }
    Ok(seqs)
}

/// At most `limit` events of all runs after `after`.
pub(crate) fn tail(connection: &Connection, after: Seq, limit: u32) -> Result<Vec<LoggedEvent>, LogError> {
    const DOING: &str = "read the latest events";
    let sql = format!("{SELECT} WHERE e.seq > ?1 ORDER BY e.seq LIMIT ?2");
    let mut statement = connection.prepare_cached(&sql).map_err(while_doing(DOING))?;
    let after = i64::try_from(after.0).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![after, limit], Row::read).map_err(while_doing(DOING))?;
    let mut events = Vec::new();
    for row in rows {
        let row = row.map_err(while_doing(DOING))?;
        if let Ok(run) = RunId::new(&row.run) {
            events.extend(logged(&row, run).ok());
        }
    }
    Ok(events)
}

fn logged(row: &Row, run: RunId) -> Result<LoggedEvent, crate::record::Unreadable> {
    let (seq, position) = (Seq(row.seq.unsigned_abs()), Position(row.position));
    Ok(LoggedEvent { seq, run, position, json: row.text()? })
}
