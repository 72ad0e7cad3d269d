//! Runs that are always the same, to be counted in instructions: `tests/it/instructions.rs` runs this under callgrind.
//!
//! `count_runs N [plan|goal]` drives N pairs of runs, one after the other, on a log of its own: one with a plan that was
//! supplied, and one whose goal is read, broken down and routed by rules; with a second argument only one of the two.
//! `count_runs N plan together` begins all of them before the first ends; `count_runs N chain` has plans of 100 tasks one
//! after the other.

use std::error::Error;
use std::sync::Arc;

use candor_agents::builtin;
use candor_model::{JsonMap, Plan, RunId, RunSettings, StartMaterial, TaskId};
use candor_phases::{Pack, Phases};
use candor_runtime::{AgentRegistry, RunOrder, Runtime};
use candor_store::{OpenOptions, SqliteLog};
use candor_testkit::fixtures;
use tokio::task::JoinSet;

/// The tasks of a chain.
const LINKS: usize = 100;

type Failure = Box<dyn Error + Send + Sync>;

const TRAVEL: &str = include_str!("../../../packs/travel/pack.toml");
const TRIP: &str = "Plan a 3-day trip to Paris in May with a $2000 budget";
const GOAL: &str = "Compare the three suppliers of flour by price and delivery time, recommend one, and write a summary \
                    of at most 300 words for the bakery's owner. Do not contact the suppliers.";

fn main() -> Result<(), Failure> {
    let pairs: u32 = std::env::args().nth(1).as_deref().unwrap_or("1").parse()?;
    let only = std::env::args().nth(2);
    let folder = tempfile::tempdir()?;
    let (log, _) = SqliteLog::open(&folder.path().join("candor.db"), OpenOptions::default())?;
    let noop = builtin("noop", &JsonMap::new(), &|_| None)?;
    let agents = fixtures::paris_agents().into_iter().map(|agent| (agent, Arc::clone(&noop))).collect();
    let phases = Phases::new(vec![Pack::from_toml(TRAVEL)?], 1);
    let runtime = Runtime::new(Arc::new(log), AgentRegistry::new(agents), phases, None);
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let together = std::env::args().nth(3).is_some_and(|how| how == "together");
    let mut orders = Vec::new();
    let wanted = match only.as_deref() {
        None => vec!["plan", "goal"],
        Some(kind) => vec![kind],
    };
    for (pair, kind) in (0..pairs).flat_map(|pair| wanted.iter().map(move |kind| (pair, *kind))) {
        orders.push(order(pair, kind)?);
    }
    if together {
        return executor.block_on(async {
            let mut runs = JoinSet::new();
            for order in orders {
                runs.spawn(drive(runtime.clone(), order));
            }
            runs.join_all().await.into_iter().collect()
        });
    }
    for order in orders {
        executor.block_on(drive(runtime.clone(), order))?;
    }
    Ok(())
}

fn order(number: u32, kind: &str) -> Result<RunOrder, Failure> {
    let (request, plan) = match kind {
        "plan" => (TRIP, Some(fixtures::paris_plan())),
        "goal" => (GOAL, None),
        "chain" => (TRIP, Some(chain())),
        _ => return Err(format!("there is no kind `{kind}`: plan, goal and chain are there").into()),
    };
    Ok(RunOrder {
        run_id: RunId::new(format!("run_{kind}_{number:04}"))?,
        request: request.to_owned(),
        settings: RunSettings::default(),
        material: plan.map(|plan| StartMaterial { goal: None, plan: Some(Arc::new(plan)) }),
        origin: None,
    })
}

/// A plan of many tasks, each after the one before it.
fn chain() -> Plan {
    let mut plan = fixtures::paris_plan();
    let mut link = plan.subtasks.swap_remove(0);
    link.dependencies.clear();
    plan.subtasks.clear();
    for n in 1..=LINKS {
        link.task_id = TaskId::numbered(n);
        plan.subtasks.push(link.clone());
        link.dependencies = vec![TaskId::numbered(n)];
    }
    plan
}

/// Drives a run until it ends or waits for a person.
async fn drive(runtime: Runtime, order: RunOrder) -> Result<(), Failure> {
    let handle = runtime.start(order, None).await?;
    let mut snapshots = handle.snapshot();
    snapshots.wait_for(|now| now.status.is_end() || (!now.busy && !now.questions.is_empty())).await?;
    handle.leave().await?;
    Ok(())
}
