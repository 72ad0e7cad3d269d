//! What the tool agent's loop costs for each step, without tools and models, and what planning anew by rules does.
//!
//! A step is measured with notes in memory, which is the loop alone, and with a real run on a real log, from one
//! call of a tool to the next. There every call also appends to the log once, so that steps and single appends
//! take turns on the same disk: what a step takes beyond its appends can be seen.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a bench prints, and stops at once"
)]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use candor_agents::{Notebook, ToolAgent, ToolAgentConfig};
use candor_model::{
    AgentCapability, AgentNote, Carried, Confidence, Event, EventBody, JsonMap, Position, RunId, RunSettings,
    RunStatus, Seconds, Share, StartMaterial, TaskId, Timestamp, TodoItem, ToolCall, ToolErrorKind,
    ToolHints, ToolResult, ToolSpec, WorkOrder,
};
use candor_phases::Phases;
use candor_ports::{Agent, AttemptContext, BoxFuture, EventLog, Toolbox};
use candor_react::{MissionSettings, rules};
use candor_runtime::{AgentRegistry, RunOrder, Runtime};
use candor_store::{OpenOptions, SqliteLog};
use candor_testkit::fixtures;
use serde_json::json;
use tokio_util::sync::CancellationToken;

const STEPS: usize = 25;
const ROUNDS: usize = 200;
const RUNS: usize = 20;
const STEP_TARGET: Duration = Duration::from_micros(100);
const RULES_TARGET: Duration = Duration::from_millis(5);

/// Tools that answer at once.
struct Quick(Vec<Arc<ToolSpec>>);

impl Quick {
    fn new(count: usize) -> Self {
        let schema =
            json!({ "type": "object", "required": ["url"], "properties": { "url": { "type": "string" } } });
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
        Self((0..count).map(tool).collect())
    }
}

impl Toolbox for Quick {
    fn tools(&self) -> BoxFuture<'_, Vec<Arc<ToolSpec>>> {
        Box::pin(std::future::ready(self.0.clone()))
    }

    fn call<'a>(&'a self, _: &'a ToolCall, _: Duration, _: CancellationToken) -> BoxFuture<'a, ToolResult> {
        Box::pin(std::future::ready(answer()))
    }

    fn verify<'a>(&'a self, _: &'a ToolCall, _: Duration, _: CancellationToken) -> BoxFuture<'a, Carried> {
        Box::pin(std::future::ready(Carried::Unknown))
    }
}

/// The same tools; every call looks at the clock and appends to the log once.
struct Timed {
    tools: Quick,
    log: SqliteLog,
    book: Mutex<Book>,
}

/// What was measured.
#[derive(Default)]
struct Book {
    left: Option<Instant>,
    end: Position,
    steps: Vec<Duration>,
    appends: Vec<Duration>,
}

impl Timed {
    /// What a note is on the log: as large as the receipt of a step.
    fn event(call: &ToolCall) -> Event {
        let note = AgentNote::Returned { key: call.key.clone(), result: Box::new(answer()) };
        let task_id = TaskId::new("task_001").unwrap();
        Event::new(Timestamp::EPOCH, EventBody::AgentNoted { task_id, attempt: 1, note: Arc::new(note) })
    }
}

impl Toolbox for Timed {
    fn tools(&self) -> BoxFuture<'_, Vec<Arc<ToolSpec>>> {
        self.tools.tools()
    }

    fn call<'a>(
        &'a self,
        call: &'a ToolCall,
        _: Duration,
        _: CancellationToken,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let end = {
                let mut book = self.book.lock().unwrap();
                let step = book.left.map(|left| left.elapsed());
                book.steps.extend(step);
                book.end
            };
            let (beside, event) = (RunId::new("run_beside").unwrap(), Self::event(call));
            let began = Instant::now();
            let end = self.log.append(&beside, end, &[event]).await.unwrap();
            let mut book = self.book.lock().unwrap();
            book.appends.push(began.elapsed());
            (book.end, book.left) = (end, Some(Instant::now()));
            answer()
        })
    }

    fn verify<'a>(&'a self, _: &'a ToolCall, _: Duration, _: CancellationToken) -> BoxFuture<'a, Carried> {
        Box::pin(std::future::ready(Carried::Unknown))
    }
}

fn answer() -> ToolResult {
    ToolResult::done("text", Some(json!({ "url": "https://example.org" })))
}

/// Each step takes what the one before gave.
fn inputs() -> JsonMap {
    let step = |n: usize| {
        let url =
            if n == 0 { "https://example.org".to_owned() } else { format!("${{steps.s{}.url}}", n - 1) };
        json!({ "id": format!("s{n}"), "tool": "web.read_0", "parameters": { "url": url } })
    };
    let steps: Vec<_> = (0..STEPS).map(step).collect();
    json!({ "steps": steps }).as_object().unwrap().clone()
}

fn order() -> WorkOrder {
    WorkOrder {
        run_id: RunId::new("run_1").unwrap(),
        task_id: TaskId::new("task_001").unwrap(),
        description: "Read".to_owned(),
        inputs: inputs(),
        upstream: Default::default(),
        expected_outputs: Vec::new(),
        attempt: 1,
        idempotency_key: "run_1/task_001/1".to_owned(),
        deadline_seconds: Seconds::whole(60),
        brief: Default::default(),
        context: Vec::new(),
        allow: Vec::new(),
    }
}

/// Half of them are within the first, 95 of 100 within the second.
fn spread(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 95 / 100])
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}

fn told(what: &str, times: Vec<Duration>, target: Duration) {
    let (median, worst) = spread(times);
    let verdict = verdict(worst < target);
    println!("{what}: median {median:.2?}, 95 of 100 within {worst:.2?}; target {target:?}: {verdict}");
}

fn agent(toolbox: Arc<dyn Toolbox>) -> ToolAgent {
    let settings = MissionSettings { max_steps: 1_000, ..MissionSettings::default() };
    ToolAgent::new(ToolAgentConfig { settings, ..ToolAgentConfig::new("tools", toolbox) })
}

/// The loop alone.
fn in_memory(tokio: &tokio::runtime::Runtime) {
    let (agent, order) = (agent(Arc::new(Quick::new(20))), order());
    let round = || {
        let cx = Arc::new(Notebook::new(1));
        let began = Instant::now();
        let performing =
            agent.perform_among(&order, Arc::clone(&cx) as Arc<dyn AttemptContext>, CancellationToken::new());
        let answer = tokio.block_on(performing).unwrap();
        let took = began.elapsed() / u32::try_from(STEPS).unwrap();
        assert!(answer.errors.is_empty(), "{:?}", answer.errors);
        took
    };
    told("a step of the tool agent, notes in memory", (0..ROUNDS).map(|_| round()).collect(), STEP_TARGET);
}

fn run_order(n: usize) -> RunOrder {
    let mut task = fixtures::simple_task(1, "Read", &[], "tools");
    task.inputs = inputs();
    task.expected_outputs.clear();
    let plan = fixtures::plan_of(vec![task], 0.9);
    let settings =
        RunSettings { approval_threshold: Confidence::NONE, unattended: true, ..RunSettings::default() };
    let material = Some(StartMaterial { goal: None, plan: Some(Arc::new(plan)) });
    RunOrder {
        run_id: RunId::new(format!("run_{n}")).unwrap(),
        request: "Read".to_owned(),
        settings,
        material,
        origin: None,
    }
}

fn runtime(tools: &Arc<Timed>) -> Runtime {
    let capability = AgentCapability {
        agent_type: fixtures::agent_type("tools"),
        capabilities: vec!["read".to_owned()],
        specialization: "Reads pages".to_owned(),
        cost_per_invocation: fixtures::dollars(0.0),
        avg_latency_ms: 1,
        success_rate: Share::ALL,
        max_concurrent: None,
        timeout: Some(Seconds::whole(60)),
        max_cost: None,
        retry: None,
        effects: None,
    };
    let agent: Arc<dyn Agent> = Arc::new(agent(Arc::clone(tools) as Arc<dyn Toolbox>));
    let registry = AgentRegistry::new(vec![(capability, agent)]);
    Runtime::new(Arc::new(tools.log.clone()), registry, Phases::new(Vec::new(), 0), None)
}

/// How many notes a step has on the log.
async fn notes_per_step(log: &SqliteLog) -> u32 {
    let events = log.read(&RunId::new("run_0").unwrap(), Position::START).await.unwrap();
    let noted = events.iter().filter(|it| matches!(it.event.body, EventBody::AgentNoted { .. })).count();
    u32::try_from(noted / STEPS).unwrap()
}

/// Real runs on a real log, with a single append between any two steps.
async fn on_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let (log, _) = SqliteLog::open(&folder.path().join("candor.db"), OpenOptions::default()).unwrap();
    let tools = Arc::new(Timed { tools: Quick::new(20), log, book: Mutex::default() });
    let runtime = runtime(&tools);
    for n in 0..RUNS {
        let status = runtime.start(run_order(n), None).await.unwrap().ended().await.unwrap();
        assert_eq!(status, RunStatus::Completed);
        tools.book.lock().unwrap().left = None;
    }
    let notes = notes_per_step(&tools.log).await;
    let book = std::mem::take(&mut *tools.book.lock().unwrap());
    let ((step, slow_step), (append, slow_append)) = (spread(book.steps), spread(book.appends));
    let beyond_one = step.saturating_sub(append);
    let own = step.saturating_sub(append * notes);
    println!("a step on a real log, {RUNS} runs of {STEPS} steps, a single append between any two:");
    println!("  step: median {step:.2?}, 95 of 100 within {slow_step:.2?}; {notes} notes on the log each");
    println!("  single append: median {append:.2?}, 95 of 100 within {slow_append:.2?}");
    println!("  step without one append: {beyond_one:.2?}; without its {notes}: {own:.2?}");
    println!("  target {STEP_TARGET:?} and one append: {}", verdict(beyond_one < STEP_TARGET));
}

fn by_rules() {
    let tools = Quick::new(200).0;
    let mut item = TodoItem::new("s", 1, "Read the page of the web");
    item.tool = Some("web.fetch_page".to_owned());
    item.parameters = json!({ "link": "https://example.org" }).as_object().unwrap().clone();
    let error = ToolResult::failed(ToolErrorKind::Unavailable, "no such tool");
    let replan = || {
        let began = Instant::now();
        assert!(rules::strategy(&item, &error, &tools).is_some());
        began.elapsed()
    };
    told("planning a step anew by rules, 200 tools", (0..ROUNDS).map(|_| replan()).collect(), RULES_TARGET);
}

fn main() {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    in_memory(&tokio);
    let many = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    many.block_on(on_a_log());
    by_rules();
}
