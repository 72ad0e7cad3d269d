//! `kill -9` at any moment: nothing that was told is lost, and no success runs twice.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use candor_model::{EffectKey, EventBody, Notification, Recorded, RunId};
use serde_json::Value;

use crate::durability::support::{Entry, Place, Running, successes};

/// How many kills must hit a living process, unless the environment says otherwise (`cargo xtask torture --kills N`).
const USUAL_KILLS: usize = 30;
/// Names the environment variable with another number.
const KILLS: &str = "CANDOR_KILLS";
/// How many processes work in one data folder.
const DRIVERS: usize = 3;
/// How often one run is killed at most; after that it is left alone and must complete.
const PER_RUN: usize = 4;
/// How many data folders are tried at once.
const AT_ONCE: usize = 2;
/// Names the environment variable that repeats a failed test.
const SEED: &str = "CANDOR_KILL_SEED";

#[test]
fn nothing_told_is_lost_and_no_success_runs_twice_wherever_candor_is_killed() {
    // spec: planning WF-02 FT-08
    let set = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = set(SEED).unwrap_or_else(|| fastrand::u64(..));
    println!("{SEED}={seed}");
    let kills = set(KILLS).and_then(|kills| usize::try_from(kills).ok()).unwrap_or(USUAL_KILLS);
    let usual = undisturbed();
    let tries = Tries { seed, kills, usual, hits: AtomicUsize::new(0), rounds: AtomicU64::new(0) };
    let began = Instant::now();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(|| tries.work())).collect();
        for worker in workers {
            assert!(worker.join().is_ok(), "repeat it with {SEED}={seed}");
        }
    });
    let (hits, rounds) = (tries.hits.into_inner(), tries.rounds.into_inner());
    println!("{hits} kills in {rounds} rounds, {:.1} s", began.elapsed().as_secs_f64());
}

/// How long a run takes that nobody disturbs, the start of the process included.
fn undisturbed() -> Duration {
    let place = Place::new();
    let mut random = fastrand::Rng::with_seed(1);
    let plan = some_plan(&place, "run_whole", &mut random);
    let began = Instant::now();
    let done = place.start_run("run_whole", &plan).end();
    assert_eq!(done.code(), Some(0), "{}", done.err);
    let took = began.elapsed();
    let told = done.told();
    assert!(done.out.lines().last().unwrap().contains(r#""event":"report""#));
    check_told(&place, "run_whole", &[told]);
    took
}

/// Rounds of killing, until there were enough.
struct Tries {
    seed: u64,
    kills: usize,
    usual: Duration,
    hits: AtomicUsize,
    rounds: AtomicU64,
}

impl Tries {
    fn work(&self) {
        while self.hits.load(Ordering::Relaxed) < self.kills {
            let round = self.rounds.fetch_add(1, Ordering::Relaxed);
            let mut random = fastrand::Rng::with_seed(self.seed.wrapping_add(round));
            let place = Place::new();
            std::thread::scope(|scope| {
                for n in 0..DRIVERS {
                    let (mut random, place) = (random.fork(), &place);
                    scope
                        .spawn(move || Story::new(place, format!("run_{round}_{n}")).tell(self, &mut random));
                }
            });
            check_views(&place);
            check_left_behind(&place);
        }
    }
}

/// One run that is killed again and again.
struct Story<'a> {
    place: &'a Place,
    run: String,
    told: Vec<Vec<String>>,
    /// After each kill: the log, and how many executions there had been.
    moments: Vec<(Vec<Recorded>, usize)>,
}

impl<'a> Story<'a> {
    fn new(place: &'a Place, run: String) -> Self {
        Self { place, run, told: Vec::new(), moments: Vec::new() }
    }

    fn tell(mut self, tries: &Tries, random: &mut fastrand::Rng) {
        let plan = some_plan(self.place, &self.run, random);
        let kills = random.usize(1..=PER_RUN);
        for n in 0..kills {
            let running = match n {
                0 => self.place.start_run(&self.run, &plan),
                _ => self.place.start(&self.run, &["resume", &self.run, "--json", "--yes"]),
            };
            // What is left of the run gets shorter.
            let within = tries.usual.mul_f64(1.1 / f64::from(u32::try_from(n + 1).unwrap()));
            std::thread::sleep(within.mul_f64(random.f64()));
            if !self.kill(running, tries) {
                break;
            }
        }
        self.end();
    }

    /// Kills the process; says whether there is a run that can be resumed.
    fn kill(&mut self, running: Running, tries: &Tries) -> bool {
        let done = match running.kill() {
            Ok(killed) => {
                tries.hits.fetch_add(1, Ordering::Relaxed);
                killed
            }
            Err(ended) => {
                assert!(ended.code() == Some(0) || ended.came_too_late(), "{}: {}", self.run, ended.err);
                ended
            }
        };
        self.told.push(done.told());
        let executed = self.place.ledger(&self.run).len();
        let log = self.place.log(&self.run);
        let goes_on = log.last().is_some_and(|last| !last.event.body.is_end());
        self.moments.push((log, executed));
        goes_on
    }

    fn end(self) {
        let Self { place, run, told, moments } = self;
        let (last, _) = moments.last().unwrap();
        if last.is_empty() {
            // Killed before the start was durable: there is no run, and nobody did or said anything.
            assert!(place.ledger(&run).is_empty() && told.iter().all(Vec::is_empty), "{run}: {told:?}");
            return;
        }
        if last.last().is_some_and(|last| !last.event.body.is_end()) {
            place.complete(&run);
        }
        let log = place.log(&run);
        let ledger = place.ledger(&run);
        assert!(matches!(log.last().unwrap().event.body, EventBody::RunCompleted { .. }), "{run}: {log:?}");
        check_told(place, &run, &told);
        check_order(&log);
        check_notices(&log);
        check_executions(&run, &log, &ledger);
        for (before, executed) in moments {
            assert_eq!(before, log[..before.len()], "{run}: what was on the log has changed");
            let done = successes(&run, &before);
            let again: Vec<&Entry> = ledger[executed..].iter().filter(|e| done.contains(&e.key)).collect();
            assert!(again.is_empty(), "{run}: on record as done, and done again: {again:?}");
        }
    }
}

/// Every view of every run works, and the log is sound.
fn check_views(place: &Place) {
    let works = |args: &[&str]| {
        let done = place.does("", args);
        assert_eq!(done.code(), Some(0), "{args:?}: {}{}", done.out, done.err);
        done.out
    };
    let listed: Value = serde_json::from_str(&works(&["list", "--json"])).unwrap();
    works(&["metrics"]);
    for entry in listed.as_array().unwrap() {
        let run = entry["run_id"].as_str().unwrap();
        if entry["interrupted"] == true {
            // Killed after its start was in the write-ahead log and before the index of it said so: SQLite finds it when
            // nobody has the files open any more. Every other run has been seen to complete.
            assert!(place.ledger(run).is_empty(), "{entry}");
            place.complete(run);
        }
        for view in ["status", "report", "explain", "postmortem", "logs", "effects"] {
            works(&[view, run]);
        }
    }
    let sound = works(&["repair", "--json"]);
    assert!(sound.contains("\"damaged\":false"), "{sound}");
}

/// No lock, record of a process or temporary file is left when the next driver has been there.
fn check_left_behind(place: &Place) {
    let plan = place.plan("last", &[("only", "quick", &[])]);
    assert_eq!(place.start_run("run_last", &plan).end().code(), Some(0));
    for folder in [place.data().join("locks"), place.data().join("attempts"), place.temporary()] {
        let left: Vec<_> =
            std::fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

/// A plan of six to ten tasks that come after one or two of those before them.
fn some_plan(place: &Place, run: &str, random: &mut fastrand::Rng) -> std::path::PathBuf {
    let names: Vec<String> = (1..=random.usize(6..=10)).map(|n| format!("task_{n:03}")).collect();
    let mut after: Vec<Vec<&str>> = Vec::new();
    for n in 0..names.len() {
        let earlier = names[..n].iter().map(String::as_str);
        after.push(earlier.rev().take(3).filter(|_| random.f64() < 0.4).collect());
    }
    let agents = ["quick", "steady", "slow", "shaky"];
    let tasks: Vec<(&str, &str, &[&str])> = names
        .iter()
        .zip(&after)
        .map(|(name, after)| (name.as_str(), *random.choice(&agents).unwrap(), after.as_slice()))
        .collect();
    place.plan(run, &tasks)
}

/// Every line that a process told is on the log, unchanged, and the log has no gaps.
fn check_told(place: &Place, run: &str, told: &[Vec<String>]) {
    let watched = place.does(run, &["watch", run, "--json"]);
    assert_eq!(watched.code(), Some(0), "{}", watched.err);
    let on_log = watched.told();
    for (n, line) in (1..).zip(&on_log) {
        assert_eq!(position(line), n, "{run}: {line}");
    }
    for line in told.iter().flatten() {
        let there = usize::try_from(position(line)).ok().and_then(|n| on_log.get(n - 1));
        assert_eq!(there, Some(line), "{run}: told and then lost or changed");
    }
}

fn position(line: &str) -> u64 {
    let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    value["position"].as_u64().unwrap()
}

/// Time does not go back on the log.
fn check_order(log: &[Recorded]) {
    assert!(log.is_sorted_by_key(|recorded| recorded.event.at));
}

/// Every failure is followed by the word of it.
fn check_notices(log: &[Recorded]) {
    for pair in log.windows(2) {
        let EventBody::TaskFailed { task_id, .. } = &pair[0].event.body else { continue };
        let told = match &pair[1].event.body {
            EventBody::Notified { notification } => match notification.as_ref() {
                Notification::Failure(notice) => notice.task_id == *task_id,
                _ => false,
            },
            _ => false,
        };
        assert!(told, "{task_id} failed and nobody was told");
    }
    let failures = log.iter().filter(|r| matches!(r.event.body, EventBody::TaskFailed { .. })).count();
    let notices = log.iter().filter(|r| match &r.event.body {
        EventBody::Notified { notification } => matches!(**notification, Notification::Failure(_)),
        _ => false,
    });
    assert_eq!(notices.count(), failures);
}

/// Nothing ran without being asked for on the log: once when it was dispatched, and once more each time it
/// was taken up.
fn check_executions(run: &str, log: &[Recorded], ledger: &[Entry]) {
    let run = RunId::new(run).unwrap();
    let mut allowed: BTreeMap<String, usize> = BTreeMap::new();
    for recorded in log {
        if let EventBody::TaskDispatched { task_id, attempt, .. }
        | EventBody::TaskTakenUp { task_id, attempt, .. } = &recorded.event.body
        {
            *allowed.entry(EffectKey::attempt(&run, task_id, *attempt).to_string()).or_default() += 1;
        }
    }
    for key in successes(run.as_str(), log) {
        assert!(ledger.iter().any(|entry| entry.key == key), "{key} is said to be done and was not");
    }
    for (key, allowed) in allowed {
        let done = ledger.iter().filter(|entry| entry.key == key).count();
        assert!(done <= allowed, "{key} was asked for {allowed} times and done {done} times");
    }
}
