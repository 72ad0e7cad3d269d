//! A small house to drive runs in: a real log in a folder, and agents that do as they are told.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use candor_model::{
    AgentAnswer, AgentCapability, BreakerSettings, EventBody, Failure, FailureKind, JsonMap, Plan, Position,
    Recorded, RetryPolicy, RunId, RunSettings, Seconds, Share, StartMaterial, Transience, WorkOrder,
};
use candor_phases::Phases;
use candor_ports::{Agent, AgentFailure, BoxFuture, EventLog, Observer};
use candor_runtime::{AgentRegistry, RunOrder, Runtime, RuntimeDeps};
use candor_store::{OpenOptions, SqliteLog};
use candor_testkit::fixtures;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// The one agent of these tests.
pub const WORKER: &str = "worker";

/// What an agent does with an order.
#[derive(Debug, Clone, Copy)]
pub enum Way {
    /// Works so long, and answers.
    Works(Duration),
    /// Fails its first attempt at every task, and answers the second.
    FailsFirst,
    /// Never answers; takes so long to stop when it is asked to.
    Hangs(Duration),
}

/// An agent that remembers what it did.
pub struct Worker {
    way: Way,
    /// The key of each attempt, when it began.
    pub began: Mutex<Vec<String>>,
    /// When each attempt ended, by its key.
    pub ended: Mutex<BTreeMap<String, Instant>>,
    at_work: AtomicUsize,
    /// How many attempts it had in hand at once.
    pub most: AtomicUsize,
}

impl Worker {
    pub fn new(way: Way) -> Arc<Self> {
        Arc::new(Self {
            way,
            began: Mutex::default(),
            ended: Mutex::default(),
            at_work: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
        })
    }

    /// How many attempts it has in hand.
    pub fn at_work(&self) -> usize {
        self.at_work.load(Ordering::SeqCst)
    }

    /// The keys of all attempts so far.
    pub fn attempts(&self) -> Vec<String> {
        self.began.lock().unwrap().clone()
    }

    async fn work(&self, order: &WorkOrder, stop: CancellationToken) -> Result<AgentAnswer, AgentFailure> {
        let answer = || Ok(AgentAnswer::success(JsonMap::new()));
        match self.way {
            Way::Works(time) => tokio::select! {
                () = tokio::time::sleep(time) => answer(),
                () = stop.cancelled() => Err(AgentFailure::Stopped),
            },
            Way::FailsFirst if order.attempt == 1 => {
                Err(Failure::new(FailureKind::TaskError, "no luck today")
                    .with_transience(Transience::Transient)
                    .into())
            }
            Way::FailsFirst => answer(),
            Way::Hangs(time) => {
                stop.cancelled().await;
                tokio::time::sleep(time).await;
                Err(AgentFailure::Stopped)
            }
        }
    }
}

impl Agent for Worker {
    fn perform<'a>(
        &'a self,
        order: &'a WorkOrder,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(async move {
            self.began.lock().unwrap().push(order.idempotency_key.clone());
            let now = self.at_work.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            let result = self.work(order, stop).await;
            self.at_work.fetch_sub(1, Ordering::SeqCst);
            self.ended.lock().unwrap().insert(order.idempotency_key.clone(), Instant::now());
            result
        })
    }
}

/// A folder with a log.
pub struct House {
    folder: TempDir,
}

impl House {
    pub fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub fn log_path(&self) -> PathBuf {
        self.folder.path().join("candor.db")
    }

    /// Another handle to the log, as another process has it.
    pub fn log(&self) -> Arc<SqliteLog> {
        Arc::new(SqliteLog::open(&self.log_path(), OpenOptions::default()).unwrap().0)
    }

    /// A runtime of its own on the log, with one agent.
    pub fn runtime(&self, worker: &Arc<Worker>) -> Runtime {
        self.runtime_with(self.log(), worker, None, None)
    }

    pub fn runtime_with(
        &self,
        log: Arc<SqliteLog>,
        worker: &Arc<Worker>,
        max_concurrent: Option<u32>,
        observer: Option<Arc<dyn Observer>>,
    ) -> Runtime {
        let capability = AgentCapability {
            agent_type: fixtures::agent_type(WORKER),
            capabilities: vec!["work".to_owned()],
            specialization: "Does the work".to_owned(),
            cost_per_invocation: fixtures::dollars(0.0),
            avg_latency_ms: 1,
            success_rate: Share::ALL,
            max_concurrent,
            timeout: None,
            max_cost: None,
            retry: None,
            effects: None,
        };
        let agent: Arc<dyn Agent> = Arc::clone(worker) as Arc<dyn Agent>;
        // These agents fail on purpose, and must not have their circuit opened for it.
        let breakers = BreakerSettings { failure_threshold: u32::MAX, ..BreakerSettings::default() };
        let equipment = RuntimeDeps { breakers, ..RuntimeDeps::default() };
        let registry = AgentRegistry::new(vec![(capability, agent)]);
        Runtime::with_models(log, registry, Phases::new(Vec::new(), 0), observer, equipment)
    }

    /// A runtime with one agent and more than that.
    pub fn equipped(
        &self,
        log: Arc<SqliteLog>,
        worker: &Arc<Worker>,
        observer: Option<Arc<dyn Observer>>,
        equipment: RuntimeDeps,
    ) -> Runtime {
        let capability = AgentCapability {
            agent_type: fixtures::agent_type(WORKER),
            capabilities: vec!["work".to_owned(), "report".to_owned()],
            specialization: "Does the work and reports it".to_owned(),
            cost_per_invocation: fixtures::dollars(0.0),
            avg_latency_ms: 1,
            success_rate: Share::ALL,
            max_concurrent: None,
            timeout: None,
            max_cost: None,
            retry: None,
            effects: None,
        };
        let agent: Arc<dyn Agent> = Arc::clone(worker) as Arc<dyn Agent>;
        let registry = AgentRegistry::new(vec![(capability, agent)]);
        Runtime::with_models(log, registry, Phases::new(Vec::new(), 0), observer, equipment)
    }

    /// What is on the log of a run.
    pub async fn read(&self, run: &RunId) -> Vec<Recorded> {
        self.log().read(run, Position::START).await.unwrap()
    }
}

/// A plan of chains side by side, each of so many tasks, all repeated up to twice at once when they fail.
pub fn chains(chains: usize, length: usize) -> Plan {
    let task = |n: usize| {
        let after: Vec<usize> = if n.is_multiple_of(length) { Vec::new() } else { vec![n] };
        let mut task = fixtures::simple_task(n + 1, "Do the work", &after, WORKER);
        task.retry_policy = Some(RetryPolicy { max_retries: 2, backoff_seconds: Seconds::ZERO });
        task
    };
    fixtures::plan_of((0..chains * length).map(task).collect(), 0.9)
}

/// The order for a run of this plan.
pub fn order(run: &str, plan: Plan, settings: RunSettings) -> RunOrder {
    let material = StartMaterial { goal: None, plan: Some(Arc::new(plan)) };
    RunOrder {
        run_id: RunId::new(run).unwrap(),
        request: "Do the work".to_owned(),
        settings,
        material: Some(material),
        origin: None,
    }
}

/// Waits until something holds.
#[track_caller]
pub fn until(what: &str, holds: impl Fn() -> bool) -> impl Future<Output = ()> {
    let what = what.to_owned();
    async move {
        let give_up = Instant::now() + Duration::from_secs(20);
        while !holds() {
            assert!(Instant::now() < give_up, "waited in vain for {what}");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

/// How many events of a kind there are.
pub fn count(log: &[Recorded], kind: impl Fn(&EventBody) -> bool) -> usize {
    log.iter().filter(|recorded| kind(&recorded.event.body)).count()
}
