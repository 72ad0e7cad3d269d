//! What validation, folding and deciding cost, each against its target.
//!
//! Criterion gives the distributions; the lines that start with `core:` are measured side by side in this
//! run and compared with the targets, because absolute times on a busy machine mean little.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a bench prints, and stops at once"
)]

use std::time::{Duration, Instant};

use candor_engine::RunState;
use candor_model::{Event, FeedbackType, Position, Recorded, RunId};
use candor_planning::dependencies;
use candor_planning::replan::{ReplanContext, replan};
use candor_planning::validation::accept;
use candor_testkit::fixtures;
use candor_testkit::load::{self, Quick};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

const ROUNDS: usize = 7;

fn run_id() -> RunId {
    RunId::new("run_bench").unwrap()
}

/// The median of some rounds.
fn median(mut round: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<_> = (0..ROUNDS).map(|_| round()).collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed()
}

fn against(what: &str, took: Duration, target: Duration) {
    let ratio = took.as_secs_f64() / target.as_secs_f64();
    println!("core: {what}: {took:.2?}, target {target:.0?}, ratio {ratio:.2} (at most 1)");
}

fn validation(criterion: &mut Criterion) {
    let proposal = load::proposal(load::plan(10_000, 5));
    let settings = load::settings();
    let edges: usize = proposal.plan.subtasks.iter().map(|task| task.dependencies.len()).sum();
    let took = median(|| {
        let proposal = proposal.clone();
        timed(|| accept(proposal, &settings))
    });
    against(&format!("validate 10,000 tasks with {edges} edges"), took, Duration::from_millis(20));
    criterion.bench_function("validate/dependencies_10k", |bencher| {
        bencher.iter(|| dependencies::check(&proposal.plan.subtasks));
    });
    criterion.bench_function("validate/accept_10k", |bencher| {
        bencher.iter_batched(
            || proposal.clone(),
            |proposal| accept(proposal, &settings),
            BatchSize::LargeInput,
        );
    });
}

/// A log of at least `events` events, as a run of a large plan writes it.
fn log(events: usize) -> Vec<Event> {
    let mut quick = Quick::new(run_id(), load::plan(events / 3 + 1, 2), true).unwrap();
    quick.execute().unwrap();
    quick.events.truncate(events);
    quick.events
}

fn folding(criterion: &mut Criterion) {
    let events = log(100_000);
    let recorded: Vec<Recorded> = (1..)
        .zip(&events)
        .map(|(n, event)| Recorded { position: Position(n), event: event.clone() })
        .collect();
    let lines: Vec<String> = events.iter().map(|event| event.to_json().unwrap()).collect();
    let fold = || RunState::fold(run_id(), &recorded).unwrap();
    let read_and_fold = || {
        let mut state = RunState::new(run_id());
        for line in &lines {
            state.apply(&Event::from_json(line).unwrap());
        }
        state
    };
    let target = Duration::from_millis(200);
    against(&format!("fold {} events", events.len()), median(|| timed(fold)), target);
    let took = median(|| timed(read_and_fold));
    println!(
        "core: for information: read {} events and their plan from JSON, and fold: {took:.2?}",
        events.len()
    );
    criterion.bench_function("fold/100k", |bencher| bencher.iter(fold));
}

/// A revision of a large plan is far from its limit of two seconds.
fn replanning(criterion: &mut Criterion) {
    let mut plan = load::plan(10_000, 5);
    // Somebody else fits the task that fails, so that there is something to change.
    plan.subtasks[0].metadata.ranking.clone_from(&fixtures::paris_plan().subtasks[0].metadata.ranking);
    let settings = load::settings();
    let context = ReplanContext {
        goal: None,
        settings: &settings,
        now: plan.updated_at,
        agents: None,
        by_person: false,
        reports: &[],
    };
    let feedback = [fixtures::feedback(1, FeedbackType::Failure, &["Preferred hotel fully booked"])];
    let revise = || replan(&plan, &feedback, &context).unwrap();
    against("revise a plan of 10,000 tasks", median(|| timed(revise)), Duration::from_secs(2));
    criterion.bench_function("replan/10k", |bencher| bencher.iter(revise));
}

fn deciding(criterion: &mut Criterion) {
    let execute = |tasks: usize| {
        let mut quick = Quick::new(run_id(), load::plan(tasks, 2), false).unwrap();
        timed(|| assert_eq!(quick.execute().unwrap(), tasks))
    };
    // Side by side: a slow moment of the machine hits both sizes.
    let rounds: Vec<_> = (0..ROUNDS).map(|_| (execute(10_000), execute(100_000))).collect();
    let mut small: Vec<_> = rounds.iter().map(|(small, _)| *small).collect();
    small.sort_unstable();
    let per_task = small[ROUNDS / 2] / 10_000;
    against("decide and apply per task, at 10,000 tasks", per_task, Duration::from_micros(5));
    let mut growth: Vec<_> =
        rounds.iter().map(|(small, large)| large.as_secs_f64() / small.as_secs_f64()).collect();
    growth.sort_by(f64::total_cmp);
    println!(
        "core: 100,000 tasks cost {:.1} times as much as 10,000, ratio {:.1} (at most 12)",
        growth[ROUNDS / 2],
        growth[ROUNDS / 2]
    );
    let chain = |tasks: usize| {
        let mut quick = Quick::new(run_id(), load::plan(tasks, 1), false).unwrap();
        timed(|| quick.execute().unwrap())
    };
    println!("core: a chain of 10,000 tasks: {:.2?} per task", chain(10_000) / 10_000);
    criterion.bench_function("decide/1k_tasks", |bencher| {
        let ready = || Quick::new(run_id(), load::plan(1_000, 2), false).unwrap();
        bencher.iter_batched(ready, |mut quick| quick.execute().unwrap(), BatchSize::LargeInput);
    });
}

criterion_group! {
    name = core;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(3));
    targets = validation, folding, replanning, deciding
}
criterion_main!(core);
