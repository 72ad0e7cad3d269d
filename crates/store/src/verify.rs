//! The full check: the files, the schema, every page, every event's checksum, and what is derived from events.
//!
//! It changes nothing, and may run beside processes that write.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use candor_model::{Event, EventBody, Position, RunId};
use candor_ports::LogError;
use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;

use crate::OpenOptions;
use crate::error::{at_path, is_damage};
use crate::files::Files;
use crate::query;
use crate::record::{Row, SELECT, Unreadable};
use crate::report::{Finding, Verification};
use crate::schema::{self, NEWEST, open_reader};

const DOING: &str = "verify the log";

/// How many problems of one kind are told.
const MOST_TOLD: usize = 20;

/// How long to wait before files are read again that another process may have been writing to.
const READ_AGAIN: Duration = Duration::from_millis(100);

/// Verifies the log at `path`. A log that is damaged is no error: the problems are in the answer.
pub fn verify(path: &Path) -> Result<Verification, LogError> {
    let failed = |error| at_path(DOING, path, error);
    let mut files = Files::read(path).map_err(failed)?;
    let mut problems = files.problems();
    if !problems.is_empty() {
        // Read while another process wrote, files may look damaged; damage stays.
        std::thread::sleep(READ_AGAIN);
        files = Files::read(path).map_err(failed)?;
        problems = files.problems();
    }
    let mut verification = Verification { problems, ..Verification::default() };
    // SQLite would make a new index of the write-ahead log, and nothing would tell of the missing commits any more.
    if files.missing_frames().is_some() {
        return Ok(verification);
    }
    match look_inside(path, &mut verification) {
        Err(error) if is_damage(&error) => verification.tell(error.to_string()),
        Err(error) => return Err(at_path(DOING, path, error)),
        Ok(found) if found > NEWEST => return Err(LogError::NewerSchema { found, known: NEWEST }),
        Ok(_) => {}
    }
    Ok(verification)
}

/// Returns the version of the schema.
fn look_inside(path: &Path, verification: &mut Verification) -> rusqlite::Result<i64> {
    let connection = open_reader(path, &OpenOptions::default())?;
    let snapshot = connection.unchecked_transaction()?;
    let mut version = schema::version(&snapshot)?;
    if version > NEWEST {
        if !schema::differences(&snapshot, NEWEST)?.is_empty() {
            return Ok(version);
        }
        // A newer program would have changed the tables.
        verification
            .tell(format!("the schema version in the header is damaged: {version} instead of {NEWEST}"));
        version = NEWEST;
    }
    let differences = schema::differences(&snapshot, version)?;
    let usable = differences.is_empty();
    verification.problems.extend(differences);
    pages(&snapshot, verification)?;
    let tracks = every_event(&snapshot, verification)?;
    verification.runs = tracks.len() as u64;
    // An older log has not all of these tables yet; they are made from events when it is opened.
    if usable && version == NEWEST {
        every_run(&snapshot, &tracks, verification)?;
        outcomes(&snapshot, &tracks, verification)?;
    }
    Ok(version)
}

/// Has SQLite look at all pages and indexes.
fn pages(connection: &Connection, verification: &mut Verification) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&format!("PRAGMA integrity_check({MOST_TOLD})"))?;
    let verdicts = statement.query_map([], |row| row.get::<_, String>(0))?;
    for verdict in verdicts {
        let verdict = verdict?;
        verdict.lines().filter(|line| *line != "ok").for_each(|line| verification.tell(line.to_owned()));
    }
    Ok(())
}

/// How far a run could be followed, and what it ended with.
#[derive(Default)]
struct Track {
    position: u64,
    seq: i64,
    outcome: Option<Value>,
}

/// Looks at every event: its checksum, and whether it follows the one before.
fn every_event(
    connection: &Connection,
    verification: &mut Verification,
) -> rusqlite::Result<BTreeMap<String, Track>> {
    let mut tracks: BTreeMap<String, Track> = BTreeMap::new();
    let mut statement = connection.prepare(&format!("{SELECT} ORDER BY e.seq"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let row = Row::read(row)?;
        verification.events += 1;
        let track = tracks.entry(row.run.clone()).or_default();
        if let Some(reason) = track.follow(&row) {
            let finding = Finding { run: row.run, position: Position(row.position), reason };
            verification.tell(finding.to_string());
        }
    }
    Ok(tracks)
}

impl Track {
    fn follow(&mut self, row: &Row) -> Option<String> {
        let expected = self.position + 1;
        let in_order = row.position == expected && row.prev == self.seq;
        (self.position, self.seq) = (row.position, row.seq);
        match row.event() {
            Err(Unreadable::Damaged(reason)) => return Some(reason),
            Ok(Event { body: EventBody::OutcomeRecorded(record), .. }) if record.measured.is_some() => {
                self.outcome = serde_json::to_value(&record.outcome).ok();
            }
            _ => {}
        }
        (!in_order)
            .then(|| format!("it does not follow the event before it: event {expected} was expected here"))
    }
}

/// Looks at the list of runs: where each ends, and what is told of it there.
fn every_run(
    connection: &Connection,
    tracks: &BTreeMap<String, Track>,
    verification: &mut Verification,
) -> rusqlite::Result<()> {
    let mut listed = 0;
    for (id, track) in tracks {
        let Some(head) = query::head(connection, id)? else {
            verification.tell(format!("run {id} is missing from the list of runs"));
            continue;
        };
        listed += 1;
        if (head.position, head.seq) != (track.position, track.seq) {
            verification.tell(format!("run {id} ends at event {}, not at {}", track.position, head.position));
            continue;
        }
        let Ok(run) = RunId::new(id) else { continue };
        let sql = "SELECT body FROM summaries WHERE no = ?1";
        let stored: Option<String> =
            connection.prepare_cached(sql)?.query_row([head.summary], |row| row.get(0)).optional()?;
        let fresh = query::rebuilt(connection, &run, &head)?;
        let agrees = stored.as_deref().is_none_or(|stored| agree(stored, serde_json::to_value(&fresh).ok()));
        if !agrees {
            verification.tell(format!("run {id}: its entry in the list of runs is damaged"));
        }
    }
    let all: i64 = connection.query_row("SELECT count(*) FROM runs", [], |row| row.get(0))?;
    if all != listed {
        verification.tell(format!("{} runs in the list have no events", all - listed));
    }
    Ok(())
}

/// What is learned from runs, of those that are still here.
fn outcomes(
    connection: &Connection,
    tracks: &BTreeMap<String, Track>,
    verification: &mut Verification,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT run, body FROM outcomes")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    for row in rows {
        let (run, body) = row?;
        let fresh = tracks.get(&run).and_then(|track| track.outcome.clone());
        if !agree(&body, fresh) {
            verification.tell(format!("run {run}: what was learned from it is damaged"));
        }
    }
    Ok(())
}

/// Whether a stored text says what events say. What a newer program would say in addition is no difference.
fn agree(stored: &str, fresh: Option<Value>) -> bool {
    let Ok(Value::Object(stored)) = serde_json::from_str(stored) else { return false };
    let Some(Value::Object(fresh)) = fresh else { return true };
    let moving = |key: &str| matches!(key, "updated_at" | "progress_percentage" | "spent");
    stored
        .iter()
        .filter(|(key, _)| !moving(key))
        .all(|(key, value)| fresh.get(key).is_none_or(|fresh| fresh == value))
}
