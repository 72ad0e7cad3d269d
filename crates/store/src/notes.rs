//! The installation's streams: one append-only table, read by stream and time.

use candor_model::{RunFigures, RunId, Timestamp};
use candor_ports::{LogError, Stream, StreamNote};
use rusqlite::{Connection, params};

use crate::error::while_doing;

/// Appends a note to an installation stream.
pub(crate) fn append(connection: &Connection, note: &StreamNote) -> rusqlite::Result<()> {
    let run = note.run.as_ref().map(RunId::as_str);
    let body = note.body.to_string();
    insert(connection, note.stream, note.at, run, &note.key, &body)
}

/// Appends the figures of a run. A run that ends again writes them again; readers take the latest.
pub(crate) fn append_figures(
    connection: &Connection,
    run: &RunId,
    at: Timestamp,
    figures: &RunFigures,
) -> rusqlite::Result<()> {
    let body = serde_json::to_string(figures)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    insert(connection, Stream::Figures, at, Some(run.as_str()), run.as_str(), &body)
}

fn insert(
    connection: &Connection,
    stream: Stream,
    at: Timestamp,
    run: Option<&str>,
    key: &str,
    body: &str,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO notes (stream, at, run, key, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    let values = params![stream.as_str(), at.as_millis(), run, key, body];
    connection.prepare_cached(sql)?.execute(values).map(|_| ())
}

/// Reads a stream from `since` on. A note that cannot be read is left out: the others still hold.
pub(crate) fn read(
    connection: &Connection,
    stream: Stream,
    since: Timestamp,
) -> Result<Vec<StreamNote>, LogError> {
    rows(connection, stream, since).map_err(while_doing("read the installation's streams"))
}

fn rows(connection: &Connection, stream: Stream, since: Timestamp) -> rusqlite::Result<Vec<StreamNote>> {
    let mut statement = connection
        .prepare_cached("SELECT at, run, key, body FROM notes WHERE stream = ?1 AND at >= ?2 ORDER BY seq")?;
    let rows = statement.query_map(params![stream.as_str(), since.as_millis()], |row| {
        let at = Timestamp::from_millis(row.get(0)?);
        let run = row.get::<_, Option<String>>(1)?.and_then(|run| RunId::new(run).ok());
        let (key, body): (String, String) = (row.get(2)?, row.get(3)?);
        Ok(serde_json::from_str(&body).ok().map(|body| StreamNote { stream, at, run, key, body }))
    })?;
    rows.filter_map(Result::transpose).collect()
}
