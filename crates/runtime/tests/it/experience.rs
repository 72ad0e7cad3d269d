//! What outlives runs: who succeeded at what, and whose circuit is open.

use candor_model::{EventBody, OutcomeRecord, Position, RunId, RunSettings};
use candor_planning::breaker;
use candor_ports::{EventLog, Streams};
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
