//! How long it takes from a failure or a success until people hear of it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    unreachable_pub,
    reason = "test code"
)]

mod support;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use candor_model::{EventBody, Notification, Recorded, RunId, RunSettings, RunStatus};
use candor_ports::{EventLog, Reader};

use self::support::{House, Way, Worker, chains, order};

/// When each thing was heard of, by the key of the attempt that it is about.
#[derive(Default)]
struct Heard {
    failures: BTreeMap<String, Instant>,
    notices: BTreeMap<String, Instant>,
    progress: BTreeMap<String, Instant>,
    /// The attempt whose outcome was told last: what follows in the same append is about it.
    current: String,
}

impl Heard {
    fn hear(&mut self, run: &RunId, recorded: &Recorded) {
        let now = Instant::now();
        match &recorded.event.body {
            EventBody::TaskFailed { task_id, attempt, .. } => {
                self.current = format!("{run}/{task_id}/{attempt}");
                self.failures.insert(self.current.clone(), now);
            }
            EventBody::TaskSucceeded { task_id, attempt, .. } => {
                self.current = format!("{run}/{task_id}/{attempt}");
            }
            EventBody::Notified { notification } => {
                if let Notification::Failure(notice) = notification.as_ref() {
                    assert!(self.current.contains(notice.task_id.as_str()));
                    self.notices.insert(self.current.clone(), now);
                }
            }
            EventBody::Progressed { .. } => _ = self.progress.insert(self.current.clone(), now),
            _ => {}
        }
    }
}

struct Listener(Mutex<Heard>);

impl Reader for Listener {
    fn told(&self, run: &RunId, events: &[Recorded]) {
        let mut heard = self.0.lock().unwrap();
        events.iter().for_each(|recorded| heard.hear(run, recorded));
    }
}

#[test]
fn failures_and_progress_are_heard_of_at_once() {
    // spec: planning FT-01 FT-05 TR-01 QT-05
    const TASKS: usize = 300;
    let executor =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let worker = Worker::new(Way::FailsFirst);
    let listener = Arc::new(Listener(Mutex::default()));
    let followed = executor.block_on(async {
        let house = House::new();
        let log = house.log();
        let mut subscription = log.subscribe();
        let follower = tokio::spawn(async move {
            let mut heard = Heard::default();
            loop {
                for appended in subscription.next().await.unwrap() {
                    heard.hear(&appended.run_id, &appended.recorded);
                    if appended.recorded.event.body.is_end() {
                        return heard;
                    }
                }
            }
        });
        let reader: Arc<dyn Reader> = Arc::clone(&listener) as Arc<dyn Reader>;
        let runtime = house.runtime_with(log, &worker, None, Some(reader));
        let plan = chains(3, TASKS / 3);
        let run = runtime.start(order("run_fast", plan, RunSettings::default()), None).await.unwrap();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Completed);
        follower.await.unwrap()
    });
    let ended = worker.ended.lock().unwrap();
    let told = listener.0.lock().unwrap();
    for (who, heard) in [("reader", &*told), ("subscriber", &followed)] {
        let limits = [
            ("failure", &heard.failures, Duration::from_millis(100)),
            ("notification", &heard.notices, Duration::from_millis(500)),
            ("progress", &heard.progress, Duration::from_millis(200)),
        ];
        for (what, heard, limit) in limits {
            assert!(heard.len() >= TASKS, "{who}: {} of {TASKS} {what}s", heard.len());
            let mut delays: Vec<Duration> =
                heard.iter().map(|(key, at)| at.duration_since(ended[key])).collect();
            delays.sort();
            let p99 = delays[delays.len() * 99 / 100];
            println!(
                "{who}, {what}: median {:?}, p99 {p99:?}, most {:?}",
                delays[delays.len() / 2],
                delays.last()
            );
            assert!(p99 < limit, "{who}, {what}: p99 {p99:?}");
        }
    }
}
