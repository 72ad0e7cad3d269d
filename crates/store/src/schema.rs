//! The tables, as an ordered list of migrations, and how every connection is set up.
//!
//! A migration that has been released is never edited; a change is a new entry at the end.

use std::collections::BTreeMap;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use candor_ports::{LogError, private};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::OpenOptions;

/// What leads from one version to the next; the first entry makes version 1.
const MIGRATIONS: &[&str] = &[
    // `runs` is narrow on purpose (see the crate's docs). `events.run` repeats the id, so that a record can
    // be told from its own row alone when other pages are lost. `floor` keeps sequence numbers from being
    // used twice after the highest ones were removed.
    "CREATE TABLE runs (
        no INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        position INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        ended INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        summary INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE summaries (
        no INTEGER PRIMARY KEY,
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE events (
        seq INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        position INTEGER NOT NULL,
        prev INTEGER NOT NULL,
        crc INTEGER NOT NULL,
        body TEXT NOT NULL,
        blob BLOB
    ) STRICT;
    CREATE INDEX events_by_blob ON events (blob) WHERE blob IS NOT NULL;
    CREATE TABLE blobs (
        no INTEGER PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE,
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE quarantine (
        no INTEGER PRIMARY KEY,
        seq INTEGER NOT NULL,
        run TEXT NOT NULL,
        position INTEGER NOT NULL,
        reason TEXT NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE floor (seq INTEGER NOT NULL) STRICT;
    INSERT INTO floor VALUES (0);",
    // Two figures of a run's summary move with every task; in the run's own row they cost nothing more. Absent
    // means that the summary has them. What runs teach outlives them: retention leaves these two alone. A run that was rolled back and ended
    // again counts once, with its last end.
    "ALTER TABLE runs ADD COLUMN progress REAL;
    ALTER TABLE runs ADD COLUMN spent INTEGER;
    CREATE TABLE outcomes (
        no INTEGER PRIMARY KEY,
        run TEXT NOT NULL UNIQUE,
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE measures (
        run TEXT NOT NULL,
        agent TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        successes INTEGER NOT NULL,
        latency_ms INTEGER NOT NULL,
        cost_micros INTEGER NOT NULL,
        PRIMARY KEY (run, agent)
    ) STRICT, WITHOUT ROWID;",
    // What routing learns from, and whose circuit is open: of the installation, like the two above.
    "CREATE TABLE examples (
        no INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        agent TEXT NOT NULL,
        text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX examples_by_run ON examples (run);
    CREATE INDEX examples_by_agent ON examples (agent);
    CREATE TABLE breakers (
        id TEXT PRIMARY KEY,
        body TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;",
    // From which event on the rows of runs may be behind; 0 if none is. See `tail`.
    "ALTER TABLE floor ADD COLUMN unsettled INTEGER NOT NULL DEFAULT 0;",
    // What each success took, for estimates. Absent for those that were kept before.
    "ALTER TABLE examples ADD COLUMN took_ms INTEGER;
    ALTER TABLE examples ADD COLUMN cost_micros INTEGER;",
    "ALTER TABLE examples ADD COLUMN tokens INTEGER;",
    // The installation's streams. They are never changed and never removed: retention leaves them alone.
    "CREATE TABLE notes (
        seq INTEGER PRIMARY KEY,
        stream TEXT NOT NULL,
        at INTEGER NOT NULL,
        run TEXT,
        key TEXT NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX notes_by_stream ON notes (stream, at);",
    // The sums of `measures`, so that a run begins as quickly after a hundred thousand runs as after ten.
    "CREATE TABLE totals (
        agent TEXT PRIMARY KEY,
        attempts INTEGER NOT NULL,
        successes INTEGER NOT NULL,
        latency_ms INTEGER NOT NULL,
        cost_micros INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO totals SELECT agent, sum(attempts), sum(successes), sum(latency_ms), sum(cost_micros)
    FROM measures GROUP BY agent;",
    // The runs that changed last and those that have not ended, without looking at all runs. A run that goes on touches neither:
    // it is not in the first, and its number in the second stays.
    "CREATE INDEX runs_ended ON runs (seq) WHERE ended = 1;
    CREATE INDEX runs_open ON runs (no) WHERE ended = 0;",
];

/// The newest schema version that this program knows.
pub(crate) const NEWEST: i64 = MIGRATIONS.len() as i64;

/// Why a database could not be made ready.
#[derive(Debug)]
pub(crate) enum SetUpError {
    /// Error of SQLite.
    Sqlite(rusqlite::Error),
    /// It may not be used by this program.
    Refused(LogError),
}

impl From<rusqlite::Error> for SetUpError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Whether another process is just writing.
pub(crate) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Opens the connection that writes, or says that another process is in the way. Nothing is changed before the version is
/// known to be ours.
pub(crate) fn open_writer(
    path: &Path,
    options: &OpenOptions,
) -> Result<(Connection, Option<i64>), SetUpError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    make_private(path);
    let mut connection = Connection::open_with_flags(path, flags)?;
    prepare(&connection, options)?;
    let (found, has_tables) = what_is_there(&mut connection)?;
    if found > NEWEST {
        return Err(SetUpError::Refused(LogError::NewerSchema { found, known: NEWEST }));
    }
    if found < 0 || (found == 0 && has_tables) {
        let problem = "it is a database of another program, not a log of Candor";
        return Err(SetUpError::Refused(crate::error::at_path("open the log", path, problem)));
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // See `checkpoint`.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    let migrated_from = migrate(&mut connection)?;
    Ok((connection, migrated_from))
}

/// Makes an empty file that only its owner may read: SQLite would go by the umask. The files beside it get its mode.
fn make_private(path: &Path) {
    // Where a file cannot be made, opening it says why.
    let _ = std::fs::OpenOptions::new().write(true).create_new(true).mode(private::FILE).open(path);
}

/// Opens another connection that may write, to a file that is ready.
pub(crate) fn open_beside_writer(path: &Path, options: &OpenOptions) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    prepare(&connection, options)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

/// Opens a connection that only reads.
pub(crate) fn open_reader(path: &Path, options: &OpenOptions) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    prepare(&connection, options)?;
    Ok(connection)
}

fn prepare(connection: &Connection, options: &OpenOptions) -> rusqlite::Result<()> {
    connection.busy_timeout(options.busy_timeout)?;
    connection.set_prepared_statement_cache_capacity(64);
    // SQLite is built with STAT4 here, and would compile a prepared statement anew whenever another value is
    // bound to it, to see whether the value suggests a better plan. Our statements have one plan each.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// The version that the tables have.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// How the tables and indexes differ from those of this version.
pub(crate) fn differences(connection: &Connection, version: i64) -> rusqlite::Result<Vec<String>> {
    let expected = Connection::open_in_memory()?;
    for step in MIGRATIONS.iter().take(usize::try_from(version).unwrap_or(0)) {
        expected.execute_batch(step)?;
    }
    let (expected, mut found) = (definitions(&expected)?, definitions(connection)?);
    if found.is_empty() {
        return Ok(vec!["the log has no tables".to_owned()]);
    }
    let mut told = Vec::new();
    for (name, definition) in expected {
        match found.remove(&name) {
            None => told.push(format!("{name} is missing")),
            Some(other) if other != definition => told.push(format!("the definition of {name} is damaged")),
            Some(_) => {}
        }
    }
    told.extend(found.keys().map(|name| format!("{name} is not part of a log")));
    Ok(told)
}

/// Each table and index with the text that defines it.
fn definitions(connection: &Connection) -> rusqlite::Result<BTreeMap<String, String>> {
    let sql = "SELECT type || ' ' || name, tbl_name || ': ' || coalesce(sql, '') FROM sqlite_schema
               WHERE name NOT LIKE 'sqlite_stat%'";
    let mut statement = connection.prepare(sql)?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The version, and whether there are tables: both at one moment, since another process may be making them.
fn what_is_there(connection: &mut Connection) -> rusqlite::Result<(i64, bool)> {
    let snapshot = connection.transaction()?;
    Ok((version(&snapshot)?, has_tables(&snapshot)?))
}

fn has_tables(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

/// Brings the tables up to date in one transaction; returns the version that was there, if it was older.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<Option<i64>> {
    if version(connection)? == NEWEST {
        return Ok(None);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Asked again under the lock: another process may have been quicker.
    let found = version(&transaction)?;
    let done = usize::try_from(found).unwrap_or(0);
    for step in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", NEWEST)?;
    transaction.commit()?;
    Ok((found > 0 && found < NEWEST).then_some(found))
}
