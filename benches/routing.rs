//! What routing one task costs, each against its target.
//!
//! The lines that start with `routing:` compare two things in this run: a pass over the agents' meanings alone, and
//! the whole ranking with words, scores and reasons. With many agents they take turns, round by round. With few,
//! whose vectors fit into the processor's cache, each has it for itself: taking turns would measure how quickly
//! the one throws the other's vectors out.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a bench prints, and stops at once"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use candor_embed::FixedEmbedder;
use candor_model::AgentCapability;
use candor_phases::router::{Router, Success};
use candor_ports::{Vector, Vectors};
use criterion::{Criterion, criterion_group, criterion_main};

const ROUNDS: usize = 15;
const SMALL_ROUNDS: usize = 501;
const TOP: usize = 5;
/// As wide as the vectors of MiniLM.
const WIDTH: usize = 384;
const TASK: &str = "Search for round-trip flights to Paris in May. Expected outputs: flight_options";

/// Numbers that look random and are the same in every run.
fn noise(seed: usize) -> impl Iterator<Item = f32> {
    let mut state = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    })
}

fn vector(seed: usize) -> Vector {
    let numbers: Vec<f32> = noise(seed).take(WIDTH).collect();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    numbers.iter().map(|number| number / length).collect()
}

fn agents(count: usize) -> Vec<AgentCapability> {
    const DOES: [&str; 8] =
        ["search", "book", "compare", "translate", "summarise", "check", "plan", "repair"];
    const WHAT: [&str; 10] = [
        "flights",
        "hotels",
        "invoices",
        "recipes",
        "contracts",
        "images",
        "tickets",
        "trains",
        "emails",
        "maps",
    ];
    let agent = |index: usize| {
        let (does, what) = (DOES[index % DOES.len()], WHAT[index / DOES.len() % WHAT.len()]);
        let text = format!("{does}s {what} for team {index} in region {}", index % 97);
        serde_json::from_value(serde_json::json!({
            "agent_type": format!("agent_{index}"), "specialization": text,
            "capabilities": [format!("{does}_{what}")], "success_rate": 0.9, "cost_per_invocation": 0.02,
        }))
        .unwrap()
    };
    (0..count).map(agent).collect()
}

/// Tasks with some words of the agent's own and some that many tasks have.
fn successes(agent: &AgentCapability, count: usize) -> impl Iterator<Item = Success> {
    const WHERE: [&str; 7] = ["Paris", "Rome", "Oslo", "Lima", "Cairo", "Delhi", "Quito"];
    const WHEN: [&str; 5] = ["in May", "on Monday", "next week", "before noon", "this summer"];
    (0..count).map(|n| Success {
        text: format!("Please {} {} {}", agent.specialization, WHERE[n % WHERE.len()], WHEN[n % WHEN.len()]),
        agent_type: agent.agent_type.clone(),
        vector: Some(vector(n + 7)),
    })
}

/// What a plain pass costs: the dot product of the task with every row, and the best of them.
fn plain(matrix: &[f32], task: &[f32]) -> f32 {
    let dot = |row: &[f32]| {
        let mut sums = [0.0f32; 16];
        for (a, b) in row.as_chunks::<16>().0.iter().zip(task.as_chunks::<16>().0) {
            for lane in 0..16 {
                sums[lane] += a[lane] * b[lane];
            }
        }
        sums.iter().sum::<f32>()
    };
    matrix.chunks_exact(WIDTH).map(dot).fold(f32::MIN, f32::max)
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn middle<T: Copy>(mut values: Vec<T>, order: impl Fn(&T, &T) -> std::cmp::Ordering) -> T {
    values.sort_by(order);
    values[values.len() / 2]
}

struct Sides {
    matrix: Vec<f32>,
    router: Router,
    task: Vector,
}

impl Sides {
    /// So many agents, each with so many tasks that it succeeded at.
    fn new(count: usize, done: usize) -> Self {
        let vectors: Vec<Option<Vector>> = (0..count).map(|index| Some(vector(index + 1))).collect();
        let matrix = vectors.iter().flatten().flat_map(|vector| vector.iter().copied()).collect();
        let agents = agents(count);
        let history: Vec<Success> = agents.iter().flat_map(|agent| successes(agent, done)).collect();
        Self { matrix, router: Router::new(agents, &vectors, &history).unwrap(), task: vector(0) }
    }

    fn plain(&self) -> Duration {
        timed(|| plain(&self.matrix, &self.task))
    }

    fn whole(&self) -> Duration {
        timed(|| self.router.rank(TASK, Some(&self.task), &|_| false, TOP).unwrap())
    }

    /// How long each takes when it is repeated.
    fn one_after_the_other(&self) -> (Duration, Duration) {
        let repeated =
            |work: &dyn Fn() -> Duration| middle((0..SMALL_ROUNDS).map(|_| work()).collect(), Duration::cmp);
        (repeated(&|| self.plain()), repeated(&|| self.whole()))
    }

    /// How long each takes when they take turns, and how the two compare.
    fn in_turns(&self) -> (Duration, Duration, f64) {
        let rounds: Vec<_> = (0..ROUNDS).map(|_| (self.plain(), self.whole())).collect();
        let ratio = |(plain, whole): &(Duration, Duration)| whole.as_secs_f64() / plain.as_secs_f64();
        (
            middle(rounds.iter().map(|(plain, _)| *plain).collect(), Duration::cmp),
            middle(rounds.iter().map(|(_, whole)| *whole).collect(), Duration::cmp),
            middle(rounds.iter().map(ratio).collect(), f64::total_cmp),
        )
    }
}

fn routing(criterion: &mut Criterion) {
    let target = Duration::from_micros(100);
    for (done, with) in [(0, ""), (5, " with five successes each")] {
        let (plain, whole) = Sides::new(1_000, done).one_after_the_other();
        println!(
            "routing: one task among 1,000 agents{with}: {whole:.2?} (a plain pass {plain:.2?}), target {target:.0?}, ratio {:.2} (at most 1)",
            whole.as_secs_f64() / target.as_secs_f64()
        );
    }
    let (plain, whole, ratio) = Sides::new(100_000, 0).in_turns();
    println!(
        "routing: one task among 100,000 agents: {whole:.2?}, a plain pass {plain:.2?}, ratio {ratio:.2} (at most 1.5)"
    );
    let opened = timed(|| FixedEmbedder::new().at_once(TASK));
    let model = FixedEmbedder::new();
    let took = middle((0..ROUNDS).map(|_| timed(|| model.at_once(TASK))).collect(), Duration::cmp);
    println!("routing: the embedded model: first text {opened:.2?}, target 1ms, then {took:.2?} a text");
    criterion
        .bench_function("routing/embedded_model", |bencher| bencher.iter(|| model.at_once(black_box(TASK))));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(2));
    targets = routing
}
criterion_main!(benches);
