//! What outlives runs: who succeeded at what, and whose circuit is open.

use candor_model::{Event, EventBody, OutcomeRecord, Position, RunId, RunSettings, Timestamp};
use candor_planning::breaker;
use candor_planning::tally::Tally;
use candor_ports::{EventLog, Retention, Stream, StreamNote, Streams};
use candor_store::{OpenOptions, SqliteLog};
use candor_testkit::scenario::Scenario;

#[tokio::test]
async fn successes_and_breakers_are_there_when_the_log_is_opened_again() {
    // spec: orchestrator ER-01; beyond BY-26
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let mut story = Scenario::paris();
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        story.succeed(task);
    }
    story.close();
    let mut down = breaker::fresh("hotel_agent", &candor_model::BreakerSettings::default());
    breaker::failed(&mut down, "no answer", story.now);
    {
        let (log, _) = SqliteLog::open(&path, OpenOptions::default()).unwrap();
        let run = RunId::new("run_test").unwrap();
        log.append(&run, Position::START, &story.events()).await.unwrap();
        log.keep_breaker(down.clone()).await.unwrap();
        breaker::failed(&mut down, "still no answer", story.now);
        log.keep_breaker(down.clone()).await.unwrap();
    }
    let (log, _) = SqliteLog::open(&path, OpenOptions::default()).unwrap();
    let known = log.experience().await.unwrap();
    assert_eq!(known.breakers, [down], "the latest of each");
    assert_eq!(known.examples.len(), 4);
    assert!(known.examples[0].text.contains("flights"), "{:?}", known.examples);
    let taught = story.events().into_iter().any(|event| match event.body {
        EventBody::OutcomeRecorded(OutcomeRecord { examples, .. }) => examples.len() == 4,
        _ => false,
    });
    assert!(taught && RunSettings::default().learn);
}

/// A run that came to its end, with its figures beside the outcome.
fn ended() -> Vec<Event> {
    let mut story = Scenario::paris();
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        story.succeed(task);
    }
    story.close();
    let mut events = story.events();
    let figures = Tally::of(&events).figures();
    for event in &mut events {
        if let EventBody::OutcomeRecorded(record) = &mut event.body {
            record.figures = Some(Box::new(figures.clone()));
        }
    }
    events
}

#[tokio::test]
async fn what_agents_did_is_summed_up_and_a_run_that_ends_twice_counts_once() {
    // spec: beyond BY-26
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let (log, _) = SqliteLog::open(&path, OpenOptions::default()).unwrap();
    let (other, _) = SqliteLog::open(&path, OpenOptions::default()).unwrap();
    let attempts = |known: &candor_ports::Experience| -> u64 {
        known.measured.values().map(|measure| measure.attempts).sum()
    };
    let name = |n: u32| RunId::new(format!("run_{n}")).unwrap();
    for n in 1..=3 {
        log.append(&name(n), Position::START, &ended()).await.unwrap();
        // Another process reads each time, and only what is new to it.
        let known = other.experience().await.unwrap();
        assert_eq!((known.outcomes.len(), attempts(&known)), (n as usize, u64::from(n) * 4));
    }
    let again: Vec<Event> =
        ended().into_iter().filter(|event| matches!(event.body, EventBody::OutcomeRecorded(_))).collect();
    let end = Position(ended().len() as u64);
    log.append(&name(1), end, &again).await.unwrap();
    for log in [&log, &other] {
        let known = log.experience().await.unwrap();
        assert_eq!((known.outcomes.len(), attempts(&known)), (3, 12), "it ended again");
    }
    drop((log, other));
    let (log, _) = SqliteLog::open(&path, OpenOptions::default()).unwrap();
    let known = log.experience().await.unwrap();
    assert_eq!((known.outcomes.len(), attempts(&known)), (3, 12), "it is on the disk");
}

#[tokio::test]
async fn figures_are_written_with_the_outcome_and_outlive_the_run() {
    // spec: orchestrator SF-01 OB-14
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let run = RunId::new("run_test").unwrap();
    let (log, _) = SqliteLog::open(&path, OpenOptions::default()).unwrap();
    assert!(log.append(&run, Position(7), &ended()).await.is_err(), "a writer that is behind");
    assert!(log.notes(Stream::Figures, Timestamp::EPOCH).await.unwrap().is_empty(), "wrote nothing");
    log.append(&run, Position::START, &ended()).await.unwrap();
    let body = serde_json::json!({ "raised": true });
    let note =
        StreamNote { stream: Stream::Alerts, at: Timestamp::EPOCH, run: None, key: "k".to_owned(), body };
    log.append_note(note.clone()).await.unwrap();
    drop(log);
    let (log, _) = SqliteLog::open(&path, OpenOptions::default()).unwrap();
    let far = Timestamp::from_millis(i64::MAX / 4);
    assert_eq!(log.remove_ended_before(far, 0).await.unwrap(), 1);
    assert!(log.read(&run, Position::START).await.unwrap().is_empty());
    let kept = log.notes(Stream::Figures, Timestamp::EPOCH).await.unwrap();
    let [kept] = kept.as_slice() else { panic!("{kept:?}") };
    assert_eq!((kept.run.as_ref(), kept.key.as_str()), (Some(&run), "run_test"));
    assert_eq!(kept.body["tasks"], 4);
    assert_eq!(log.notes(Stream::Alerts, Timestamp::EPOCH).await.unwrap(), [note]);
    assert!(log.notes(Stream::Figures, far).await.unwrap().is_empty(), "only from then on");
}
