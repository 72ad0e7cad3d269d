//! Durable appends: 64 runs writing at once through the log, beside raw SQLite group commits of 64 rows.
//!
//! Both sides write the same texts with the same pragmas on the same disk. They take turns, round by round,
//! so that a busy machine slows both. Each side is measured with an empty log and with one that already has
//! 200,000 events; the 64 runs then lie scattered among 1,000.
//!
//! The log is written by tasks of an executor with one thread, as the command has it, and in another file by
//! those of one with a thread for each processor; the target is for the first.
//!
//! The ratio depends on the disk: what the log adds to a commit is fixed, and weighs the more the quicker an
//! fsync is. Compare ratios only where raw commits are equally fast.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(clippy::expect_used, reason = "a bench that cannot run must stop")]
#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_model::redact::Redactor;
use candor_model::{Account, Event, EventBody, ExecutionFeedback, FeedbackType, JsonMap, Money, Position};
use candor_model::{RunId, Seconds, TaskId, Timestamp};
use candor_ports::{EventLog, RunFilter};
use candor_store::{OpenOptions, SqliteLog};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rusqlite::Connection;
use tokio::runtime::{Builder, Runtime};

/// How many runs write at once, and how many rows a raw commit has.
const WRITERS: usize = 64;

/// What the log must reach of what raw commits reach.
const TARGET: f64 = 0.75;

/// Appends per run, or commits, in one turn: so many that starting and ending the tasks hardly counts.
const TURN: usize = 100;

/// Turns that are compared: so many that one hiccup of a busy machine does not decide.
const TURNS: u32 = 60;

/// Turns before that, so that both write-ahead logs have their full size and have gone back into the file.
const WARM_UP_TURNS: u32 = 7;

/// A log that is not new: runs, and events in each.
const OLD_RUNS: usize = 1_000;
const OLD_EVENTS: usize = 200;

/// What a run writes: every other event also changes the line that the list of runs shows.
fn event(n: u64) -> Event {
    let body = if n.is_multiple_of(2) {
        let mut outputs = JsonMap::new();
        outputs.insert(
            "flight_options".to_owned(),
            "AF007 JFK-CDG 18:30, $420; DL264 JFK-CDG 19:45, $455".into(),
        );
        EventBody::TaskSucceeded {
            task_id: TaskId::numbered(1),
            attempt: 1,
            feedback: Arc::new(ExecutionFeedback {
                task_id: TaskId::numbered(1),
                feedback_type: FeedbackType::Success,
                actual_outputs: outputs,
                errors: vec![],
                duration_seconds: Seconds::whole(2),
                cost: Money::ZERO,
                suggested_adjustments: None,
                timestamp: Timestamp::EPOCH,
                failure: None,
            }),
        }
    } else {
        let total = Money::from_dollars(0.01).expect("a valid amount");
        let what = format!("task_001, attempt 1 of flight_agent, call {n:06}, ").repeat(5);
        EventBody::Charged {
            account: Account::Execution,
            what,
            amount: total,
            total: Money::from_dollars(n as f64).expect("a valid amount"),
            payee: None,
        }
    };
    Event::new(Timestamp::EPOCH, body)
}

/// The two events that are written in turn, made once: what they cost to make is not the log's matter.
fn events() -> Arc<[Event; 2]> {
    Arc::new([event(0), event(1)])
}

/// The simplest table there is, written in groups by one thread.
struct Raw {
    connection: Connection,
    texts: [String; 2],
    written: usize,
}

impl Raw {
    fn open(folder: &Path, old: usize) -> Self {
        let connection = Connection::open(folder.join("raw.db")).expect("the file opens");
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
                 CREATE TABLE raw (id INTEGER PRIMARY KEY, body TEXT);",
            )
            .expect("the table is made");
        let texts = [0, 1].map(|n| event(n).to_json().expect("an event is JSON"));
        let mut raw = Self { connection, texts, written: 0 };
        for _ in 0..old.div_ceil(OLD_RUNS) {
            raw.commit(OLD_RUNS);
        }
        raw
    }

    fn commit(&mut self, rows: usize) {
        let transaction = self.connection.transaction().expect("a transaction begins");
        let mut insert = transaction.prepare_cached("INSERT INTO raw (body) VALUES (?1)").expect("valid SQL");
        let [even, odd] = &self.texts;
        let text = if self.written.is_multiple_of(2) { even } else { odd };
        for _ in 0..rows {
            insert.execute([text]).expect("a row is written");
        }
        drop(insert);
        transaction.commit().expect("it is committed");
        self.written += 1;
    }

    fn turn(&mut self) -> Duration {
        let start = Instant::now();
        (0..TURN).for_each(|_| self.commit(WRITERS));
        start.elapsed()
    }
}

/// The log, written by as many tasks as there are runs.
struct Log {
    runtime: Runtime,
    log: SqliteLog,
    runs: Vec<(RunId, Position)>,
    events: Arc<[Event; 2]>,
}

impl Log {
    fn open(file: &Path, mut executor: Builder, old: usize) -> Self {
        let runtime = executor.build().expect("a runtime starts");
        let (log, _) = SqliteLog::open(file, OpenOptions::default()).expect("the log opens");
        let all: Vec<_> = (0..OLD_RUNS.max(WRITERS)).map(|n| (run_id(n), Position::START)).collect();
        let mut this = Self { runtime, log, runs: all, events: events() };
        for n in 0..old / OLD_RUNS {
            this.append_each(n, 1);
        }
        let step = if old > 0 { OLD_RUNS / WRITERS } else { 1 };
        this.runs = this.runs.into_iter().step_by(step).take(WRITERS).collect();
        this
    }

    /// Every run appends `times` events, one after the other; all runs at once.
    fn append_each(&mut self, first: usize, times: usize) {
        let tasks: Vec<_> = self
            .runs
            .drain(..)
            .map(|(run, mut position)| {
                let (log, events) = (self.log.clone(), Arc::clone(&self.events));
                self.runtime.spawn(async move {
                    for event in events.chunks(1).cycle().skip(first).take(times) {
                        position = log.append(&run, position, event).await.expect("it is appended");
                    }
                    (run, position)
                })
            })
            .collect();
        self.runs = self.runtime.block_on(async {
            let mut runs = Vec::new();
            for task in tasks {
                runs.push(task.await.expect("a writer ends well"));
            }
            runs
        });
    }

    fn turn(&mut self) -> Duration {
        let start = Instant::now();
        self.append_each(0, TURN);
        start.elapsed()
    }
}

fn run_id(n: usize) -> RunId {
    RunId::new(format!("run_2025_05_{n:06}")).expect("a valid id")
}

/// All that is compared.
struct Sides {
    raw: Raw,
    /// Written by tasks that share one thread.
    log: Log,
    /// Written by tasks on a thread for each processor.
    spread: Log,
}

impl Sides {
    fn open(folder: &Path, old: usize) -> Self {
        Self {
            raw: Raw::open(folder, old),
            log: Log::open(&folder.join("log.db"), Builder::new_current_thread(), old),
            spread: Log::open(&folder.join("spread.db"), Builder::new_multi_thread(), old),
        }
    }

    /// Lets each write in its turn; returns what each of them took.
    fn take_turns(&mut self, turns: u32) -> [Duration; 3] {
        let mut times = [Duration::ZERO; 3];
        for _ in 0..turns {
            let took = [self.raw.turn(), self.log.turn(), self.spread.turn()];
            times.iter_mut().zip(took).for_each(|(time, took)| *time += took);
        }
        times
    }
}

fn appends(criterion: &mut Criterion) {
    for (name, old) in [("new log", 0), ("200,000 events, 1,000 runs", OLD_RUNS * OLD_EVENTS)] {
        let folder = tempfile::tempdir().expect("a folder is made");
        let mut sides = Sides::open(folder.path(), old);
        sides.take_turns(WARM_UP_TURNS);
        compare(name, &mut sides);

        let mut group = criterion.benchmark_group("durable appends");
        group.sample_size(10).throughput(Throughput::Elements((TURN * WRITERS) as u64));
        group.bench_function(BenchmarkId::new("raw", name), |bencher| {
            bencher.iter_custom(|turns| (0..turns).map(|_| sides.raw.turn()).sum());
        });
        group.bench_function(BenchmarkId::new("log", name), |bencher| {
            bencher.iter_custom(|turns| (0..turns).map(|_| sides.log.turn()).sum());
        });
        group.finish();
    }
}

/// Prints how the sides compare.
fn compare(name: &str, sides: &mut Sides) {
    let events = (u64::from(TURNS) * (TURN * WRITERS) as u64) as f64;
    let [raw, log, spread] = sides.take_turns(TURNS).map(|time| events / time.as_secs_f64());
    println!(
        "{name}: raw {raw:.0} events/s, log {log:.0} events/s, ratio: {:.2} (target {TARGET:.2}); \
         for information: {:.2} with a thread for each processor",
        log / raw,
        spread / raw,
    );
}

/// Prints what looking for secrets adds to an append: of one run that writes alone, and of 64 that share a commit.
fn redaction(_: &mut Criterion) {
    const LOOKS: u32 = 20_000;
    let folder = tempfile::tempdir().expect("a folder is made");
    let mut log = Log::open(&folder.path().join("log.db"), Builder::new_current_thread(), 0);
    let (redactor, events) = (Redactor::default(), events());
    let start = Instant::now();
    for event in events.iter().cycle().take(LOOKS as usize) {
        assert!(redactor.record(std::hint::black_box(event)).is_none());
    }
    let look = start.elapsed() / LOOKS;
    log.turn();
    let together = log.turn() / u32::try_from(TURN * WRITERS).expect("a small number");
    log.runs.truncate(1);
    let alone = log.turn() / u32::try_from(TURN).expect("a small number");
    let share = |append: Duration| 100.0 * look.as_secs_f64() / append.as_secs_f64();
    println!(
        "looking for secrets: {look:?} per event; {:.1} % of an append of {alone:?} (target 2), {:.1} % of one of 64 that \
         share a commit ({together:?})",
        share(alone),
        share(together),
    );
}

fn list(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder is made");
    let runtime = Runtime::new().expect("a runtime starts");
    let path = folder.path().join("log.db");
    criterion.bench_function("open an empty log and list its runs", |bencher| {
        bencher.iter(|| {
            let (log, _) = SqliteLog::open(&path, OpenOptions::default()).expect("the log opens");
            runtime.block_on(log.runs(RunFilter::default())).expect("the runs are listed")
        });
    });
}

criterion_group!(benches, redaction, appends, list);
criterion_main!(benches);
