//! Runs that are always the same, to be counted in instructions: `tests/it/instructions.rs` runs this under callgrind.
//!
//! `count_runs N` drives N pairs of runs, one after the other, on a log of its own: one with a plan that was supplied, and
//! one whose goal is read, broken down and routed by rules.

use std::error::Error;
use std::sync::Arc;

use candor_agents::builtin;
use candor_model::{JsonMap, RunId, RunSettings, StartMaterial};
use candor_phases::{Pack, Phases};
use candor_runtime::{AgentRegistry, RunOrder, Runtime};
use candor_store::{OpenOptions, SqliteLog};
use candor_testkit::fixtures;

const TRAVEL: &str = include_str!("../../../packs/travel/pack.toml");
const TRIP: &str = "Plan a 3-day trip to Paris in May with a $2000 budget";
const GOAL: &str = "Compare the three suppliers of flour by price and delivery time, recommend one, and write a summary \
                    of at most 300 words for the bakery's owner. Do not contact the suppliers.";

fn main() -> Result<(), Box<dyn Error>> {
    let pairs: u32 = std::env::args().nth(1).as_deref().unwrap_or("1").parse()?;
    let folder = tempfile::tempdir()?;
    let (log, _) = SqliteLog::open(&folder.path().join("candor.db"), OpenOptions::default())?;
    let noop = builtin("noop", &JsonMap::new(), &|_| None)?;
    let agents = fixtures::paris_agents().into_iter().map(|agent| (agent, Arc::clone(&noop))).collect();
    let phases = Phases::new(vec![Pack::from_toml(TRAVEL)?], 1);
    let runtime = Runtime::new(Arc::new(log), AgentRegistry::new(agents), phases, None);
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for pair in 0..pairs {
        let plan = StartMaterial { goal: None, plan: Some(Arc::new(fixtures::paris_plan())) };
        for (kind, request, material) in [("plan", TRIP, Some(plan)), ("goal", GOAL, None)] {
            let order = RunOrder {
                run_id: RunId::new(format!("run_{kind}_{pair:04}"))?,
                request: request.to_owned(),
                settings: RunSettings::default(),
                material,
                origin: None,
            };
            executor.block_on(drive(&runtime, order))?;
        }
    }
    Ok(())
}

/// Drives a run until it ends or waits for a person.
async fn drive(runtime: &Runtime, order: RunOrder) -> Result<(), Box<dyn Error>> {
    let handle = runtime.start(order, None).await?;
    let mut snapshots = handle.snapshot();
    snapshots.wait_for(|now| now.status.is_end() || (!now.busy && !now.questions.is_empty())).await?;
    handle.leave().await?;
    Ok(())
}
