//! Runs on one thread and on several: what happens in a run does not depend on how many drive it.

use std::sync::Arc;

use candor_agents::builtin;
use candor_model::{
    AgentCapability, JsonMap, Position, Recorded, RunId, RunSettings, RunStatus, StartMaterial,
};
use candor_phases::Phases;
use candor_ports::EventLog;
use candor_runtime::{AgentRegistry, RunOrder, Runtime};
use candor_store::{OpenOptions, SqliteLog};
use candor_testkit::fixtures;
use serde_json::Value;
use tokio::runtime::Builder;

const RUNS: usize = 40;

/// A step after the other, so that it is not the agents who decide the order.
fn order(n: usize) -> RunOrder {
    let tasks = (1..=5usize).map(|n| {
        let after: Vec<usize> = (1..n).rev().take(1).collect();
        fixtures::simple_task(n, &format!("Step {n} of the work"), &after, "worker")
    });
    let plan = Arc::new(fixtures::plan_of(tasks.collect(), 0.9));
    RunOrder {
        run_id: RunId::new(format!("run_{n:03}")).unwrap(),
        request: "Do the work".to_owned(),
        settings: RunSettings::default(),
        material: Some(StartMaterial { goal: None, plan: Some(plan) }),
        origin: None,
    }
}

/// Drives many runs at once; gives the events of each, by their kinds.
fn driven(executor: &tokio::runtime::Runtime, threads: usize) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let (log, _) = SqliteLog::open(&folder.path().join("log.db"), OpenOptions::default()).unwrap();
    let worker =
        AgentCapability { agent_type: fixtures::agent_type("worker"), ..fixtures::full_registry().remove(0) };
    let agents = vec![(worker, builtin("noop", &JsonMap::new(), &|_| None).unwrap())];
    let runtime =
        Runtime::new(Arc::new(log.clone()), AgentRegistry::new(agents), Phases::new(vec![], 1), None)
            .spread_over(threads)
            .unwrap();
    executor.block_on(async {
        let runs: Vec<_> = (0..RUNS)
            .map(|n| {
                let runtime = runtime.clone();
                tokio::spawn(
                    async move { runtime.start(order(n), None).await.unwrap().ended().await.unwrap() },
                )
            })
            .collect();
        for run in runs {
            assert_eq!(run.await.unwrap(), RunStatus::Completed);
        }
        let mut logs = Vec::new();
        for n in 0..RUNS {
            let events = log.read(&order(n).run_id, Position::START).await.unwrap();
            logs.push(events.iter().map(kind).collect());
        }
        logs
    })
}

fn kind(recorded: &Recorded) -> String {
    let event: Value = serde_json::from_str(&recorded.event.to_json().unwrap()).unwrap();
    match &event["event"] {
        Value::Object(body) => body.keys().next().unwrap().clone(),
        name => name.to_string(),
    }
}

#[test]
fn the_order_of_events_does_not_depend_on_the_number_of_threads() {
    let one_thread = || Builder::new_current_thread().enable_all().build().unwrap();
    let one = driven(&one_thread(), 0);
    let four = driven(&Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap(), 0);
    let of_their_own = driven(&one_thread(), 3);
    assert!(one[0].len() > 40, "{:?}", one[0]);
    for log in one.iter().chain(&four).chain(&of_their_own) {
        assert_eq!(log, &one[0]);
    }
}
