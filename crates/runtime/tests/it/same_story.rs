//! The same story, told to the real driver on a real log and to the simulator's: the logs are the same, event by event.

use std::sync::Arc;

use candor_model::{
    AgentAnswer, AgentCapability, ApprovalPolicy, FailureKind, Position, Recorded, RetryPolicy, RunId,
    RunSettings, Seconds, StartMaterial, WorkOrder,
};
use candor_phases::Phases;
use candor_ports::{Agent, AgentFailure, BoxFuture, EventLog};
use candor_runtime::{AgentRegistry, RunOrder, Runtime};
use candor_testkit::fixtures;
use candor_testkit::sim::{Story, helpful_answer};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::House;

/// Four tasks in a row: one fails once and is repeated, one fails until a person gives it to
/// another agent.
fn story() -> Story {
    let names = ["worker", "hotel_agent"];
    let agents = names.map(|name| AgentCapability {
        agent_type: fixtures::agent_type(name),
        ..fixtures::full_registry().remove(0)
    });
    let mut tasks: Vec<_> = (1..=4usize)
        .map(|n| {
            let after: Vec<usize> = (1..n).rev().take(1).collect();
            fixtures::simple_task(n, &format!("Step {n} of the work"), &after, "worker")
        })
        .collect();
    tasks[1].retry_policy = Some(RetryPolicy { max_retries: 2, backoff_seconds: Seconds::ZERO });
    Story {
        run_id: RunId::new("run_story").unwrap(),
        request: "Do the work".to_owned(),
        settings: RunSettings {
            approval: ApprovalPolicy::Always,
            retry: Some(RetryPolicy { max_retries: 1, backoff_seconds: Seconds::ZERO }),
            ..RunSettings::default()
        },
        plan: fixtures::plan_of(tasks, 0.9),
        agents: agents.to_vec(),
        answer,
    }
}

fn answer(order: &WorkOrder) -> Result<AgentAnswer, String> {
    match (order.task_id.as_str(), order.attempt) {
        ("task_002", 1) => Err("no luck today".to_owned()),
        ("task_003", 1 | 2) => Err("the ledger is locked by somebody else".to_owned()),
        (task, _) => {
            let outputs = fixtures::object(json!({ "done": task }));
            Ok(AgentAnswer { cost: Some(fixtures::dollars(0.02)), ..AgentAnswer::success(outputs) })
        }
    }
}

struct Teller;

impl Agent for Teller {
    fn perform<'a>(
        &'a self,
        order: &'a WorkOrder,
        _: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(std::future::ready(
            answer(order).map_err(|reason| AgentFailure::failed(FailureKind::Crashed, reason)),
        ))
    }
}

/// The story in the real driver. People answer so that the run goes on.
async fn driven(story: &Story, house: &House) -> Vec<Recorded> {
    let agents = story.agents.iter().map(|agent| (agent.clone(), Arc::new(Teller) as Arc<dyn Agent>));
    let registry = AgentRegistry::new(agents.collect());
    let runtime = Runtime::new(house.log(), registry, Phases::new(Vec::new(), 0), None);
    let plan = Some(Arc::new(story.plan.clone()));
    let order = RunOrder {
        run_id: story.run_id.clone(),
        request: story.request.clone(),
        settings: story.settings.clone(),
        material: Some(StartMaterial { plan, ..StartMaterial::default() }),
        origin: None,
    };
    let run = runtime.start(order, None).await.unwrap();
    let mut snapshot = run.snapshot();
    loop {
        let asked = snapshot.wait_for(|now| now.status.is_end() || !now.questions.is_empty()).await;
        let now = asked.unwrap().clone();
        if now.status.is_end() {
            break;
        }
        for (gate, question) in &now.questions {
            // It may have been answered already: the snapshot is a moment behind.
            let _ = run.submit(helpful_answer(gate, question)).await;
        }
    }
    run.ended().await.unwrap();
    house.log().read(&story.run_id, Position::START).await.unwrap()
}

/// Events without what differs from clock to clock.
fn timeless(log: &[Recorded]) -> Vec<Value> {
    log.iter().map(|recorded| without_time(serde_json::to_value(&recorded.event.body).unwrap())).collect()
}

/// Figures that follow from how long something took.
fn is_measured(key: &str) -> bool {
    let key = key.to_lowercase();
    ["second", "duration", "latency", "time", "took", "calibration"].iter().any(|part| key.contains(part))
}

fn without_time(value: Value) -> Value {
    let is_time = |text: &str| text.len() >= 20 && text.as_bytes()[4] == b'-' && text.as_bytes()[10] == b'T';
    match value {
        Value::String(text) => {
            let words = text.split(' ').map(|word| if is_time(word) { "time" } else { word });
            json!(words.collect::<Vec<_>>().join(" "))
        }
        Value::Array(items) => items.into_iter().map(without_time).collect(),
        Value::Object(fields) => {
            let timeless = fields.into_iter().map(|(key, value)| match value {
                Value::Number(_) if is_measured(&key) => (key, json!("time")),
                value => (key, without_time(value)),
            });
            timeless.collect()
        }
        other => other,
    }
}

#[tokio::test]
async fn the_real_driver_and_the_simulated_one_write_the_same_log() {
    let story = story();
    let house = House::new();
    let (lived, simulated) = (timeless(&driven(&story, &house).await), timeless(&story.simulate().unwrap()));
    for (n, (lived, simulated)) in lived.iter().zip(&simulated).enumerate() {
        assert_eq!(lived, simulated, "event {}", n + 1);
    }
    assert_eq!(lived.len(), simulated.len());
    let kinds: Vec<&str> =
        lived.iter().filter_map(|body| Some(body.as_object()?.keys().next()?.as_str())).collect();
    for kind in ["human_asked", "task_failed", "retry_scheduled", "task_succeeded"] {
        assert!(kinds.contains(&kind), "the story has a {kind}: {kinds:?}");
    }
}
