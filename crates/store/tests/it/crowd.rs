//! Many runs that append at once: their rows are written now and then, and nobody may notice.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::common::{Place, ended, fill, numbered, open, readable, run};
use candor_model::{Account, Event, EventBody, Money, Position};
use candor_ports::{EventLog, LogError, Retention, RunEntry, RunFilter};
use candor_store::SqliteLog;

/// More than have their rows written with every commit.
const CROWD: usize = 40;

/// An event that moves no summary, only a figure of the run's row.
fn charged(total: u32) -> Event {
    let money = |dollars: u32| Money::from_dollars(f64::from(dollars)).unwrap();
    let what = format!("call {total}");
    let (account, amount, sum) = (Account::Execution, money(1), money(total));
    let body = EventBody::Charged { account, what, amount, total: sum, payee: None };
    Event::new(crate::common::at(i64::from(total)), body)
}

fn at(end: u32) -> Position {
    Position(u64::from(end))
}

fn name(n: usize) -> String {
    format!("run_{n:02}")
}

/// Each run of the crowd appends the event of this turn, all at once.
async fn turn(log: &SqliteLog, n: u32) {
    turn_of(log, name, n).await;
}

async fn turn_of(log: &SqliteLog, name: impl Fn(usize) -> String, turn: u32) {
    let tasks: Vec<_> = (0..CROWD)
        .map(|n| {
            let (log, run) = (log.clone(), run(&name(n)));
            tokio::spawn(async move { log.append(&run, at(turn - 1), &[charged(turn)]).await })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap().unwrap(), at(turn));
    }
}

/// Has the crowd append until rows are behind; returns how often it did.
async fn crowd(place: &Place, log: &SqliteLog) -> u32 {
    for n in 1..100 {
        turn(log, n).await;
        // Several times in any case: there is to be something to read.
        if n >= 5 && rows_behind(place, n) > 0 {
            return n;
        }
    }
    panic!("no row is ever behind: these tests would show nothing");
}

async fn listed(log: &SqliteLog) -> Vec<RunEntry> {
    log.runs(RunFilter::default()).await.unwrap()
}

fn ends(entries: &[RunEntry]) -> Vec<(String, Position, Money)> {
    let mut ends: Vec<_> = entries
        .iter()
        .map(|entry| (entry.summary.run_id.to_string(), entry.head, entry.summary.spent))
        .collect();
    ends.sort();
    ends
}

/// How many rows in the file are behind what was appended.
fn rows_behind(place: &Place, end: u32) -> u32 {
    let sql = "SELECT count(*) FROM runs WHERE position < ?1";
    place.raw().query_row(sql, [end], |row| row.get(0)).unwrap()
}

fn all_at(turns: u32) -> Vec<(String, Position, Money)> {
    let spent = Money::from_dollars(f64::from(turns)).unwrap();
    (0..CROWD).map(|n| (name(n), at(turns), spent)).collect()
}

#[tokio::test]
async fn what_rows_do_not_say_yet_is_listed_and_read_all_the_same() {
    let place = Place::new();
    let log = place.open();
    let end = crowd(&place, &log).await;
    assert_eq!(ends(&listed(&log).await), all_at(end));
    for n in 0..CROWD {
        let read = readable(&log, &run(&name(n))).await.unwrap();
        assert_eq!(read, (1..=end).map(charged).collect::<Vec<_>>());
    }
    // Another process, which knows nothing of the first one's memory.
    assert_eq!(ends(&listed(&place.open()).await), all_at(end));
}

#[tokio::test]
async fn the_list_keeps_its_order_and_its_limits() {
    let place = Place::new();
    let log = place.open();
    let end = crowd(&place, &log).await;
    let all = listed(&log).await;
    let few = log.runs(RunFilter { limit: Some(3), ..RunFilter::default() }).await.unwrap();
    assert_eq!(few, all[..3], "the first three are those that changed last");
    // One run goes on alone, another one ends.
    log.append(&run(&name(7)), at(end), &[charged(end + 1)]).await.unwrap();
    log.append(&run(&name(9)), at(end), &[ended(7)]).await.unwrap();
    let latest: Vec<_> =
        listed(&log).await.into_iter().map(|entry| entry.summary.run_id.to_string()).collect();
    assert_eq!(latest[..2], [name(9), name(7)]);
    let unfinished = RunFilter { unfinished_only: true, ..RunFilter::default() };
    assert_eq!(log.runs(unfinished).await.unwrap().len(), CROWD - 1);
}

#[tokio::test]
async fn after_a_kill_the_rows_are_put_in_order_and_nothing_is_missing() {
    let place = Place::new();
    let log = place.open();
    let end = crowd(&place, &log).await;
    let killed = Place::new();
    std::fs::copy(place.path.with_file_name("log.db-wal"), killed.path.with_file_name("log.db-wal")).unwrap();
    std::fs::copy(&place.path, &killed.path).unwrap();
    assert_eq!(candor_store::verify(&killed.path).unwrap().problems, [""; 0]);
    let (after, report) = open(&killed.path);
    assert!(report.is_clean(), "{report}");
    assert_eq!(rows_behind(&killed, end), 0);
    assert_eq!(ends(&listed(&after).await), ends(&listed(&log).await));
    turn(&after, end + 1).await;
    assert_eq!(ends(&listed(&after).await), all_at(end + 1));
}

#[tokio::test]
async fn a_damaged_record_that_no_row_knows_of_is_told_and_repaired() {
    let place = Place::new();
    let log = place.open();
    let end = crowd(&place, &log).await;
    drop(log);
    let raw = place.raw();
    let damage = |change: &str, run: &str| {
        raw.execute(&format!("UPDATE events SET {change} WHERE run = '{run}' AND position = {end}"), [])
            .unwrap()
    };
    damage("body = substr(body, 1, 20)", "run_03");
    damage("run = 'nobody'", "run_04");
    drop(raw);
    let (log, report) = open(&place.path);
    let told: Vec<_> = report.damaged.iter().map(|found| (found.run.as_str(), found.position)).collect();
    assert!(told.contains(&("run_03", at(end))) && told.contains(&("nobody", at(end))), "{report}");
    drop(log);
    candor_store::repair(&place.path, None).unwrap();
    let (log, _) = open(&place.path);
    for n in [3, 4] {
        assert_eq!(readable(&log, &run(&name(n))).await.unwrap().len(), end as usize - 1);
        assert_eq!(log.append(&run(&name(n)), at(end - 1), &[charged(9)]).await.unwrap(), at(end));
    }
    drop(log);
    assert_eq!(candor_store::verify(&place.path).unwrap().problems, [""; 0]);
}

#[tokio::test]
async fn another_process_sees_the_true_ends_and_so_does_the_first_one_after_it() {
    let place = Place::new();
    let (log, other) = (place.open(), place.open());
    let end = crowd(&place, &log).await;
    let stale = other.append(&run(&name(0)), at(end - 1), &[charged(end)]).await;
    assert!(matches!(stale, Err(LogError::Stale { actual, .. }) if actual == at(end)), "{stale:?}");
    turn(&other, end + 1).await;
    turn(&log, end + 2).await;
    assert_eq!(ends(&listed(&other).await), all_at(end + 2));
}

#[tokio::test]
async fn what_one_process_left_behind_is_not_forgotten_over_what_another_one_does() {
    let place = Place::new();
    let (log, other) = (place.open(), place.open());
    let end = crowd(&place, &log).await;
    for n in 1..=5 {
        turn_of(&other, |n| format!("strange_{n}"), n).await;
    }
    let all = ends(&listed(&log).await);
    assert_eq!(all[..CROWD], all_at(end));
    assert_eq!(all.len(), 2 * CROWD);
}

/// A run that has ended may still be charged for something. Where it ends is then behind in its row, and retention
/// that believed the row would leave events of nobody.
#[tokio::test]
async fn retention_sees_what_rows_do_not_say_yet() {
    let place = Place::new();
    let log = place.open();
    let mut end = crowd(&place, &log).await;
    for n in 0..CROWD {
        let event = if n == 0 { ended(6) } else { charged(end + 1) };
        log.append(&run(&name(n)), at(end), &[event]).await.unwrap();
    }
    end += 1;
    while rows_behind(&place, end) < CROWD as u32 {
        assert!(end < 200, "the ended run's row is never behind: this test would show nothing");
        end += 1;
        turn(&log, end).await;
    }
    assert_eq!(log.remove_ended_before(crate::common::at(i64::MAX), 0).await.unwrap(), 1);
    assert_eq!(listed(&log).await.len(), CROWD - 1);
    let left = |name: &str| -> i64 {
        let sql = "SELECT count(*) FROM events WHERE run = ?1";
        place.raw().query_row(sql, [name], |row| row.get(0)).unwrap()
    };
    assert_eq!((left(&name(0)), left(&name(1))), (0, i64::from(end)));
}

/// Whoever waits for several things at once may leave one of them alone for long.
#[tokio::test]
async fn an_append_that_is_left_alone_holds_up_nobody_else() {
    let place = Place::new();
    let log = place.open();
    // Commits are known to be quick, so that whoever appends also commits.
    fill(&log, &run("before"), 3).await;
    let (left, first) = (run("left"), [numbered(1)]);
    let mut alone = pin!(log.append(&left, Position::START, &first));
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(alone.as_mut().poll(&mut context), Poll::Pending));
    fill(&log, &run("other"), 5).await;
    assert_eq!(alone.await.unwrap(), Position(1));
    assert_eq!(readable(&log, &left).await.unwrap().len(), 1);
}
