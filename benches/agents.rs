//! What a thousand tool agents at once cost in one process: each waits on a slow tool, on one real log.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a bench prints, and stops at once"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use candor_agents::{ToolAgent, ToolAgentConfig};
use candor_model::{
    AgentCapability, Carried, Confidence, Plan, Position, RunId, RunSettings, RunStatus, Seconds, Share,
    StartMaterial, ToolCall, ToolHints, ToolResult, ToolSpec,
};
use candor_phases::Phases;
use candor_ports::{Agent, BoxFuture, EventLog, Toolbox};
use candor_runtime::{AgentRegistry, RunOrder, Runtime};
use candor_store::{OpenOptions, SqliteLog};
use candor_testkit::fixtures;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

const AGENTS: usize = 1_000;
const AGENT: &str = "worker";
const STEPS: usize = 2;
/// How long the first step's tool takes once all have come to wait for it.
const SLOW: Duration = Duration::from_secs(2);
/// How long they are waited for, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
const TARGET_KB: u64 = 500 * 1024;

/// A tool that nobody gets an answer from before all have called it; the second step is answered at once.
struct Slow {
    tools: Vec<Arc<ToolSpec>>,
    waiting: AtomicUsize,
    open: watch::Sender<bool>,
}

impl Slow {
    fn new() -> Self {
        let schema = json!({
            "type": "object", "required": ["url"], "properties": { "url": { "type": "string" } },
        });
        let tool = |n: usize| {
            Arc::new(ToolSpec {
                name: format!("web.read_{n}"),
                description: format!("Reads page {n} of the web and gives its text"),
                input_schema: Arc::new(schema.clone()),
                hints: ToolHints::READS,
                undo: None,
                check: None,
            })
        };
        Self {
            tools: (0..20).map(tool).collect(),
            waiting: AtomicUsize::new(0),
            open: watch::Sender::new(false),
        }
    }
}

impl Toolbox for Slow {
    fn tools(&self) -> BoxFuture<'_, Vec<Arc<ToolSpec>>> {
        Box::pin(std::future::ready(self.tools.clone()))
    }

    fn call<'a>(
        &'a self,
        call: &'a ToolCall,
        _: Duration,
        _: CancellationToken,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            if call.tool.ends_with('0') {
                self.waiting.fetch_add(1, Ordering::SeqCst);
                self.open.subscribe().wait_for(|open| *open).await.unwrap();
            }
            ToolResult::done("text", Some(json!({ "url": "https://example.org" })))
        })
    }

    fn verify<'a>(&'a self, _: &'a ToolCall, _: Duration, _: CancellationToken) -> BoxFuture<'a, Carried> {
        Box::pin(std::future::ready(Carried::Unknown))
    }
}

/// A plan of so many tasks side by side, each of two steps.
fn plan() -> Plan {
    let steps = json!([
        { "id": "slow", "tool": "web.read_0", "parameters": { "url": "https://example.org" } },
        { "id": "quick", "tool": "web.read_1", "parameters": { "url": "${steps.slow.url}" } },
    ]);
    let task = |n: usize| {
        let mut task = fixtures::simple_task(n + 1, "Read the page", &[], AGENT);
        task.inputs = json!({ "steps": steps }).as_object().unwrap().clone();
        task.expected_outputs.clear();
        task
    };
    fixtures::plan_of((0..AGENTS).map(task).collect(), 0.9)
}

fn runtime(log: &SqliteLog, tools: &Arc<Slow>) -> Runtime {
    let capability = AgentCapability {
        agent_type: fixtures::agent_type(AGENT),
        capabilities: vec!["read".to_owned()],
        specialization: "Reads pages".to_owned(),
        cost_per_invocation: fixtures::dollars(0.0),
        avg_latency_ms: 1,
        success_rate: Share::ALL,
        max_concurrent: None,
        timeout: Some(Seconds::whole(600)),
        max_cost: None,
        retry: None,
        effects: None,
    };
    let mut config = ToolAgentConfig::new(AGENT, Arc::clone(tools) as Arc<dyn Toolbox>);
    config.settings.tool_timeout = Seconds::whole(600);
    let agent: Arc<dyn Agent> = Arc::new(ToolAgent::new(config));
    let registry = AgentRegistry::new(vec![(capability, agent)]);
    Runtime::new(Arc::new(log.clone()), registry, Phases::new(Vec::new(), 0), None)
}

fn order() -> RunOrder {
    let settings = RunSettings {
        max_parallel_tasks: u32::try_from(AGENTS).unwrap(),
        approval_threshold: Confidence::NONE,
        agent_timeout: Seconds::whole(600),
        max_plan_bytes: 10_000_000,
        unattended: true,
        ..RunSettings::default()
    };
    let material = StartMaterial { goal: None, plan: Some(Arc::new(plan())) };
    let run_id = RunId::new("run_1").unwrap();
    RunOrder {
        run_id,
        request: "Read the pages".to_owned(),
        settings,
        material: Some(material),
        origin: None,
    }
}

/// A figure of this process, in KiB: what is resident now (`VmRSS`), or what was at most (`VmHWM`).
fn resident(figure: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(figure)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}

async fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let (log, _) = SqliteLog::open(&folder.path().join("candor.db"), OpenOptions::default()).unwrap();
    let tools = Arc::new(Slow::new());
    let runtime = runtime(&log, &tools);
    let before = resident("VmRSS");
    let began = Instant::now();
    let run = runtime.start(order(), None).await.unwrap();
    while tools.waiting.load(Ordering::SeqCst) < AGENTS {
        assert!(began.elapsed() < PATIENCE, "only {} have come", tools.waiting.load(Ordering::SeqCst));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let gathered = began.elapsed();
    tokio::time::sleep(SLOW).await;
    let (waiting, most) = (resident("VmRSS"), resident("VmHWM"));
    let run_id = RunId::new("run_1").unwrap();
    let events_before = log.read(&run_id, Position::START).await.unwrap().len();
    let released = Instant::now();
    tools.open.send_replace(true);
    let status = run.ended().await.unwrap();
    let ending = released.elapsed();
    assert_eq!(status, RunStatus::Completed);
    let events = log.read(&run_id, Position::START).await.unwrap().len();
    report(gathered, events_before, before, (waiting, most));
    let (after, rate) = (events - events_before, rate(events - events_before, ending));
    println!("  all answered at once: {after} events in {ending:.2?}, {rate:.0} events/s");
    println!("  most resident until the end: {} MB", resident("VmHWM") / 1024);
}

fn rate(events: usize, took: Duration) -> f64 {
    f64::from(u32::try_from(events).unwrap()) / took.as_secs_f64()
}

fn report(gathered: Duration, events: usize, before: u64, (waiting, most): (u64, u64)) {
    println!("{AGENTS} tool agents of {STEPS} steps at once, one process, one real log:");
    println!("  all at work after {gathered:.2?}: {events} events, {:.0} events/s", rate(events, gathered));
    println!(
        "  resident while all wait: {} MB ({} MB before), at most {} MB; target {} MB: {}",
        waiting / 1024,
        before / 1024,
        most / 1024,
        TARGET_KB / 1024,
        verdict(most < TARGET_KB)
    );
}

fn main() {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    tokio.block_on(measure());
}
