//! The write-ahead log goes back into the file while runs append, and never grows without end.

use crate::common::{Place, paused, run};
use candor_model::Position;
use candor_ports::EventLog;
use candor_store::SqliteLog;
use rusqlite::Connection;

/// How many pages the log may have until it goes back, and some more that are appended meanwhile.
const LONG: i64 = 4_000;
const LONGER: i64 = 2 * LONG;

/// Bytes of one event: it fills some pages, and is not kept apart.
const LARGE: usize = 20_000;

/// Appends to a run, whose log ends at `end`, until so many more pages are written.
async fn append(log: &SqliteLog, name: &str, end: u64, pages: i64) -> u64 {
    let events = u64::try_from(pages).unwrap() * 4_096 / LARGE as u64;
    for n in end..end + events {
        let at = log.append(&run(name), Position(n), &[paused(n, &"x".repeat(LARGE))]).await.unwrap();
        assert_eq!(at, Position(n + 1));
    }
    end + events
}

/// How many pages are in the log, whether or not they are in the file already.
fn pages_in_log(place: &Place) -> i64 {
    place.raw().query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get(1)).unwrap()
}

fn in_file(place: &Place) -> i64 {
    i64::try_from(std::fs::metadata(&place.path).unwrap().len()).unwrap() / 4_096
}

#[tokio::test]
async fn a_log_that_is_long_goes_back_into_the_file_while_runs_append() {
    let place = Place::new();
    let log = place.open();
    let mut longest = 0;
    let mut end = 0;
    for _ in 0..20 {
        end = append(&log, "run_1", end, LONG / 4).await;
        longest = longest.max(pages_in_log(&place));
    }
    assert!((LONG / 2..LONGER).contains(&longest), "{longest} pages were in the log");
    assert!(in_file(&place) > 2 * LONG, "{} pages are in the file", in_file(&place));
    drop(log);
    let problems = candor_store::verify(&place.path).unwrap().problems;
    assert_eq!(problems, [""; 0], "every page and every record is whole");
}

#[tokio::test]
async fn whoever_reads_for_long_holds_up_no_append_and_the_log_begins_anew_afterwards() {
    let place = Place::new();
    let log = place.open();
    let end = append(&log, "run_1", 0, 10).await;
    let observer = place.raw();
    observer.execute_batch("BEGIN").unwrap();
    let seen = |observer: &Connection| {
        observer.query_row("SELECT max(seq) FROM events", [], |row| row.get::<_, u32>(0)).unwrap()
    };
    assert_eq!(u64::from(seen(&observer)), end);
    let end = append(&log, "run_1", end, 2 * LONG).await;
    assert_eq!(seen(&observer), 2, "it sees what it saw");
    assert!(pages_in_log(&place) >= 2 * LONG, "what it sees is not overwritten");
    drop(observer);
    append(&log, "run_1", end, LONGER).await;
    assert!(pages_in_log(&place) < 2 * LONG, "{}", pages_in_log(&place));
}

#[tokio::test]
async fn the_file_of_the_log_becomes_longer_in_few_steps() {
    let place = Place::new();
    let log = place.open();
    let length = || std::fs::metadata(place.folder.path().join("log.db-wal")).unwrap().len();
    let (mut before, mut steps) = (0, 0);
    for n in 0..200 {
        log.append(&run("run_1"), Position(n), &[paused(n, "a reason")]).await.unwrap();
        steps += u32::from(std::mem::replace(&mut before, length()) != before);
    }
    // Each append alone would make it longer.
    assert!((2..16).contains(&steps), "{steps} steps");
    assert!(length() < 8 * 200 * 4_096, "{} bytes", length());
    let read = log.read(&run("run_1"), Position::START).await.unwrap();
    assert_eq!(read.len(), 200);
    assert_eq!(candor_store::verify(&place.path).unwrap().problems, [""; 0], "room is no damage");
    // As after a kill: whoever opens the files reads what was committed, and nothing behind it.
    let copy = Place::new();
    for suffix in ["", "-wal", "-shm"] {
        let name = format!("log.db{suffix}");
        std::fs::copy(place.folder.path().join(&name), copy.folder.path().join(&name)).unwrap();
    }
    assert_eq!(copy.open().read(&run("run_1"), Position::START).await.unwrap(), read);
}

#[tokio::test]
async fn a_log_that_is_closed_meanwhile_is_one_whole_file() {
    let place = Place::new();
    let log = place.open();
    let end = append(&log, "run_1", 0, LONG + LONG / 8).await;
    drop(log);
    assert!(!place.folder.path().join("log.db-wal").exists(), "the file is closed");
    let log = place.open();
    assert_eq!(log.read(&run("run_1"), Position(end - 1)).await.unwrap().len(), 1);
}
