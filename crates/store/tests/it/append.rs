//! Appending, reading, following and listing on real files.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::common::{Place, at, ended, events_of, fill, numbered, paused, run};
use candor_model::{Event, Position, RunId, RunStatus};
use candor_ports::{EventLog, LogError, Retention, RunFilter};
use candor_store::{OpenOptions, SqliteLog};
use proptest::prelude::*;

#[tokio::test]
async fn what_was_appended_is_read_back_in_order_after_a_restart() {
    // spec: beyond BY-01 BY-02 BY-11
    let place = Place::new();
    let log = place.open();
    let events: Vec<Event> = (1..=5).map(numbered).collect();
    assert_eq!(log.append(&run("a"), Position::START, &events[..2]).await.unwrap(), Position(2));
    assert_eq!(log.append(&run("a"), Position(2), &events[2..]).await.unwrap(), Position(5));
    drop(log);
    let log = place.open();
    let read = log.read(&run("a"), Position::START).await.unwrap();
    assert_eq!(events_of(&read), events);
    assert_eq!(read.iter().map(|r| r.position.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(events_of(&log.read(&run("a"), Position(3)).await.unwrap()), events[3..]);
    assert!(log.read(&run("a"), Position(u64::MAX)).await.unwrap().is_empty());
    assert!(log.read(&run("unknown"), Position::START).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_stale_writer_is_refused_and_nothing_of_it_is_written() {
    let place = Place::new();
    let log = place.open();
    let (first, second) = (run("a"), [numbered(7), numbered(8)]);
    let (left, right) = tokio::join!(
        log.append(&first, Position::START, &second),
        log.append(&first, Position::START, &second),
    );
    let refused = if left.is_ok() { right } else { left };
    let Err(LogError::Stale { run: named, expected, actual }) = refused else { panic!("both were accepted") };
    assert_eq!((named, expected, actual), (run("a"), Position(0), Position(2)));
    assert_eq!(log.read(&first, Position::START).await.unwrap().len(), 2);
    // A writer that is ahead is as wrong as one that is behind.
    assert!(matches!(log.append(&first, Position(9), &second).await, Err(LogError::Stale { .. })));
    assert!(matches!(log.append(&first, Position(u64::MAX), &second).await, Err(LogError::Stale { .. })));
    assert!(matches!(log.append(&run("b"), Position(1), &second).await, Err(LogError::Stale { .. })));
    assert!(matches!(log.append(&first, Position(2), &[]).await, Err(LogError::Empty { .. })));
    assert_eq!(log.runs(RunFilter::default()).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn sixty_four_runs_write_at_once_and_a_stale_one_among_them_harms_nobody() {
    let place = Place::new();
    let log = place.open();
    let tasks: Vec<_> = (0..64)
        .map(|n| {
            let log = log.clone();
            tokio::spawn(async move {
                let run = run(&format!("run_{n}"));
                let mut position = Position::START;
                for step in 0..20 {
                    if n == 0 {
                        let stale = log.append(&run, position.plus(1), &[numbered(999)]).await;
                        assert!(matches!(stale, Err(LogError::Stale { .. })));
                    }
                    position = log.append(&run, position, &[numbered(step)]).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    for n in 0..64 {
        let read = log.read(&run(&format!("run_{n}")), Position::START).await.unwrap();
        assert_eq!(events_of(&read), (0..20).map(numbered).collect::<Vec<_>>());
    }
    assert_eq!(log.runs(RunFilter::default()).await.unwrap().len(), 64);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_can_write_the_same_file() {
    let place = Place::new();
    let (one, two) = (place.open(), place.open());
    fill(&one, &run("a"), 3).await;
    // The second has never seen these; its memory of the file is older.
    assert!(matches!(two.append(&run("a"), Position(1), &[numbered(1)]).await, Err(LogError::Stale { .. })));
    assert_eq!(two.append(&run("a"), Position(3), &[numbered(4)]).await.unwrap(), Position(4));
    let stale = one.append(&run("a"), Position(3), &[numbered(4)]).await;
    assert!(matches!(stale, Err(LogError::Stale { actual: Position(4), .. })));
    let tasks: Vec<_> = [one.clone(), two.clone()]
        .into_iter()
        .enumerate()
        .map(|(n, log)| tokio::spawn(async move { fill(&log, &run(&format!("own_{n}")), 50).await }))
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    for log in [&one, &two] {
        for name in ["own_0", "own_1"] {
            assert_eq!(log.read(&run(name), Position::START).await.unwrap().len(), 50);
        }
        assert_eq!(log.read(&run("a"), Position::START).await.unwrap().len(), 4);
    }
}

#[tokio::test]
async fn appends_that_are_queued_are_finished_when_the_last_handle_goes() {
    let place = Place::new();
    let log = place.open();
    let task = tokio::spawn({
        let log = log.clone();
        async move { log.append(&run("a"), Position::START, &[numbered(1)]).await }
    });
    // The task has queued its append; then it is cancelled, and everything is dropped.
    tokio::task::yield_now().await;
    task.abort();
    let _ = task.await;
    drop(log);
    assert!(!place.folder.path().join("log.db-wal").exists(), "the file is closed");
    assert_eq!(place.open().read(&run("a"), Position::START).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_commit_that_fails_is_told_to_everyone_and_the_writer_goes_on() {
    let place = Place::new();
    let (log, _) =
        place.open_with(OpenOptions { busy_timeout: Duration::from_millis(50), ..OpenOptions::default() });
    fill(&log, &run("a"), 1).await;
    let blocker = place.raw();
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (a, b, one) = (run("a"), run("b"), [numbered(2)]);
    let (left, right) =
        tokio::join!(log.append(&a, Position(1), &one), log.append(&b, Position::START, &one));
    for refused in [left, right] {
        let Err(LogError::Storage { doing, source }) = refused else { panic!("it was written") };
        assert_eq!(doing, "write to the log");
        assert!(source.to_string().contains("locked"), "{source}");
    }
    blocker.execute_batch("ROLLBACK").unwrap();
    assert_eq!(log.append(&a, Position(1), &one).await.unwrap(), Position(2));
    assert!(log.read(&b, Position::START).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_full_disk_fails_the_append_and_leaves_the_log_as_it_was() {
    let place = Place::new();
    let log = place.open();
    fill(&log, &run("a"), 1).await;
    // A trigger stands for the disk: it fails the second of two events that must go together.
    place
        .raw()
        .execute_batch(
            "CREATE TRIGGER full BEFORE INSERT ON events WHEN new.position = 3
        BEGIN SELECT raise(ABORT, 'database or disk is full'); END",
        )
        .unwrap();
    let refused = log.append(&run("a"), Position(1), &[numbered(2), numbered(3)]).await;
    assert!(matches!(refused, Err(LogError::Storage { .. })), "{refused:?}");
    assert_eq!(log.read(&run("a"), Position::START).await.unwrap().len(), 1, "half of an append was written");
    assert_eq!(log.append(&run("a"), Position(1), &[numbered(2)]).await.unwrap(), Position(2));
}

#[tokio::test]
async fn runs_are_listed_by_their_last_change_with_status_and_end() {
    let place = Place::new();
    let log = place.open();
    for name in ["first", "second", "third"] {
        fill(&log, &run(name), 1).await;
    }
    log.append(&run("second"), Position(1), &[ended(77)]).await.unwrap();
    let listed = log.runs(RunFilter::default()).await.unwrap();
    let names: Vec<_> = listed.iter().map(|entry| (entry.summary.run_id.as_str(), entry.head.0)).collect();
    assert_eq!(names, [("second", 2), ("third", 1), ("first", 1)]);
    assert_eq!(listed[0].summary.status, RunStatus::Cancelled);
    assert_eq!(listed[0].summary.updated_at, Some(at(77)));
    assert_eq!(listed[1].summary.status, RunStatus::Paused);
    let unfinished = RunFilter { unfinished_only: true, limit: None };
    assert_eq!(log.runs(unfinished).await.unwrap()[0].summary.run_id, run("third"));
    let two = RunFilter { unfinished_only: false, limit: Some(2) };
    assert_eq!(log.runs(two).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_summary_that_is_missing_or_nonsense_is_made_anew_from_the_log() {
    let place = Place::new();
    let log = place.open();
    fill(&log, &run("a"), 2).await;
    fill(&log, &run("b"), 2).await;
    let before = log.runs(RunFilter::default()).await.unwrap();
    place.raw().execute_batch("DELETE FROM summaries WHERE no = 1").unwrap();
    place.raw().execute("UPDATE summaries SET body = '{\"x\":1}'", []).unwrap();
    assert_eq!(log.runs(RunFilter::default()).await.unwrap(), before);
    // The next append writes it again.
    fill(&log, &run("a"), 1).await;
    let stored: i64 = place
        .raw()
        .query_row(
            "SELECT count(*) FROM summaries s JOIN runs r ON r.summary = s.no WHERE r.id = 'a'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(stored, 1);
    assert_eq!(log.runs(RunFilter::default()).await.unwrap()[0].head, Position(3));
}

#[tokio::test]
async fn a_large_payload_is_stored_once_and_goes_with_the_last_run_that_has_it() {
    // spec: beyond BY-13
    let place = Place::new();
    let log = place.open();
    let large = "é".repeat(40_000);
    for (name, n) in [("a", 1), ("b", 2)] {
        let events = [paused(n, &large), numbered(3), ended(i64::try_from(n).unwrap())];
        log.append(&run(name), Position::START, &events).await.unwrap();
        let read = log.read(&run(name), Position::START).await.unwrap();
        assert_eq!(events_of(&read), events);
    }
    let blobs =
        || place.raw().query_row("SELECT count(*) FROM blobs", [], |row| row.get::<_, i64>(0)).unwrap();
    let rows = "SELECT max(length(body)) FROM events";
    assert!(place.raw().query_row(rows, [], |row| row.get::<_, i64>(0)).unwrap() < 100);
    assert_eq!(blobs(), 1, "the same payload at another time is the same payload");
    assert_eq!(log.remove_ended_before(at(2), 0).await.unwrap(), 1);
    assert_eq!(blobs(), 1);
    assert_eq!(events_of(&log.read(&run("b"), Position::START).await.unwrap())[0], paused(2, &large));
    assert_eq!(log.remove_ended_before(at(3), 0).await.unwrap(), 1);
    assert_eq!(blobs(), 0);
}

#[tokio::test]
async fn retention_removes_whole_ended_runs_only() {
    // spec: beyond BY-13
    let place = Place::new();
    let log = place.open();
    fill(&log, &run("open"), 2).await;
    for (name, end) in [("old", 10), ("young", 20)] {
        log.append(&run(name), Position::START, &[numbered(1), ended(end)]).await.unwrap();
    }
    assert_eq!(log.remove_ended_before(at(100), 0).await.unwrap(), 2);
    assert_eq!(log.remove_ended_before(at(100), 0).await.unwrap(), 0);
    assert!(log.read(&run("old"), Position::START).await.unwrap().is_empty());
    assert_eq!(log.read(&run("open"), Position::START).await.unwrap().len(), 2);
    // A removed run may begin again.
    log.append(&run("old"), Position::START, &[numbered(9)]).await.unwrap();
    assert_eq!(events_of(&log.read(&run("old"), Position::START).await.unwrap()), [numbered(9)]);
    let rows: i64 = place.raw().query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 3);
    let summaries: i64 =
        place.raw().query_row("SELECT count(*) FROM summaries", [], |row| row.get(0)).unwrap();
    assert_eq!(summaries, 2);
}

#[tokio::test]
async fn the_log_grows_with_what_happened_and_nothing_else() {
    // spec: beyond BY-13
    let place = Place::new();
    let log = place.open();
    let size = |log: SqliteLog| {
        drop(log);
        std::fs::metadata(&place.path).unwrap().len()
    };
    fill(&log, &run("a"), 500).await;
    let one = size(log);
    let log = place.open();
    fill(&log, &run("a"), 500).await;
    let two = size(log);
    assert!(two < one * 5 / 2, "500 events take {one} bytes, 1,000 take {two}");
}

/// What a test does with the log.
#[derive(Debug, Clone)]
enum Step {
    Append { run: usize, behind: bool, events: usize },
    Read { run: usize, after: u64 },
    Reopen,
    List,
    Remove,
    End { run: usize },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..3usize, prop::bool::weighted(0.2), 1..4usize)
            .prop_map(|(run, behind, events)| Step::Append { run, behind, events }),
        3 => (0..3usize, 0..6u64).prop_map(|(run, after)| Step::Read { run, after }),
        1 => Just(Step::Reopen),
        1 => Just(Step::List),
        1 => Just(Step::Remove),
        1 => (0..3usize).prop_map(|run| Step::End { run }),
    ]
}

/// The simplest log there is.
#[derive(Default)]
struct Model(BTreeMap<RunId, Vec<Event>>);

impl Model {
    fn append(&mut self, run: &RunId, expected: Position, events: &[Event]) -> Option<Position> {
        let end = self.0.get(run).map_or(0, Vec::len) as u64;
        if end != expected.0 {
            return None;
        }
        self.0.entry(run.clone()).or_default().extend_from_slice(events);
        Some(Position(end + events.len() as u64))
    }

    fn ended(events: &[Event]) -> bool {
        events.iter().any(|event| event.body.is_end())
    }
}

async fn follow_model(steps: Vec<Step>) {
    let place = Place::new();
    let (mut log, mut model) = (place.open(), Model::default());
    let name = |n: usize| run(&format!("run_{n}"));
    let mut number = 0;
    for step in steps {
        match step {
            Step::Append { run: n, behind, events } => {
                let events: Vec<Event> = (0..events)
                    .map(|_| {
                        number += 1;
                        numbered(number)
                    })
                    .collect();
                let end = model.0.get(&name(n)).map_or(0, Vec::len) as u64;
                let expected = Position(if behind { end + 1 } else { end });
                let answer = log.append(&name(n), expected, &events).await;
                assert_eq!(answer.ok(), model.append(&name(n), expected, &events));
            }
            Step::End { run: n } => {
                let end = Position(model.0.get(&name(n)).map_or(0, Vec::len) as u64);
                number += 1;
                let event = [ended(number as i64)];
                assert_eq!(log.append(&name(n), end, &event).await.ok(), model.append(&name(n), end, &event));
            }
            Step::Read { run: n, after } => {
                let known = model.0.get(&name(n)).cloned().unwrap_or_default();
                let expected: Vec<Event> = known.into_iter().skip(after as usize).collect();
                assert_eq!(events_of(&log.read(&name(n), Position(after)).await.unwrap()), expected);
            }
            Step::Reopen => {
                drop(log);
                assert_eq!(candor_store::verify(&place.path).unwrap().problems, [""; 0]);
                let (opened, report) = place.open_with(OpenOptions::default());
                assert!(report.is_clean(), "{report}");
                log = opened;
            }
            Step::List => {
                let listed = log.runs(RunFilter::default()).await.unwrap();
                let heads: BTreeMap<_, _> =
                    listed.into_iter().map(|entry| (entry.summary.run_id, entry.head.0 as usize)).collect();
                let expected: BTreeMap<_, _> =
                    model.0.iter().map(|(run, events)| (run.clone(), events.len())).collect();
                assert_eq!(heads, expected);
            }
            Step::Remove => {
                let before = model.0.len();
                model.0.retain(|_, events| !Model::ended(events));
                let removed = log.remove_ended_before(at(i64::MAX), 0).await.unwrap();
                assert_eq!(removed as usize, before - model.0.len());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_appends_and_reads_answers_like_a_plain_list(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(follow_model(steps));
    }
}
