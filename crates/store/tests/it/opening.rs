//! Many who open one new log at once, and one who has it for long.

use std::time::{Duration, Instant};

use crate::common::{Place, fill, readable, run};
use candor_ports::LogError;
use candor_store::{OpenOptions, SqliteLog};
use rusqlite::Connection;

/// Somebody who has the file for himself from now on, for so long.
fn held<'scope>(scope: &'scope std::thread::Scope<'scope, '_>, place: &Place, time: Duration) {
    let holder = Connection::open(&place.path).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    scope.spawn(move || {
        std::thread::sleep(time);
        holder.execute_batch("ROLLBACK").unwrap();
    });
}

/// One operation has less patience than opening has.
const OPTIONS: OpenOptions = OpenOptions {
    queue: 8,
    readers: 2,
    open_timeout: Duration::from_secs(30),
    busy_timeout: Duration::from_millis(50),
    large_body: 1024,
};

#[tokio::test]
async fn a_new_log_that_another_process_holds_is_waited_for_and_that_is_told_once() {
    let place = Place::new();
    let mut told = Vec::new();
    let log = std::thread::scope(|scope| {
        let began = Instant::now();
        held(scope, &place, Duration::from_millis(3_500));
        let mut waits = || told.push(began.elapsed());
        SqliteLog::open_telling(&place.path, OPTIONS, &mut waits).unwrap().0
    });
    assert_eq!(told.len(), 1);
    assert!((Duration::from_secs(2)..Duration::from_millis(3_400)).contains(&told[0]), "{told:?}");
    fill(&log, &run("a"), 3).await;
    assert_eq!(readable(&log, &run("a")).await.unwrap().len(), 3);
}

#[test]
fn a_short_wait_is_not_told() {
    let place = Place::new();
    let mut told = 0;
    std::thread::scope(|scope| {
        held(scope, &place, Duration::from_millis(600));
        SqliteLog::open_telling(&place.path, OPTIONS, &mut || told += 1).unwrap();
    });
    assert_eq!(told, 0);
}

#[test]
fn a_log_that_is_held_for_too_long_is_refused_as_locked() {
    let place = Place::new();
    let options = OpenOptions { open_timeout: Duration::from_millis(300), ..OPTIONS };
    std::thread::scope(|scope| {
        held(scope, &place, Duration::from_millis(1_500));
        let refused = SqliteLog::open(&place.path, options).unwrap_err();
        assert!(matches!(&refused, LogError::Locked { path } if *path == place.path), "{refused}");
    });
    SqliteLog::open(&place.path, options).unwrap();
}
