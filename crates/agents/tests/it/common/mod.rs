//! What the tests of agents share: orders, and a way to ask whether a process is still there.

pub(crate) mod attempt_context;

use std::path::Path;
use std::time::{Duration, Instant};

use candor_agents::{A2aAgent, A2aConfig, A2aError, CommandAgent, Described};
use candor_model::{AgentAnswer, Failure, RunId, Seconds, TaskId, WorkOrder};
use candor_ports::{Agent, AgentFailure};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// An order for the first attempt at `task_001`, with this many seconds.
pub(crate) fn order(deadline: f64) -> WorkOrder {
    WorkOrder {
        run_id: RunId::new("run_1").unwrap(),
        task_id: TaskId::new("task_001").unwrap(),
        description: "Search for flights".to_owned(),
        inputs: json!({ "destination": "Paris" }).as_object().unwrap().clone(),
        upstream: Default::default(),
        expected_outputs: vec!["flight_options".to_owned()],
        attempt: 1,
        idempotency_key: "run_1/task_001/1".to_owned(),
        deadline_seconds: Seconds::new(deadline).unwrap(),
        context: Vec::new(),
        brief: Default::default(),
        allow: Vec::new(),
    }
}

/// An agent that is a line of shell.
pub(crate) fn sh(script: &str) -> CommandAgent {
    CommandAgent::new(["sh", "-c", script]).unwrap()
}

/// Makes one attempt that nobody stops.
pub(crate) async fn perform(agent: &dyn Agent, order: &WorkOrder) -> Result<AgentAnswer, AgentFailure> {
    agent.perform(order, CancellationToken::new()).await
}

/// The reason of an attempt that has to fail.
pub(crate) async fn reason(agent: &dyn Agent, order: &WorkOrder) -> String {
    failure(agent, order).await.message
}

/// The failure of an attempt that has to fail.
pub(crate) async fn failure(agent: &dyn Agent, order: &WorkOrder) -> Failure {
    match perform(agent, order).await {
        Err(AgentFailure::Failed(failure)) => *failure,
        other => panic!("expected a failure, got {other:?}"),
    }
}

/// Checks that this takes less than `limit`. A busy machine gets a few tries; one that is always late does not.
pub(crate) async fn takes_less_than(limit: Duration, attempt: impl AsyncFn()) {
    let mut times = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        attempt().await;
        times.push(start.elapsed());
        if start.elapsed() < limit {
            return;
        }
    }
    panic!("always longer than {limit:?}: {times:?}");
}

/// Whether a process runs; one that is dead and waits to be collected does not.
pub(crate) fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Waits until a file has something in it, and returns that.
pub(crate) async fn content(path: &Path) -> String {
    for _ in 0..500 {
        match std::fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
    panic!("{} stayed empty", path.display());
}

/// A remote agent whose card was fetched, and what the card says.
pub(crate) async fn connect(card_url: &str, config: A2aConfig) -> Result<(A2aAgent, Described), A2aError> {
    let agent = A2aAgent::lazy(card_url, config)?;
    let described = agent.describe().await?;
    Ok((agent, described))
}
