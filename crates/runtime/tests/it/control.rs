//! What a driver does about people, deadlines, limits, crashes and other processes.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use candor_engine::Input;
use candor_model::{EffectKey, Event, EventBody, Position, RunId, RunSettings, RunStatus, Timestamp};
use candor_ports::EventLog;
use candor_runtime::{DriveError, wall};
use candor_testkit::fixtures;

use crate::support::{House, Way, Worker, chains, count, order, until};

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let executor =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    executor.block_on(work)
}

#[test]
fn a_cancelled_run_ends_only_when_every_attempt_has_stopped() {
    const TO_STOP: Duration = Duration::from_millis(200);
    block_on(async {
        let house = House::new();
        let worker = Worker::new(Way::Hangs(TO_STOP));
        let order = order("run_1", chains(4, 2), RunSettings::default());
        let run = house.runtime(&worker).start(order, None).await.unwrap();
        until("four attempts", || worker.at_work() == 4).await;
        let asked = Instant::now();
        run.submit(Input::Cancel { reason: "enough".to_owned() }).await.unwrap();
        assert_eq!(worker.at_work(), 4, "it is on record before anything is stopped");
        let id = run.run_id().clone();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Cancelled);
        assert_eq!(worker.at_work(), 0, "an attempt outlives the run");
        assert!(asked.elapsed() >= TO_STOP);
        let log = house.read(&id).await;
        assert!(matches!(log.last().unwrap().event.body, EventBody::RunCancelled { .. }));
        assert_eq!(count(&log, |body| matches!(body, EventBody::TaskStopped { .. })), 4);
        assert_eq!(worker.attempts().len(), 4, "nothing new was begun");
    });
}

#[test]
fn a_run_that_is_left_has_nothing_running_and_can_be_taken_up() {
    block_on(async {
        let house = House::new();
        let hanging = Worker::new(Way::Hangs(Duration::from_millis(50)));
        let order = order("run_1", chains(2, 1), RunSettings::default());
        let run = house.runtime(&hanging).start(order, None).await.unwrap();
        until("two attempts", || hanging.at_work() == 2).await;
        let id = run.run_id().clone();
        run.leave().await.unwrap();
        assert_eq!(hanging.at_work(), 0);
        let worker = Worker::new(Way::Works(Duration::ZERO));
        let run = house.runtime(&worker).resume(id, None, None).await.unwrap();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Completed);
        let (before, after): (BTreeSet<_>, BTreeSet<_>) =
            (hanging.attempts().into_iter().collect(), worker.attempts().into_iter().collect());
        assert_eq!(before, after, "the same attempts under the same keys");
    });
}

#[test]
fn an_agent_that_never_answers_is_stopped_at_its_deadline() {
    // spec: planning EX-08
    block_on(async {
        let house = House::new();
        let worker = Worker::new(Way::Hangs(Duration::ZERO));
        let settings = RunSettings {
            agent_timeout: fixtures::seconds(0.3),
            escalate_after_failures: 1,
            retry: None,
            ..RunSettings::default()
        };
        let mut plan = chains(1, 1);
        plan.subtasks[0].retry_policy = None;
        let began = Instant::now();
        let run = house.runtime(&worker).start(order("run_1", plan, settings), None).await.unwrap();
        let mut snapshot = run.snapshot();
        snapshot.wait_for(|now| now.status == RunStatus::WaitingHuman && !now.busy).await.unwrap();
        let took = began.elapsed();
        assert!(took >= Duration::from_millis(300) && took < Duration::from_secs(2), "{took:?}");
        assert_eq!(worker.at_work(), 0, "it was stopped");
        let log = house.read(run.run_id()).await;
        let errors = log.iter().find_map(|recorded| match &recorded.event.body {
            EventBody::TaskFailed { feedback, .. } => Some(feedback.errors.clone()),
            _ => None,
        });
        assert_eq!(errors, Some(vec!["Agent timeout after 0.3s".to_owned()]));
        run.leave().await.unwrap();
    });
}

#[test]
fn an_agent_takes_on_no_more_at_once_than_it_can_however_many_runs_ask() {
    block_on(async {
        let house = House::new();
        let worker = Worker::new(Way::Works(Duration::from_millis(10)));
        let runtime = house.runtime_with(house.log(), &worker, Some(3), None);
        let start = |name| runtime.start(order(name, chains(8, 1), RunSettings::default()), None);
        let (a, b) = (start("run_a").await.unwrap(), start("run_b").await.unwrap());
        assert_eq!(a.ended().await.unwrap(), RunStatus::Completed);
        assert_eq!(b.ended().await.unwrap(), RunStatus::Completed);
        assert_eq!(worker.most.load(Ordering::SeqCst), 3);
        assert_eq!(worker.attempts().len(), 16);
    });
}

#[test]
fn an_attempt_that_waits_for_its_turn_can_be_cancelled() {
    block_on(async {
        let house = House::new();
        let worker = Worker::new(Way::Hangs(Duration::ZERO));
        let runtime = house.runtime_with(house.log(), &worker, Some(1), None);
        let run = runtime.start(order("run_1", chains(5, 1), RunSettings::default()), None).await.unwrap();
        until("an attempt", || worker.at_work() == 1).await;
        run.submit(Input::Cancel { reason: "enough".to_owned() }).await.unwrap();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Cancelled);
        assert_eq!((worker.at_work(), worker.attempts().len()), (0, 1));
    });
}

#[test]
fn a_run_whose_driver_vanished_goes_on_and_repeats_no_recorded_success() {
    let house = House::new();
    let run = RunId::new("run_1").unwrap();
    let mut recorded: BTreeSet<String> = BTreeSet::new();
    let mut everything = Vec::new();
    for life in 0..4 {
        let worker = Worker::new(Way::Works(Duration::from_millis(5)));
        let executor =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        executor.block_on(async {
            let runtime = house.runtime(&worker);
            let handle = match life {
                0 => {
                    runtime.start(order("run_1", chains(3, 10), RunSettings::default()), None).await.unwrap()
                }
                _ => runtime.resume(run.clone(), None, None).await.unwrap(),
            };
            if life == 3 {
                assert_eq!(handle.ended().await.unwrap(), RunStatus::Completed);
            } else {
                until("some attempts", || worker.attempts().len() >= 8).await;
            }
        });
        // Everything of this life is dropped where it stands, as a crash would do.
        drop(executor);
        let log = block_on(house.read(&run));
        let again: Vec<_> = worker.attempts().into_iter().filter(|key| recorded.contains(key)).collect();
        assert!(again.is_empty(), "on record as done, and done again: {again:?}");
        recorded.extend(log.iter().filter_map(|recorded| match &recorded.event.body {
            EventBody::TaskSucceeded { task_id, attempt, .. } => {
                Some(EffectKey::attempt(&run, task_id, *attempt).to_string())
            }
            _ => None,
        }));
        everything.extend(worker.attempts());
    }
    assert_eq!(recorded.len(), 30);
    assert!(recorded.iter().all(|key| everything.contains(key)));
}

#[test]
fn what_another_process_wrote_is_noticed_soon_and_obeyed() {
    // spec: planning EX-13
    block_on(async {
        let house = House::new();
        let worker = Worker::new(Way::Works(Duration::from_millis(500)));
        let runtime = house.runtime(&worker);
        let run = runtime.start(order("run_1", chains(1, 2), RunSettings::default()), None).await.unwrap();
        until("the first attempt", || worker.at_work() == 1).await;
        let (elsewhere, idle) = (house.log(), Worker::new(Way::Works(Duration::ZERO)));
        let elsewhere = house.runtime_with(elsewhere, &idle, None, None);
        let asked = Instant::now();
        elsewhere.submit(run.run_id().clone(), Input::Pause { reason: "lunch".to_owned() }).await.unwrap();
        let mut snapshot = run.snapshot();
        snapshot.wait_for(|now| now.status == RunStatus::Paused).await.unwrap();
        println!("noticed after {:?}", asked.elapsed());
        assert!(asked.elapsed() < Duration::from_millis(300), "{:?}", asked.elapsed());
        snapshot.wait_for(|now| !now.busy).await.unwrap();
        tokio::time::sleep(Duration::from_millis(150)).await;
        assert_eq!(worker.attempts().len(), 1, "a paused run begins nothing");
        elsewhere.submit(run.run_id().clone(), Input::Resume).await.unwrap();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Completed);
        assert_eq!((worker.attempts().len(), idle.attempts().len()), (2, 0));
    });
}

#[test]
fn an_outcome_that_meets_anothers_write_is_decided_on_again() {
    block_on(async {
        let house = House::new();
        let worker = Worker::new(Way::Works(Duration::from_millis(15)));
        let runtime = house.runtime(&worker);
        let elsewhere = house.runtime(&Worker::new(Way::Works(Duration::ZERO)));
        let run = runtime.start(order("run_1", chains(2, 12), RunSettings::default()), None).await.unwrap();
        let id = run.run_id().clone();
        // Its writes come more often than the driver looks for them: the driver finds out when it appends.
        let pest = tokio::spawn(async move {
            let mut taken = 0;
            loop {
                let pause = Input::Pause { reason: "again".to_owned() };
                let input = if taken % 2 == 0 { pause } else { Input::Resume };
                match elsewhere.submit(id.clone(), input).await {
                    Ok(_) => taken += 1,
                    Err(DriveError::Contended { .. }) => {}
                    Err(error) => return (taken, error.to_string()),
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        let ended = tokio::time::timeout(Duration::from_secs(30), run.ended()).await.unwrap();
        assert_eq!(ended.unwrap(), RunStatus::Completed);
        let (taken, why) = pest.await.unwrap();
        let log = house.read(&RunId::new("run_1").unwrap()).await;
        let written =
            count(&log, |body| matches!(body, EventBody::RunPaused { .. } | EventBody::RunResumed {}));
        assert!(taken > 0, "nobody disturbed: {why}");
        assert_eq!(taken, written, "what was taken is on the log, and nothing else: {why}");
        assert_eq!(count(&log, |body| matches!(body, EventBody::TaskSucceeded { .. })), 24);
        assert_eq!(worker.attempts().len(), 24, "nothing was done twice");
    });
}

#[test]
fn a_command_from_elsewhere_gets_through_to_a_run_that_never_rests() {
    block_on(async {
        const TASKS: usize = 1_000;
        let house = House::new();
        let worker = Worker::new(Way::Works(Duration::from_millis(5)));
        let settings = RunSettings { max_plan_bytes: 100_000_000, ..RunSettings::default() };
        let order = order("run_1", chains(2, TASKS / 2), settings);
        let run = house.runtime(&worker).start(order, None).await.unwrap();
        let elsewhere = house.runtime(&Worker::new(Way::Works(Duration::ZERO)));
        until("some work", || worker.attempts().len() > TASKS / 10).await;
        let asked = Instant::now();
        let cancel = Input::Cancel { reason: "enough".to_owned() };
        elsewhere.submit(run.run_id().clone(), cancel).await.unwrap();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Cancelled);
        println!("cancelled after {:?}, {} of {TASKS} begun", asked.elapsed(), worker.attempts().len());
        assert!(worker.attempts().len() < TASKS);
    });
}

#[test]
fn a_run_from_the_future_goes_on_at_once_and_its_time_does_not_go_back() {
    block_on(async {
        let (past, house) = (House::new(), House::new());
        let hanging = Worker::new(Way::Hangs(Duration::ZERO));
        let order = order("run_1", chains(1, 3), RunSettings::default());
        let handle = past.runtime(&hanging).start(order, None).await.unwrap();
        let run = handle.run_id().clone();
        handle.leave().await.unwrap();
        let mut events: Vec<Event> = past.read(&run).await.into_iter().map(|it| it.event).collect();
        let future = Timestamp::from_millis(wall().as_millis() + 3_600_000);
        let shift = future.as_millis() - events.last().unwrap().at.as_millis();
        for event in &mut events {
            event.at = Timestamp::from_millis(event.at.as_millis() + shift);
        }
        house.log().append(&run, Position::START, &events).await.unwrap();
        let worker = Worker::new(Way::Works(Duration::from_millis(5)));
        let began = Instant::now();
        let handle = house.runtime(&worker).resume(run.clone(), None, None).await.unwrap();
        assert_eq!(handle.ended().await.unwrap(), RunStatus::Completed);
        assert!(began.elapsed() < Duration::from_secs(5), "it waited for the clock: {:?}", began.elapsed());
        let log = house.read(&run).await;
        assert!(log.is_sorted_by_key(|recorded| recorded.event.at), "time went back");
        assert!(log.last().unwrap().event.at >= future);
        assert_eq!(worker.attempts().len(), 3);
    });
}
