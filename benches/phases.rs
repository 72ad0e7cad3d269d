//! What the eight phases cost with rules, for a trivial question, against their target: from the start command to
//! the end of the run, on a real log, with an agent that answers at once.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a bench prints, and stops at once"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_agents::builtin;
use candor_embed::FixedEmbedder;
use candor_model::{
    AgentType, Confidence, EventBody, JsonMap, Phase, Position, RunId, RunSettings, RunStatus,
};
use candor_phases::{Pack, Phases};
use candor_ports::EventLog;
use candor_runtime::{AgentRegistry, RunOrder, Runtime, RuntimeDeps};
use candor_store::{OpenOptions, SqliteLog};
use candor_testkit::fixtures;

const TRAVEL: &str = include_str!("../packs/travel/pack.toml");
const QUESTION: &str = "What is the capital of France?";
const ROUNDS: usize = 300;
const TARGET: Duration = Duration::from_millis(20);

async fn ask(runtime: &Runtime, n: usize) -> Duration {
    let settings =
        RunSettings { approval_threshold: Confidence::NONE, unattended: true, ..RunSettings::default() };
    let run_id = RunId::new(format!("run_{n}")).unwrap();
    let order = RunOrder { run_id, request: QUESTION.to_owned(), settings, material: None, origin: None };
    let began = Instant::now();
    let status = runtime.start(order, None).await.unwrap().ended().await.unwrap();
    let took = began.elapsed();
    assert_eq!(status, RunStatus::Completed);
    took
}

/// All eight, each once, each with what it hands over and what it thinks of it.
async fn check(log: &SqliteLog) {
    let events = log.read(&RunId::new("run_0").unwrap(), Position::START).await.unwrap();
    let of = |pick: fn(&EventBody) -> Option<Phase>| -> Vec<Phase> {
        events.iter().filter_map(|recorded| pick(&recorded.event.body)).collect()
    };
    let mut completed = of(|body| match body {
        EventBody::PhaseCompleted { phase, metrics: Some(_), .. } => Some(*phase),
        _ => None,
    });
    completed.sort_unstable();
    assert_eq!(completed, Phase::ALL);
    let critiqued = of(|body| match body {
        EventBody::Critiqued { phase, .. } => Some(*phase),
        _ => None,
    });
    assert_eq!(critiqued.len(), Phase::ALL.len());
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let (log, _) = SqliteLog::open(&folder.path().join("candor.db"), OpenOptions::default()).unwrap();
    let noop = builtin("noop", &JsonMap::new(), &|_| None).unwrap();
    // The pack keeps its own agents for its own goals; these are anybody's.
    let mut registry = fixtures::full_registry();
    for (n, agent) in registry.iter_mut().enumerate() {
        agent.agent_type = AgentType::new(format!("general_{n}")).unwrap();
    }
    let registry = registry.into_iter().map(|agent| (agent, Arc::clone(&noop))).collect();
    let phases = Phases::new(vec![Pack::from_toml(TRAVEL).unwrap()], 3);
    let equipment = RuntimeDeps { meaning: Some(Arc::new(FixedEmbedder::new())), ..RuntimeDeps::default() };
    let runtime =
        Runtime::with_models(Arc::new(log.clone()), AgentRegistry::new(registry), phases, None, equipment);
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut times: Vec<Duration> = (0..ROUNDS).map(|n| tokio.block_on(ask(&runtime, n))).collect();
    tokio.block_on(check(&log));
    let first = times[0];
    times.sort_unstable();
    let (median, worst) = (times[ROUNDS / 2], times[ROUNDS * 95 / 100]);
    println!("eight phases by rules, a trivial question, {ROUNDS} runs on a real log:");
    println!("  first {first:.2?}, median {median:.2?}, 95 of 100 within {worst:.2?}; target {TARGET:?}");
    println!("  {}", if worst < TARGET { "met" } else { "MISSED" });
}
