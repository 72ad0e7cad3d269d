//! Events becoming rows.

use std::sync::LazyLock;

use rusqlite::{CachedStatement, Connection, params};

use crate::record::Encoded;

/// Inserts events, several with one statement: what a statement costs beside its rows is half of it.
pub(crate) struct Inserter<'c> {
    connection: &'c Connection,
    one: CachedStatement<'c>,
    several: CachedStatement<'c>,
    waiting: Vec<EventRow<'c>>,
}

/// How many events one statement inserts at most.
const AT_ONCE: usize = 16;

/// An event that is about to be a row.
pub(crate) struct EventRow<'a> {
    pub(crate) seq: i64,
    pub(crate) run: &'a str,
    pub(crate) position: u64,
    /// The row of the event before it in the same run; 0 for the first.
    pub(crate) prev: i64,
    pub(crate) event: &'a Encoded,
}

impl EventRow<'_> {
    /// How many columns it has.
    const COLUMNS: usize = 7;

    fn bind(&self, statement: &mut CachedStatement<'_>, nth: usize) -> rusqlite::Result<()> {
        let first = nth * Self::COLUMNS;
        statement.raw_bind_parameter(first + 1, self.seq)?;
        statement.raw_bind_parameter(first + 2, self.run)?;
        statement.raw_bind_parameter(first + 3, stored(self.position)?)?;
        statement.raw_bind_parameter(first + 4, self.prev)?;
        statement.raw_bind_parameter(first + 5, self.event.crc)?;
        statement.raw_bind_parameter(first + 6, self.event.text.as_str())?;
        let hash = self.event.large.as_ref().map(|(hash, _)| hash.as_slice());
        statement.raw_bind_parameter(first + 7, hash)
    }
}

impl<'c> Inserter<'c> {
    /// Prepares the statements once for many events.
    pub(crate) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        static SQL: LazyLock<[String; 2]> = LazyLock::new(|| [1, AT_ONCE].map(insert_events));
        let [one, several] = &*SQL;
        let (one, several) = (connection.prepare_cached(one)?, connection.prepare_cached(several)?);
        Ok(Self { connection, one, several, waiting: Vec::with_capacity(AT_ONCE) })
    }

    /// Inserts an event with the next ones.
    pub(crate) fn insert(&mut self, row: EventRow<'c>) -> rusqlite::Result<()> {
        self.waiting.push(row);
        if self.waiting.len() < AT_ONCE {
            return Ok(());
        }
        for (nth, row) in self.waiting.drain(..).enumerate() {
            keep_large(self.connection, row.event)?;
            row.bind(&mut self.several, nth)?;
        }
        self.several.raw_execute().map(|_| ())
    }

    /// Inserts an event at once.
    pub(crate) fn insert_now(&mut self, row: &EventRow<'_>) -> rusqlite::Result<()> {
        keep_large(self.connection, row.event)?;
        row.bind(&mut self.one, 0)?;
        self.one.raw_execute().map(|_| ())
    }

    /// Inserts what still waits.
    pub(crate) fn finish(&mut self) -> rusqlite::Result<()> {
        std::mem::take(&mut self.waiting).iter().try_for_each(|row| self.insert_now(row))
    }
}

/// A failure rolls everything back, as the group does with any failure: SQLite then keeps no journal of what each
/// statement changed.
fn insert_events(count: usize) -> String {
    let row = format!("({})", ["?"; EventRow::COLUMNS].join(", "));
    let rows = vec![row; count].join(", ");
    format!("INSERT OR ROLLBACK INTO events (seq, run, position, prev, crc, body, blob) VALUES {rows}")
}

/// Keeps the large part of an event, if it has one.
fn keep_large(connection: &Connection, event: &Encoded) -> rusqlite::Result<()> {
    let Some((hash, rest)) = &event.large else { return Ok(()) };
    let sql = "INSERT INTO blobs (hash, body) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING";
    connection.prepare_cached(sql)?.execute(params![hash.as_slice(), rest]).map(|_| ())
}

/// A position as SQLite keeps it.
pub(crate) fn stored(position: u64) -> rusqlite::Result<i64> {
    i64::try_from(position).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}
