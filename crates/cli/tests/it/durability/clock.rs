//! A clock that was set back between two processes: the run goes on at once, and its own time does not go back.

use std::time::{Duration, Instant};

use candor_model::{Event, Position, RunId, Timestamp};
use candor_ports::EventLog;
use candor_store::{OpenOptions, SqliteLog};

use crate::durability::support::Place;

const HOUR: i64 = 3_600_000;

#[test]
fn a_run_whose_last_event_lies_in_the_future_is_resumed_without_waiting_for_the_clock() {
    let (before, after) = (Place::new(), Place::new());
    let plan = before.plan(
        "plan",
        &[("first", "quick", &[]), ("held", "patient", &["first"]), ("last", "quick", &["held"])],
    );
    let running = before.start_run("run_clock", &plan);
    before.begun("run_clock", "held");
    running.kill().expect("it was at work");

    // What the log looks like to a process whose clock stands an hour earlier.
    let mut events: Vec<Event> = before.log("run_clock").into_iter().map(|recorded| recorded.event).collect();
    for event in &mut events {
        event.at = Timestamp::from_millis(event.at.as_millis() + HOUR);
    }
    let future = events.last().unwrap().at;
    {
        let (log, _) = SqliteLog::open(&after.data().join("candor.db"), OpenOptions::default()).unwrap();
        let executor = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let run = RunId::new("run_clock").unwrap();
        executor.block_on(log.append(&run, Position::START, &events)).unwrap();
    }

    after.let_go("run_clock");
    let began = Instant::now();
    after.complete("run_clock");
    assert!(began.elapsed() < Duration::from_secs(20), "it waited for the clock: {:?}", began.elapsed());
    let log = after.log("run_clock");
    assert!(log.is_sorted_by_key(|recorded| recorded.event.at), "time went back: {log:?}");
    assert!(log.len() > events.len() && log.last().unwrap().event.at >= future);
    before.let_go("run_clock");
}
